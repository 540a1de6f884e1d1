import FileFormats

/// One evaluation of an operator: its inputs and attributes.
struct Call {
  private let step: Step
  let inputs: [Value?]
  private let slots: [Value?]
  private let budget: RunBudget

  init(_ step: Step, inputs: [Value?], slots: [Value?], budget: RunBudget) {
    self.budget = budget
    self.step = step
    self.inputs = inputs
    self.slots = slots
  }

  var version: Int { step.version }
  var outputCount: Int { step.outputs.count }
  /// Whether an output is read.
  func wants(_ output: Int) -> Bool { step.outputs.indices.contains(output) && step.outputs[output] != nil }

  /// The half-precision type of the first input that is of one.
  var halfType: ElementType? {
    for case .tensor(let tensor) in inputs where tensor.type.isHalf { return tensor.type }
    return nil
  }

  /// Whether an input is a tensor of texts.
  var hasTexts: Bool {
    inputs.contains { if case .tensor(let tensor) = $0 { tensor.type == .string } else { false } }
  }

  func widened() -> Call {
    Call(
      step,
      inputs: inputs.map { value in
        if case .tensor(let tensor) = value { .tensor(tensor.widened()) } else { value }
      }, slots: slots, budget: budget)
  }

  // Inputs

  func value(_ index: Int) throws -> Value {
    guard inputs.indices.contains(index), let value = inputs[index] else {
      throw ONNXError.malformed("input \(index) is missing")
    }
    return value
  }

  func tensor(_ index: Int) throws -> Tensor { try value(index).tensor("input \(index)") }

  func optional(_ index: Int) throws -> Tensor? {
    guard inputs.indices.contains(index), let value = inputs[index] else { return nil }
    if case .optional(nil) = value { return nil }
    return try value.tensor("input \(index)")
  }

  /// All inputs, which must be tensors.
  func tensors() throws -> [Tensor] { try inputs.indices.map { try tensor($0) } }

  /// Far beyond every size and position of a tensor (`Tensor.mostElements`), and near enough that the product of two such
  /// numbers fits 64 bits.
  private static let farthest = 1 << 30

  /// A size, a position or a count of a file, which may be any number of 64 bits: beyond `farthest` all mean the same.
  private static func bounded(_ number: Int) -> Int { min(max(number, -farthest), farthest) }

  /// A list of sizes or positions, bounded; nil where it is missing.
  func integers(_ index: Int) throws -> [Int]? { try exactIntegers(index)?.map(Self.bounded) }

  /// A list of whole numbers of 64 bits, which are not sizes; nil where it is missing.
  func exactIntegers(_ index: Int) throws -> [Int]? {
    guard let tensor = try optional(index) else { return nil }
    guard tensor.type.isInteger else {
      throw ONNXError.malformed("input \(index) must be a list of whole numbers")
    }
    return tensor.integers()
  }

  /// Integers of a parameter that is an input in newer versions and an attribute in older ones.
  func integers(_ name: String, orInput index: Int) throws -> [Int]? {
    try ints(name) ?? integers(index)
  }

  /// A single number.
  func scalar(_ index: Int) throws -> Double? {
    guard let tensor = try optional(index) else { return nil }
    guard tensor.count == 1, let value = tensor.doubles().first else {
      throw ONNXError.malformed("input \(index) is not a single number")
    }
    return value
  }

  // Attributes

  func attribute(_ name: String) -> Attribute.Value? { step.attributes.first { $0.name == name }?.value }

  /// A size, a position or a count, bounded.
  func int(_ name: String) throws -> Int? { try exactInt(name).map(Self.bounded) }

  /// A whole number of 64 bits, which is not a size.
  func exactInt(_ name: String) throws -> Int? {
    switch attribute(name) {
    case nil: return nil
    case .int(let value): return Int(value)
    default: throw wrongType(name)
    }
  }
  func int(_ name: String, default value: Int) throws -> Int { try int(name) ?? value }
  func flag(_ name: String, default value: Bool = false) throws -> Bool {
    try int(name).map { $0 != 0 } ?? value
  }

  func float(_ name: String) throws -> Double? {
    switch attribute(name) {
    case nil: return nil
    case .float(let value): return Double(value)
    default: throw wrongType(name)
    }
  }
  func float(_ name: String, default value: Double) throws -> Double { try float(name) ?? value }

  func string(_ name: String, default value: String) throws -> String {
    switch attribute(name) {
    case nil: return value
    case .string(let text): return text
    default: throw wrongType(name)
    }
  }

  /// One of several words; another is not supported.
  func choice(_ name: String, _ choices: [String]) throws -> String {
    let found = try string(name, default: choices[0])
    guard choices.contains(found) else {
      throw ONNXError.unsupported(
        "attribute \"\(name)\" is \"\(found)\"; known are \(choices.joined(separator: ", "))")
    }
    return found
  }

  /// A list of sizes or positions, bounded.
  func ints(_ name: String) throws -> [Int]? { try exactInts(name)?.map(Self.bounded) }

  /// A list of whole numbers of 64 bits, which are not sizes.
  func exactInts(_ name: String) throws -> [Int]? {
    switch attribute(name) {
    case nil: return nil
    case .ints(let values): return values.map { Int($0) }
    case .int(let value): return [Int(value)]
    default: throw wrongType(name)
    }
  }

  func floats(_ name: String) throws -> [Double]? {
    switch attribute(name) {
    case nil: return nil
    case .floats(let values): return values.map { Double($0) }
    default: throw wrongType(name)
    }
  }

  func strings(_ name: String) throws -> [String]? {
    switch attribute(name) {
    case nil: return nil
    case .strings(let values): return values
    default: throw wrongType(name)
    }
  }

  func tensorAttribute(_ name: String) throws -> Tensor? {
    switch attribute(name) {
    case nil: return nil
    case .tensor(let tensor): return tensor
    default: throw wrongType(name)
    }
  }

  func elementType(_ name: String) throws -> ElementType? {
    try exactInt(name).map { try ElementType(number: $0) }
  }

  /// The type of numbers that an attribute names, else `blank`, which may be an input's.
  func numericType(_ name: String, default blank: ElementType) throws -> ElementType {
    let type = try elementType(name) ?? blank
    guard type != .string else { throw unsupported(type) }
    return type
  }

  private func wrongType(_ name: String) -> ONNXError {
    .malformed("attribute \"\(name)\" is of another type than the operator's")
  }

  // Subprograms

  func program(_ name: String) throws -> Program {
    guard case .program(let program) = attribute(name) else {
      throw ONNXError.malformed("the graph \"\(name)\" is missing")
    }
    return program
  }

  /// Runs a subprogram, which sees the values around the node.
  func run(_ program: Program, _ values: [Value]) throws -> [Value] {
    guard program.inputs.count == values.count else {
      throw ONNXError.malformed(
        "a graph of \(counted(program.inputs.count, "input")) is given \(values.count)")
    }
    return try program.run(values, captured: program.captures.map { slots[$0.outer] }, within: budget)
  }
}

/// An element type that an operator is not implemented for.
func unsupported(_ type: ElementType) -> ONNXError { .unsupported("elements of type \(type)") }
