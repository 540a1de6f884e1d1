import FileFormats

/// A model's values beside recorded ones of the same names, node by node.
///
/// Cumulative: nodes read what the model made, as in use. Isolated: nodes read what was recorded, so that the faulty
/// one is named. What `TopK` and `NonMaxSuppression` choose is compared as a set, and both continue in one order.
package struct RecordedComparison {
  /// Source of the values that nodes read.
  package enum Mode: String, Sendable, CaseIterable { case cumulative, isolated }

  /// One value that was compared.
  package struct Layer: Sendable {
    /// The value's name.
    package let name: String
    /// The node that makes it, and its operator.
    package let node: String
    package let type: String
    package let isOutput: Bool
    /// The largest difference, and the largest magnitude of the recorded values.
    package let difference: Double
    package let scale: Double
    /// The largest difference that is within the tolerance; half a step of integers, which differ by whole ones.
    package let bound: Double
    /// The difference; nil if there is none.
    package let message: String?
    /// How far the model is from itself where its values are disturbed, as `difference`; zero where nothing asked for it.
    package fileprivate(set) var sensitivity = 0.0
    package fileprivate(set) var verdict: LayerVerdict
  }

  /// Tolerance of a value of single or double precision, relative to its largest magnitude.
  package static let relative = 1e-4
  /// Tolerance of a value of half precision: a few units in the last place of the largest.
  package static let relativeOfHalves = 1e-2
  /// Tolerance of values that are smaller than this everywhere.
  package static let absolute = 1e-6

  package private(set) var layers: [Layer] = []
  /// Recorded values that nothing was compared with.
  package private(set) var leftOut: [String] = []
  /// Outputs of the model that were not recorded.
  package private(set) var missingOutputs: [String] = []

  /// The model's own values that are beyond their tolerance, by name.
  private var made = NameTable<Tensor>()

  /// The first value, in the order of the nodes, that is not as recorded.
  package var firstDivergence: Layer? { layers.first { $0.verdict == .differs } }

  /// Runs a model on recorded inputs.
  ///
  /// - `model`: with every node kept.
  /// - `names`: of what was recorded.
  /// - `tolerance`: absolute and relative, of a value's name; nil: what this type states.
  /// - `read`: one recorded value.
  package init(
    _ model: ONNXModel, mode: Mode, names: [String],
    tolerance: @escaping (String) -> (absolute: Double, relative: Double)? = { _ in nil },
    read: @escaping (String) throws -> Tensor
  ) throws {
    let recorded = NameSet(names)
    let inputs = try Self.inputs(of: model, recorded, read)
    let places = Self.places(model, recorded)
    let outputs = NameSet(model.outputs.map(\.name))
    var (found, compared) = ([Layer](), NameSet(model.program.inputs.map(\.name)))
    // Values of half precision, and what single precision holds of them.
    var halves: Set<Int> = []
    var beyond = NameTable<Tensor>()
    let replacing = { (step: Step, own: [Value?]) throws -> [Value?] in
      let made =
        try ChosenRows.ordered(step, own) { index in
          try step.outputs[index].flatMap { places[$0] }.map(read)
        } ?? own
      var (result, isSettled) = (made, false)
      let isOfHalf = step.type == "Cast" && step.reads.contains(where: halves.contains)
      for case (let slot?, .tensor(let tensor)?) in zip(step.outputs, made)
      where tensor.type.isHalf || isOfHalf && tensor.type.isFloat {
        halves.insert(slot)
      }
      for (index, slot) in step.outputs.enumerated() where index < made.count {
        guard let slot, let name = places[slot], let value = made[index] else { continue }
        let expected = try read(name)
        compared.insert(name)
        var layer = Self.layer(
          value, expected, name, step, isOutput: outputs.contains(name), isHalf: halves.contains(slot),
          tolerance(name))
        // Scores nearer than rounding change places: where the scores agree, either order is right, and both networks
        // continue with one.
        if step.type == "TopK", index == 1, mode == .cumulative, isSettled, layer.message != nil {
          layer = Layer(
            name: name, node: step.name, type: step.type, isOutput: layer.isOutput, difference: 0,
            scale: layer.scale, bound: layer.bound, message: nil, verdict: .equal)
          result[1] = .tensor(expected)
        }
        if index == 0 { isSettled = layer.message == nil }
        // With another shape it is of another network, and no later node could read it.
        if mode == .isolated, value.hasShape(of: expected) {
          result[index] = .tensor(expected)
        }
        if mode == .cumulative, layer.message != nil, case .tensor(let own) = value { beyond[name] = own }
        found.append(layer)
      }
      return result
    }
    _ = try model.run(inputs, replacing: replacing)
    (layers, self.made) = (found, beyond)
    leftOut = names.filter { !compared.contains($0) }
    missingOutputs = model.outputs.map(\.name).filter { !recorded.contains($0) }
  }

  /// The recorded inputs.
  private static func inputs(
    of model: ONNXModel, _ recorded: NameSet, _ read: (String) throws -> Tensor
  ) throws -> NameTable<Value> {
    var inputs = NameTable<Value>()
    for input in model.program.inputs {
      guard recorded.contains(input.name) else {
        if input.hasDefault { continue }
        throw ONNXError.input("the reference lacks the input \"\(printableName(input.name))\"")
      }
      inputs[input.name] = .tensor(try read(input.name))
    }
    return inputs
  }

  /// The names of recorded values by their numbers.
  private static func places(_ model: ONNXModel, _ recorded: NameSet) -> [Int: String] {
    var places: [Int: String] = [:]
    for (name, slot) in model.program.names where recorded.contains(name) { places[slot] = name }
    return places
  }

  private static func layer(
    _ value: Value, _ expected: Tensor, _ name: String, _ step: Step, isOutput: Bool, isHalf: Bool,
    _ stated: (absolute: Double, relative: Double)?
  ) -> Layer {
    func made(_ difference: Double, _ scale: Double, bound: Double = 0.5, _ message: String?) -> Layer {
      Layer(
        name: name, node: step.name, type: step.type, isOutput: isOutput, difference: difference,
        scale: scale, bound: bound, message: message, verdict: message == nil ? .equal : .differs)
    }
    guard case .tensor(let actual) = value else { return made(.infinity, 0, "is not a tensor") }
    guard actual.shape == expected.shape else {
      return made(
        .infinity, 0, "shape \(Shape.text(actual.shape)) instead of \(Shape.text(expected.shape))")
    }
    if expected.type == .string || actual.type == .string {
      let isSame =
        actual.type == expected.type && actual.array(of: String.self) == expected.array(of: String.self)
      return made(isSame ? 0 : .infinity, 0, isSame ? nil : "texts differ")
    }
    // NumPy has no bfloat16: recordings hold it as single precision.
    guard actual.type == expected.type || actual.type.isFloat && expected.type.isFloat else {
      return made(.infinity, 0, "type \(actual.type) instead of \(expected.type)")
    }
    let (a, e) = (actual.doubles(), expected.doubles())
    var (largest, scale) = (0.0, 0.0)
    for (a, e) in zip(a, e) where !(a == e || a.isNaN && e.isNaN) {
      let gap = abs(a - e)
      largest = max(largest, gap.isFinite ? gap : .infinity)
    }
    for value in e where value.isFinite { scale = max(scale, abs(value)) }
    let isHalf = isHalf || expected.type.isHalf
    var (absolute, relative) =
      actual.type.isFloat ? (Self.absolute, isHalf ? relativeOfHalves : Self.relative) : (0, 0)
    // A quotient that lies between two integers is rounded to either.
    if step.type == "QuantizeLinear" || step.type.hasPrefix("QLinear") { absolute = 1 }
    if let stated { (absolute, relative) = stated }
    let bound = absolute + relative * scale
    return made(
      largest, scale, bound: bound > 0 ? bound : 0.5,
      largest <= bound ? nil : "off by \(Float(largest)), its largest is \(Float(scale))")
  }
}

