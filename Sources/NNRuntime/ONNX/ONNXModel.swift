package import FileFormats

/// A network of an ONNX file.
public final class ONNXModel: Sendable {
  /// The path of the file.
  public let path: String
  /// The name of its graph.
  package let graphName: String
  package let program: Program
  let metadataPairs: [(key: String, value: String)]
  /// The file, and those that it keeps weights in.
  private let files: [FileBytes]

  /// Reads a model.
  ///
  /// Its weights stay in the file, which is mapped.
  ///
  /// A model with operators that are not implemented is read too; `defect` says so, and `run` throws it.
  /// - Throws: `ONNXError`.
  public convenience init(path: String) throws {
    try self.init(Self.bytes(path), path: path)
  }

  /// As `init(path:)`, with every node a step.
  package convenience init(keepingAllOf path: String) throws {
    try self.init(Self.bytes(path), path: path, keepsAll: true)
  }

  private static func bytes(_ path: String) throws -> FileBytes {
    do throws(FileError) {
      return FileBytes(try MappedFile(path: path))
    } catch {
      throw ONNXError.file(error)
    }
  }

  /// - `keepsAll`: every node stays a step, also one of constants alone or one that is not read.
  package init(_ bytes: FileBytes, path: String, keepsAll: Bool = false) throws {
    self.path = path
    let message = try ModelMessage(bytes)
    let external = ExternalData(besideModel: path)
    graphName = message.graph?.name ?? ""
    metadataPairs = message.metadata
    program = try ProgramBuilder.program(of: message, files: external, keepsAll: keepsAll)
    files = [bytes] + external.mappedFiles
    releasePages()
  }

  /// Gives back the memory of what was read of its files; it is read again when needed.
  package func releasePages() {
    for file in files { file.release() }
  }

  /// The defect that keeps the model from being run; nil if there is none.
  public var defect: ONNXError? { program.defect }

  /// The inputs that a caller has to give, in order.
  package var inputs: [Program.Input] { program.inputs.filter { !$0.hasDefault } }
  package var outputs: [Program.Output] { program.outputs }

  /// Runs the model on zeros, within bounds that are far below those of other runs: what any file may be tried with.
  ///
  /// - `elements`: that a tensor may have; `steps`: that may be run.
  package func tryOut(elements: Int, steps: Int) throws {
    if let defect { throw defect }
    try Shape.$most.withValue(elements) {
      let values = try inputs.map { input -> Value in
        guard case .tensor(let number, let axes) = input.type else { throw ONNXError.input("no tensor") }
        let shape = (axes ?? []).map { if case .size(let size) = $0 { size } else { 1 } }
        let type = try ElementType(number: number)
        let count = try Shape.count(shape)
        return .tensor(
          type == .string
            ? Tensor(shape, [String](repeating: "", count: count))
            : Tensor(type, shape, doubles: [Double](repeating: 0, count: count)))
      }
      let given = NameTable(zip(inputs.map(\.name), values).map { ($0, $1) })
      _ = try program.run(program.inputs.map { given[$0.name] }, within: RunBudget(steps: steps))
    }
  }

  /// Runs the model on values by the names of its inputs.
  package func run(
    _ values: NameTable<Value>, observer: ((Step, [Value?]) throws -> Void)? = nil,
    replacing: ((Step, [Value?]) throws -> [Value?])? = nil
  ) throws -> [Value] {
    if let defect { throw defect }
    if let other = values.keys.first(where: { name in
      !program.inputs.contains { $0.name.isSameName(as: name) }
    }) {
      throw ONNXError.input("the model has no input \"\(printableName(other))\"")
    }
    for input in program.inputs {
      if let value = values[input.name] { try input.check(value) }
    }
    return try program.run(
      program.inputs.map { values[$0.name] }, observer: observer, replacing: replacing)
  }
}

extension Program.Input {
  /// Whether a value is of the declared type and shape.
  func check(_ value: Value) throws {
    guard case .tensor(let tensor) = value, case .tensor(let number, let axes) = type else { return }
    if number != 0, number != tensor.type.rawValue {
      throw ONNXError.input(
        "the input \"\(printableName(name))\" is of type \(ElementType(rawValue: number)?.name ?? "?"), not \(tensor.type): give elements of that type"
      )
    }
    guard let axes else { return }
    let fits =
      axes.count == tensor.rank
      && zip(axes, tensor.shape).allSatisfy { axis, size in
        if case .size(let stated) = axis { stated == size } else { true }
      }
    guard fits else {
      throw ONNXError.input(
        "the input \"\(printableName(name))\" has shape \(AxisMessage.text(axes)), not \(Shape.text(tensor.shape)): give a tensor of that shape"
      )
    }
  }
}

extension AxisMessage {
  package static func text(_ axes: [AxisMessage]) -> String {
    let sizes = axes.map { axis in
      switch axis {
      case .size(let size): "\(size)"
      case .named(let name): printableName(name)
      case .free: "?"
      }
    }
    return "[" + sizes.joined(separator: ", ") + "]"
  }
}
