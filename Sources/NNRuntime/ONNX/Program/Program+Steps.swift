import FileFormats

// A program as its planner reads it: values by number, steps and their attributes.

extension Program {
  /// Values that are known before anything runs, by number.
  package var knownValues: [Int: Value] { constants }
  /// The number of values.
  package var valueCount: Int { slotCount }
  /// The numbers of the inputs and outputs, in order.
  package var inputSlots: [Int] { inputs.map(\.slot) }
  package var outputSlots: [Int] { outputs.map(\.slot) }
}

extension Step {
  /// The numbers of the values that it takes and makes; nil where one is left out.
  package var inputSlots: [Int?] { inputs }
  package var outputSlots: [Int?] { outputs }
  /// Every value that it reads, its subprograms' too.
  package var readSlots: [Int] { reads }
  /// Whether equal inputs give equal outputs, and nothing around it is read.
  package var isPure: Bool { implementation?.isPure == true && programs.isEmpty }
  /// The names of its attributes.
  package var attributeNames: [String] { attributes.map(\.name) }

  /// Computes what it makes of `slots`, which hold what it reads.
  package func evaluate(_ slots: [Value?]) throws -> [Value?] { try run(slots, within: RunBudget()) }

  /// Attributes of one type; nil where there is none of that name and type.
  package func int(_ name: String) -> Int? {
    if case .int(let value)? = attribute(name) { Int(value) } else { nil }
  }
  package func ints(_ name: String) -> [Int]? {
    if case .ints(let values)? = attribute(name) { values.map { Int($0) } } else { nil }
  }
  package func float(_ name: String) -> Float? {
    if case .float(let value)? = attribute(name) { value } else { nil }
  }
  package func string(_ name: String) -> String? {
    if case .string(let value)? = attribute(name) { value } else { nil }
  }
  private func attribute(_ name: String) -> Attribute.Value? { attributes.first { $0.name == name }?.value }

  /// The windows that it moves over an input of these sizes, batch and channels left away.
  package func windows(over input: [Int], kernel: [Int]) throws -> StepWindows {
    let found = try Windows(
      Call(self, inputs: [], slots: [], budget: RunBudget()), input: input, kernel: kernel)
    return StepWindows(
      kernel: kernel, strides: found.strides, dilations: found.dilations, before: found.before,
      after: found.after, output: found.output)
  }
}

/// The windows of a convolution or a pooling, axis by axis.
package struct StepWindows: Sendable {
  package let kernel, strides, dilations: [Int]
  /// Padding before and after the input; windows may reach further where they are rounded up.
  package let before, after: [Int]
  package let output: [Int]
}

extension Tensor {
  /// A tensor of zeros, false or empty texts.
  package static func blank(_ type: ElementType, _ shape: [Int]) -> Tensor {
    let count = shape.reduce(1, *)
    if type == .string { return Tensor(shape, [String](repeating: "", count: count)) }
    return Tensor(type, shape, doubles: [Double](repeating: 0, count: count))
  }

  /// The same elements in another shape of as many.
  package func with(shape: [Int]) -> Tensor { reshaped(shape) }
  /// Single precision rounded to a type of half precision; others as they are.
  package func converted(to type: ElementType) -> Tensor {
    type.isHalf && self.type == .float ? rounded(to: type) : self
  }
}

extension ONNXModel {
  /// Whether values, by the names of inputs, are of the types and shapes that the model declares.
  package func check(_ values: NameTable<Value>) throws {
    if let defect { throw defect }
    if let other = values.keys.first(where: { name in
      !program.inputs.contains { $0.name.isSameName(as: name) }
    }) {
      throw ONNXError.input("the model has no input \"\(printableName(other))\"")
    }
    for input in program.inputs {
      if let value = values[input.name] { try input.check(value) }
    }
  }
}
