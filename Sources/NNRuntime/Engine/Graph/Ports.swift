import FileFormats

/// An input of a planned network, which a run's `SessionInputs` are filled by.
///
/// It is asked for by name once, of the plan, the session or a run, and is good for every session of plans of one graph.
public struct GraphInput: Hashable, Sendable {
  /// Its name in the graph.
  public let name: String
  /// Its shape.
  public let shape: MapShape
  let value: ValueID
}

/// An output of a planned network, which a run's `SessionOutputs` are read by.
///
/// It is asked for by name once, of the plan, the session or a run, and is good for every session of plans of one graph.
public struct GraphOutput: Hashable, Sendable {
  /// Its name in the graph.
  public let name: String
  /// Its shape.
  public let shape: MapShape
  let value: ValueID
}

/// Why an input or output cannot be had.
public enum PortError: Error, Equatable, CustomStringConvertible {
  /// The network has no input of that name, but `known`.
  case noInput(String, known: [String])
  /// The network has no output of that name, but `known`.
  case noOutput(String, known: [String])

  /// The defect, and what was found instead.
  public var description: String {
    switch self {
    case .noInput(let name, let known):
      "the network has no input \"\(name)\"; name one of \(known.joined(separator: ", "))"
    case .noOutput(let name, let known):
      "the network has no output \"\(name)\"; name one of \(known.joined(separator: ", "))"
    }
  }
}

extension Plan {
  /// The inputs, in the order of their declaration.
  public var inputs: [GraphInput] {
    graph.inputs.map { GraphInput(name: $0.name, shape: graph.shapes[$0.value], value: $0.value) }
  }

  /// The outputs, in the order of their declaration.
  public var outputs: [GraphOutput] {
    graph.outputs.map { GraphOutput(name: $0.name, shape: graph.shapes[$0.value], value: $0.value) }
  }

  /// The input of that name, with the shape that it takes.
  ///
  /// - Throws: `PortError.noInput`, with the names that there are.
  public func input(_ name: String) throws(PortError) -> GraphInput {
    guard let input = inputs.first(where: { $0.name == name }) else {
      throw .noInput(name, known: graph.inputs.map(\.name))
    }
    return input
  }

  /// The output of that name, with the shape that it has.
  ///
  /// - Throws: `PortError.noOutput`, with the names that there are.
  public func output(_ name: String) throws(PortError) -> GraphOutput {
    guard let output = outputs.first(where: { $0.name == name }) else {
      throw .noOutput(name, known: graph.outputs.map(\.name))
    }
    return output
  }
}

extension Session {
  /// The input of that name, with the shape that it takes.
  ///
  /// - Throws: `PortError.noInput`, with the names that there are.
  public func input(_ name: String) throws(PortError) -> GraphInput { try plan.input(name) }

  /// The output of that name, with the shape that it has.
  ///
  /// - Throws: `PortError.noOutput`, with the names that there are.
  public func output(_ name: String) throws(PortError) -> GraphOutput { try plan.output(name) }
}

extension PortError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
