package import FileFormats

/// A graph in single-assignment form: values by number, steps in the order in which they run.
package final class Program: Sendable {
  /// Inputs from the caller: name, declared type, number of the value.
  package struct Input: Sendable {
    package let name: String
    package let type: TypeMessage?
    let slot: Int
    /// Whether an initializer stands in for it.
    package let hasDefault: Bool
  }

  /// Outputs of the program.
  package struct Output: Sendable {
    package let name: String
    package let type: TypeMessage?
    let slot: Int
  }

  package let inputs: [Input]
  package let outputs: [Output]
  package let steps: [Step]
  /// Values that are known before anything runs.
  let constants: [Int: Value]
  /// Values of the enclosing program that this one reads, and their numbers here.
  let captures: [(outer: Int, inner: Int)]
  let slotCount: Int
  /// The values that have a name in the graph itself.
  package let names: NameTable<Int>
  /// After each step: the values that nothing reads any more.
  let released: [[Int]]
  /// For each value: whether a step makes it.
  let isMade: [Bool]

  init(
    inputs: [Input], outputs: [Output], steps: [Step], constants: [Int: Value],
    captures: [(outer: Int, inner: Int)], slotCount: Int, names: NameTable<Int>
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.steps = steps
    self.constants = constants
    self.captures = captures
    self.slotCount = slotCount
    self.names = names
    var isMade = [Bool](repeating: false, count: slotCount)
    for step in steps { for case .some(let slot) in step.outputs { isMade[slot] = true } }
    self.isMade = isMade
    var last = [Int](repeating: -1, count: slotCount)
    for (index, step) in steps.enumerated() {
      for slot in step.reads { last[slot] = index }
      for case .some(let slot) in step.outputs where last[slot] < 0 { last[slot] = index }
    }
    for output in outputs { last[output.slot] = -1 }
    for slot in constants.keys { last[slot] = -1 }
    var released = [[Int]](repeating: [], count: steps.count)
    for (slot, index) in last.enumerated() where index >= 0 { released[index].append(slot) }
    self.released = released
  }
}

/// One operator at its place in a program.
package struct Step: Sendable {
  package let name: String
  /// The operator, with its domain where that is not ONNX's own.
  package let type: String
  package let version: Int
  let attributes: [Attribute]
  let inputs: [Int?]
  package let outputs: [Int?]
  /// nil: not implemented; `defect` says why.
  let implementation: Operator?
  package let defect: ONNXError?

  /// Every value that it reads, its subprograms' too.
  var reads: [Int] {
    inputs.compactMap(\.self)
      + attributes.flatMap { attribute in
        if case .program(let program) = attribute.value { program.captures.map(\.outer) } else { [Int]() }
      }
  }

  /// The programs within it.
  package var programs: [Program] {
    attributes.compactMap { if case .program(let program) = $0.value { program } else { nil } }
  }
}

/// An attribute of a step.
struct Attribute: Sendable {
  let name: String
  let value: Value

  enum Value: Sendable {
    case float(Float)
    case int(Int64)
    case string(String)
    case tensor(Tensor)
    case program(Program)
    case type(TypeMessage)
    case floats([Float])
    case ints([Int64])
    case strings([String])
    case tensors([Tensor])
  }
}
