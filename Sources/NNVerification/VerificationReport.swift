import FileFormats
import NNRuntime

/// The outcome of a verification.
public struct VerificationReport: Sendable {
  /// A layer that was compared.
  public struct Layer: Sendable {
    /// The name of the result.
    public let name: String
    /// The layers joined into it.
    public let holds: [String]
    /// Layers just before it that the reference says nothing about: their errors show here.
    public let unobserved: [String]
    /// Layers just before it that the reference has, but that were joined to others of which it says nothing: their
    /// errors show here too.
    public let inside: [String]
    /// The field's name of the operation.
    public let operation: String
    /// The shape of the result.
    public let shape: [Int]
    /// How far it is from the reference.
    public let difference: TensorDifference
    /// What it was allowed.
    public let tolerance: LayerTolerance

    /// Whether it is within its tolerance.
    public var passed: Bool { tolerance.accepts(difference) }
  }

  /// What layers were fed.
  public let mode: LayerVerifier.Mode
  /// What the network is called, and whose kernels ran.
  public let network, kernels: String
  /// The layers compared, in running order.
  public private(set) var layers: [Layer] = []
  /// Layers after the last one compared.
  public internal(set) var unobserved: [String] = []
  /// Names in the reference that no layer's result has: containers, or parts joined by the engine.
  public private(set) var leftOut: [String] = []

  init(mode: LayerVerifier.Mode, network: String, kernels: String) {
    self.mode = mode
    self.network = network
    self.kernels = kernels
  }

  mutating func add(
    _ layer: TracedLayer, after pending: [String], isKnown: (String) -> Bool, _ difference: TensorDifference,
    _ tolerance: LayerTolerance
  ) {
    layers.append(
      Layer(
        name: layer.name, holds: layer.holds, unobserved: pending.filter { !isKnown($0) },
        inside: pending.filter(isKnown), operation: layer.operation, shape: layer.tensorShape,
        difference: difference, tolerance: tolerance))
  }

  mutating func add(_ layer: Layer) { layers.append(layer) }

  func leavingOut(_ names: [String]) -> VerificationReport {
    var report = self
    report.leftOut = names
    return report
  }

  /// Whether every layer is within its tolerance.
  public var passed: Bool { layers.allSatisfy(\.passed) }
  /// The first layer that is not.
  public var firstDiverging: Layer? { layers.first { !$0.passed } }

  /// One line for people: all is well, or which layer diverges first.
  public var summary: String {
    guard let layer = firstDiverging else {
      let worst = layers.max { $0.difference.relativeL2 < $1.difference.relativeL2 }
      return "\(mode.rawValue): all \(layers.count) layers within tolerance"
        + (worst.map { "; worst relative L2 \(scientific($0.difference.relativeL2)) at \($0.name)" } ?? "")
    }
    let difference = layer.difference
    var text =
      "\(mode.rawValue): first diverging layer \(layer.name): relative L2 \(scientific(difference.relativeL2)), "
      + "max abs \(scientific(difference.maximumAbsolute)) at \(difference.location) "
      + "(found \(scientific(difference.found)), expected \(scientific(difference.expected)))"
    if layer.holds.count > 1 { text += "; it holds \(layer.holds.joined(separator: ", "))" }
    if !layer.inside.isEmpty {
      text +=
        "; or it is just before it, in what was joined and so not compared: "
        + layer.inside.joined(separator: ", ")
    }
    if !layer.unobserved.isEmpty {
      text += "; not in the reference, just before it: \(layer.unobserved.joined(separator: ", "))"
    }
    return text
  }

  /// The report as a part of a document.
  package var json: JSONValue {
    [
      "mode": .string(mode.rawValue), "network": .string(network), "kernels": .string(kernels),
      "passed": .bool(passed),
      "firstDiverging": firstDiverging.map { .string($0.name) } ?? .null,
      "layers": .array(layers.map(\.json)), "unobserved": .array(unobserved.map(JSONValue.string)),
      "leftOut": .array(leftOut.map(JSONValue.string)),
    ]
  }
}

extension VerificationReport.Layer {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "holds": .array(holds.map(JSONValue.string)),
      "unobserved": .array(unobserved.map(JSONValue.string)),
      "inside": .array(inside.map(JSONValue.string)), "operation": .string(operation),
      "shape": .array(shape.map(JSONValue.integer)), "passed": .bool(passed),
      "maxAbs": figure(difference.maximumAbsolute),
      "location": .array(difference.location.map(JSONValue.integer)),
      "found": figure(difference.found), "expected": figure(difference.expected),
      "relativeL2": figure(difference.relativeL2), "cosine": figure(difference.cosine),
      "quantile999": figure(difference.quantile999),
      "tolerance": [
        "absolute": figure(tolerance.absolute), "relative": figure(tolerance.relative),
        "relativeL2": figure(tolerance.relativeL2),
      ],
    ]
  }

  /// JSON has no infinity and no NaN: a text in their place.
  private func figure(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string(scientific(value))
  }
}

/// Three significant figures: `1.23e-05`.
public func scientific(_ value: Double) -> String {
  // Swift's own text of a NaN holds its bits.
  if value.isNaN { return "nan" }
  guard value.isFinite, value != 0 else { return value == 0 ? "0" : "\(value)" }
  var (mantissa, exponent) = (abs(value), 0)
  while mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
  while mantissa < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
  var hundredths = Int((mantissa * 100).rounded())
  if hundredths == 1000 { (hundredths, exponent) = (100, exponent + 1) }
  let digits = String(hundredths)
  let power = String(abs(exponent))
  return (value < 0 ? "-" : "") + "\(digits.prefix(1)).\(digits.suffix(2))e\(exponent < 0 ? "-" : "+")"
    + (power.count < 2 ? "0" + power : power)
}