extension RecordedComparison {
  /// Judges what is beyond its tolerance after all nodes before it.
  ///
  /// The model is run twice more, each value disturbed as `Disturbance` says, and compared with what it made.
  ///
  /// - `isolated`: the comparison of each node by itself, with the same tolerances.
  /// - `names`, `read`: as they were given to this comparison.
  package mutating func judge(
    _ model: ONNXModel, isolated: RecordedComparison, names: [String],
    read: (String) throws -> Tensor
  ) throws {
    guard !made.isEmpty else { return }
    let recorded = NameSet(names)
    let (inputs, places) = (try Self.inputs(of: model, recorded, read), Self.places(model, recorded))
    let alone = NameTable(isolated.layers.map { ($0.name, $0) })
    var sensitivities = NameTable<Double>()
    let kept = made
    for seed in 1...2 {
      var disturbance = Disturbance(seed: UInt64(seed))
      // Of what does not depend on the inputs' elements, such as a map's scale, the slightest error is another shape.
      var computed = Set(model.program.inputSlots)
      let replacing = { (step: Step, made: [Value?]) throws -> [Value?] in
        guard !["Shape", "Size"].contains(step.type), step.reads.contains(where: computed.contains) else {
          return made
        }
        computed.formUnion(step.outputs.compactMap(\.self))
        var result = made
        for (index, slot) in step.outputs.enumerated() where index < made.count {
          guard let slot, let name = places[slot], case .tensor(let tensor)? = made[index] else { continue }
          let disturbed = disturbance.applied(to: tensor, alone[name]?.disturbance ?? Disturbance.rounding)
          if let own = kept[name] {
            sensitivities[name] = max(sensitivities[name] ?? 0, Self.distance(disturbed, own))
          }
          result[index] = .tensor(disturbed)
        }
        return result
      }
      _ = try model.run(inputs, replacing: replacing)
    }
    for index in layers.indices where layers[index].message != nil {
      let layer = layers[index]
      let sensitivity = sensitivities[layer.name] ?? 0
      layers[index].sensitivity = sensitivity
      layers[index].verdict = LayerVerdict(
        Float(layer.difference / layer.bound),
        isolated: alone[layer.name].map { Float($0.difference / $0.bound) },
        sensitivity: Float(sensitivity / layer.bound), tolerance: 1)
    }
    made = NameTable()
  }

  /// The largest difference of two tensors; infinite where they are of other shapes or one alone is not a number.
  private static func distance(_ a: Tensor, _ b: Tensor) -> Double {
    // Nothing that is disturbed makes other texts.
    guard a.type != .string, b.type != .string else { return 0 }
    guard a.shape == b.shape else { return .infinity }
    var largest = 0.0
    for (a, b) in zip(a.doubles(), b.doubles()) where !(a == b || a.isNaN && b.isNaN) {
      let gap = abs(a - b)
      largest = max(largest, gap.isFinite ? gap : .infinity)
    }
    return largest
  }
}

extension RecordedComparison.Layer {
  /// The size of errors that are added to its value, as a share of its largest element: what is beyond the tolerance
  /// excuses nothing after it.
  fileprivate var disturbance: Float {
    guard scale > 0 else { return Disturbance.ofIsolated * Disturbance.rounding }
    let share = Float(min(difference, bound) / scale)
    return Disturbance.ofIsolated * max(share, Disturbance.rounding)
  }
}

extension Value {
  /// Whether it is a tensor of the same shape.
  fileprivate func hasShape(of other: Tensor) -> Bool {
    if case .tensor(let tensor) = self { tensor.shape == other.shape } else { false }
  }
}
