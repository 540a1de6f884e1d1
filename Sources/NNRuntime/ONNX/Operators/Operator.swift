import FileFormats

/// One operator: its name, what it takes, and what it computes.
struct Operator: Sendable {
  /// How half precision is computed with.
  enum Halves {
    /// In single precision, rounded in the end.
    case widened
    /// As what it is: elements are only moved, or the operator rounds by itself.
    case kept
  }

  let name: String
  let domain: String
  /// The versions of the domain in which it means what `evaluate` does.
  let versions: ClosedRange<Int>
  let attributes: [String]
  let inputs: ClosedRange<Int>
  let outputs: ClosedRange<Int>
  let halves: Halves
  /// Whether equal inputs give equal outputs.
  let isPure: Bool
  /// As `Operators.sharedTypes` has them; none of most operators.
  private let sharedTypes: [[Int]]
  let evaluate: @Sendable (Call) throws -> [Value?]

  init(
    _ name: String, domain: String = "", versions: ClosedRange<Int> = 1...Operators.newestVersion,
    _ attributes: [String] = [], inputs: ClosedRange<Int>, outputs: ClosedRange<Int> = 1...1,
    halves: Halves = .widened, isPure: Bool = true,
    values evaluate: @escaping @Sendable (Call) throws -> [Value?]
  ) {
    self.name = name
    self.domain = domain
    self.versions = versions
    self.attributes = attributes
    self.inputs = inputs
    self.outputs = outputs
    self.halves = halves
    self.isPure = isPure
    sharedTypes = Operators.sharedTypes[name] ?? []
    self.evaluate = evaluate
  }

  /// An operator with one tensor as its result.
  init(
    _ name: String, domain: String = "", versions: ClosedRange<Int> = 1...Operators.newestVersion,
    _ attributes: [String] = [], inputs: ClosedRange<Int>, halves: Halves = .widened,
    evaluate: @escaping @Sendable (Call) throws -> Tensor
  ) {
    self.init(name, domain: domain, versions: versions, attributes, inputs: inputs, halves: halves) {
      [.tensor(try evaluate($0))]
    }
  }

  /// An operator with several tensors as its results.
  init(
    _ name: String, domain: String = "", versions: ClosedRange<Int> = 1...Operators.newestVersion,
    _ attributes: [String] = [], inputs: ClosedRange<Int>, outputs: ClosedRange<Int>,
    halves: Halves = .widened,
    tensors evaluate: @escaping @Sendable (Call) throws -> [Tensor?]
  ) {
    self.init(
      name, domain: domain, versions: versions, attributes, inputs: inputs, outputs: outputs, halves: halves
    ) { try evaluate($0).map { $0.map(Value.tensor) } }
  }

  func checkCounts(inputs given: [Int?], outputs made: Int) throws {
    guard given.count <= inputs.upperBound, made <= outputs.upperBound,
      given.count >= inputs.lowerBound, given.prefix(inputs.lowerBound).allSatisfy({ $0 != nil })
    else {
      throw ONNXError.malformed(
        "\(counted(given.count, "input")) and \(counted(made, "output")), which \(name) does not have")
    }
  }

  /// Computes; half precision by way of single precision where the operator wants it so.
  func run(_ call: Call) throws -> [Value?] {
    if call.hasTexts, !Operators.takingTexts.contains(name) { throw unsupported(.string) }
    for positions in sharedTypes { try call.checkOneType(of: positions) }
    guard halves == .widened, let half = call.halfType else { return try evaluate(call) }
    return try evaluate(call.widened()).map { value in
      guard case .tensor(let tensor) = value, tensor.type == .float else { return value }
      return .tensor(tensor.rounded(to: half))
    }
  }
}
