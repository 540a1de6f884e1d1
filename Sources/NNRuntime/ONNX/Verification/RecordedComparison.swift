import FileFormats

/// A model's values beside recorded ones of the same names, node by node.
///
/// Cumulative: nodes read what the model made, as in use. Isolated: nodes read what was recorded, so that the faulty
/// one is named.
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
    /// The difference; nil if there is none.
    package let message: String?
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

  /// The first value, in the order of the nodes, that is not as recorded.
  package var firstDivergence: Layer? { layers.first { $0.message != nil } }

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
    var inputs = NameTable<Value>()
    for input in model.inputs {
      guard recorded.contains(input.name) else {
        throw ONNXError.input("the reference lacks the input \"\(printableName(input.name))\"")
      }
      inputs[input.name] = .tensor(try read(input.name))
    }
    var places: [Int: String] = [:]
    for (name, slot) in model.program.names where recorded.contains(name) { places[slot] = name }
    let outputs = NameSet(model.outputs.map(\.name))
    var (found, compared) = ([Layer](), NameSet(model.inputs.map(\.name)))
    let replacing = { (step: Step, made: [Value?]) throws -> [Value?] in
      var (result, isSettled) = (made, false)
      for (index, slot) in step.outputs.enumerated() where index < made.count {
        guard let slot, let name = places[slot], let value = made[index] else { continue }
        let expected = try read(name)
        compared.insert(name)
        var layer = Self.layer(
          value, expected, name, step, isOutput: outputs.contains(name), tolerance(name))
        // Scores nearer than rounding change places: where the scores agree, either order is right, and both networks
        // continue with one.
        if step.type == "TopK", index == 1, mode == .cumulative, isSettled, layer.message != nil {
          layer = Layer(
            name: name, node: step.name, type: step.type, isOutput: layer.isOutput, difference: 0,
            scale: layer.scale, message: nil)
          result[1] = .tensor(expected)
        }
        if index == 0 { isSettled = layer.message == nil }
        if mode == .isolated { result[index] = .tensor(expected) }
        found.append(layer)
      }
      return result
    }
    _ = try model.run(inputs, replacing: replacing)
    layers = found
    leftOut = names.filter { !compared.contains($0) }
    missingOutputs = model.outputs.map(\.name).filter { !recorded.contains($0) }
  }

  private static func layer(
    _ value: Value, _ expected: Tensor, _ name: String, _ step: Step, isOutput: Bool,
    _ stated: (absolute: Double, relative: Double)?
  ) -> Layer {
    func made(_ difference: Double, _ scale: Double, _ message: String?) -> Layer {
      Layer(
        name: name, node: step.name, type: step.type, isOutput: isOutput, difference: difference,
        scale: scale, message: message)
    }
    guard case .tensor(let actual) = value else { return made(.infinity, 0, "is not a tensor") }
    guard actual.shape == expected.shape else {
      return made(
        .infinity, 0, "shape \(Shape.text(actual.shape)) instead of \(Shape.text(expected.shape))")
    }
    if expected.type == .string || actual.type == .string {
      let isSame =
        actual.type == expected.type && actual.array(of: String.self) == expected.array(of: String.self)
      return made(0, 0, isSame ? nil : "texts differ")
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
    let isHalf = [actual.type, expected.type].contains { $0.isHalf }
    var (absolute, relative) =
      actual.type.isFloat ? (Self.absolute, isHalf ? relativeOfHalves : Self.relative) : (0, 0)
    // A quotient that lies between two integers is rounded to either.
    if step.type == "QuantizeLinear" || step.type.hasPrefix("QLinear") { absolute = 1 }
    if let stated { (absolute, relative) = stated }
    let isEqual = largest <= absolute + relative * scale
    return made(largest, scale, isEqual ? nil : "off by \(Float(largest)), its largest is \(Float(scale))")
  }
}
