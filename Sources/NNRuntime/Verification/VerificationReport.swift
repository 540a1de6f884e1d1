import FileFormats
import NNRuntime

/// The outcome of a verification.
public struct VerificationReport: Sendable {
  /// A layer that was compared.
  public struct Layer: Sendable {
    /// The name of the result: its layer's, or, where the reference has it a second time as an output, the output's.
    public let name: String
    /// The tensor of the reference that it was compared with.
    public let tensor: String
    /// The layers joined into it.
    public let holds: [String]
    /// The field's names of the operations in `holds`, one each; empty where they are not known.
    public let kinds: [String]
    /// Layers just before it that the reference lacks: their errors show here.
    public let unobserved: [String]
    /// Earlier layers fused into ones the reference lacks: their errors show here too.
    public let inside: [String]
    /// The field's name of the operation.
    public let operation: String
    /// The shape of the result.
    public let shape: [Int]
    /// How far it is from the reference.
    public let difference: TensorDifference
    /// The tolerance.
    public let tolerance: LayerTolerance

    /// Whether it is within its tolerance.
    public var passed: Bool { tolerance.accepts(difference) }

    /// The layers joined into it, each with its operation: `model.0.conv (conv), model.0.bn (affine), model.0 (silu)`.
    package var contents: String {
      guard kinds.count == holds.count else { return holds.joined(separator: ", ") }
      return zip(holds, kinds).map { "\($0) (\($1))" }.joined(separator: ", ")
    }
  }

  /// A tensor of the reference that nothing was compared with.
  public struct LeftOut: Sendable, Equatable {
    /// Kind of tensor.
    public enum Kind: String, Sendable {
      /// A part of a joined layer, whose result is compared at the end of the joined one.
      case joined
      /// A module without a result of its own here: a container, or a branch that is not run.
      case module
      /// An output.
      case output
    }

    /// Its name in the reference.
    public let name: String
    /// Its kind.
    public let kind: Kind
    /// Why nothing was compared with it.
    public let reason: String
  }

  /// Source of the layers' inputs.
  public let mode: LayerVerifier.Mode
  /// Names of the network and of the kernels that ran.
  public let network, kernels: String
  /// The layers compared, in running order.
  public private(set) var layers: [Layer] = []
  /// Decoded outputs, compared part by part.
  public private(set) var outputs: [ComparedOutput] = []
  /// The objects, compared; of an end-to-end network also those of an export.
  public private(set) var objects: [ComparedObjects] = []
  /// Layers after the last one compared.
  public internal(set) var unobserved: [String] = []
  /// Tensors of the reference that nothing was compared with.
  public private(set) var leftOut: [LeftOut] = []
  /// Final outputs that the reference says nothing about.
  public private(set) var absent: [String] = []
  /// Whether outputs that were not compared are let pass.
  public private(set) var layersOnly = false

  init(mode: LayerVerifier.Mode, network: String, kernels: String) {
    self.mode = mode
    self.network = network
    self.kernels = kernels
  }

  mutating func add(
    _ layer: TracedLayer, as name: String, with tensor: String, after pending: [String],
    isKnown: (String) -> Bool,
    _ difference: TensorDifference, _ tolerance: LayerTolerance
  ) {
    layers.append(
      Layer(
        name: name, tensor: tensor, holds: layer.holds, kinds: layer.kinds,
        unobserved: pending.filter { !isKnown($0) },
        inside: pending.filter(isKnown), operation: layer.operation, shape: layer.tensorShape,
        difference: difference, tolerance: tolerance))
  }

  mutating func add(_ layer: Layer) { layers.append(layer) }

  mutating func add(_ result: OutputVerification.Result) {
    outputs = result.outputs
    objects = result.objects
    absent = result.absent
    leftOut = result.uncompared.map { LeftOut(name: $0.name, kind: .output, reason: $0.reason) }
  }

  /// Adds tensors of the reference that nothing was compared with: parts of the layers `joined`, of modules that `layers`
  /// are of too, or else outputs.
  func leavingOut(
    _ names: [String], joined: Set<String>, layers: Set<String>, layersOnly: Bool
  ) -> VerificationReport {
    let roots = Set(layers.filter { $0.contains(".") }.map { $0.prefix { $0 != "." } })
    var report = self
    report.layersOnly = layersOnly
    report.leftOut += names.map { name in
      if joined.contains(name) {
        return LeftOut(name: name, kind: .joined, reason: "a part of a joined layer: --no-fuse compares it")
      }
      if layers.contains(name) || name.contains(".") && roots.contains(name.prefix { $0 != "." }) {
        return LeftOut(name: name, kind: .module, reason: "no layer's result here")
      }
      return LeftOut(
        name: name, kind: .output,
        reason: layersOnly
          ? "only layers were asked for" : "the network has no output, and no step after it, of this name")
    }
    return report
  }

  /// Outputs of the reference that nothing was compared with.
  public var uncompared: [LeftOut] { leftOut.filter { $0.kind == .output } }

  /// Whether every layer and all that is made of the outputs is within its tolerance, and no output of the reference was
  /// left uncompared unless that was asked for.
  public var passed: Bool {
    layers.allSatisfy(\.passed) && outputs.allSatisfy(\.passed) && objects.allSatisfy(\.passed)
      && (layersOnly || uncompared.isEmpty)
  }

  /// The first layer that is not.
  public var firstDiverging: Layer? { layers.first { !$0.passed } }

  /// For people: all is well, or which layer diverges first, which outputs diverge, and which were not compared.
  public var summary: String {
    var parts: [String] = []
    if let layer = firstDiverging {
      parts.append(Self.text(of: layer))
    } else if !layers.isEmpty {
      let worst = layers.max { $0.difference.relativeL2 < $1.difference.relativeL2 }
      parts.append(
        "all \(counted(layers.count, "layer")) within tolerance"
          + (worst.map { "; worst relative L2 \(scientific($0.difference.relativeL2)) at \($0.name)" } ?? ""))
    }
    let wrong = outputs.filter { !$0.passed }.map(\.text) + objects.filter { !$0.passed }.map(\.text)
    if let first = wrong.first {
      parts.append(
        "first diverging output \(first)"
          + (wrong.count > 1 ? wrong.dropFirst().map { "; also \($0)" }.joined() : ""))
    } else if !outputs.isEmpty || !objects.isEmpty {
      parts.append(outputSummary)
    }
    if !uncompared.isEmpty {
      let names = uncompared.map { "\(printableName($0.name)) (\($0.reason))" }.joined(separator: ", ")
      parts.append(
        "\(counted(uncompared.count, "output")) of the reference not compared: \(names)"
          + (layersOnly ? "" : "; --layers-only lets that pass"))
    }
    return "\(mode.rawValue): " + parts.joined(separator: "; ")
  }

  private var outputSummary: String {
    let names = outputs.reduce(into: [String]()) { if !$0.contains($1.name) { $0.append($1.name) } }
    return
      (names + objects.map { "\($0.name) (\($0.matched))" }).map { printableName($0) }.joined(
        separator: ", ") + " within tolerance"
  }

  private static func text(of layer: Layer) -> String {
    let difference = layer.difference
    var text =
      "first diverging layer \(layer.name)"
      + (layer.tensor == layer.name ? "" : " (\(printableName(layer.tensor)))")
      + ": relative L2 \(scientific(difference.relativeL2)), "
      + "max abs \(scientific(difference.maximumAbsolute)) at \(difference.location) "
      + "(found \(scientific(difference.found)), expected \(scientific(difference.expected)))"
    if !difference.expected.isFinite { text += "; the reference's number there is not finite" }
    if layer.holds.count > 1 { text += "; it holds \(layer.contents)" }
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
      "passed": .bool(passed), "layersOnly": .bool(layersOnly),
      "firstDiverging": firstDiverging.map { .string($0.name) } ?? .null,
      "firstDivergingOutput": (outputs.first { !$0.passed }?.name ?? objects.first { !$0.passed }?.name)
        .map(JSONValue.string) ?? .null,
      "layers": .array(layers.map(\.json)), "outputs": .array(outputs.map(\.json)),
      "objects": .array(objects.map(\.json)), "unobserved": .array(unobserved.map(JSONValue.string)),
      "absent": .array(absent.map(JSONValue.string)),
      "leftOut": .array(
        leftOut.map {
          ["name": .string($0.name), "kind": .string($0.kind.rawValue), "reason": .string($0.reason)]
        }),
    ]
  }
}

extension VerificationReport.Layer {
  fileprivate var json: JSONValue {
    let own: JSONValue = [
      "name": .string(name), "tensor": .string(tensor), "holds": .array(holds.map(JSONValue.string)),
      "kinds": .array(kinds.map(JSONValue.string)),
      "unobserved": .array(unobserved.map(JSONValue.string)),
      "inside": .array(inside.map(JSONValue.string)), "operation": .string(operation),
      "shape": .array(shape.map(JSONValue.integer)), "passed": .bool(passed),
    ]
    return own.merging(difference.json, tolerance)
  }
}

extension TensorDifference {
  /// The figures as members of an object.
  var json: JSONValue {
    [
      "maxAbs": .figure(maximumAbsolute), "location": .array(location.map(JSONValue.integer)),
      "found": .figure(found), "expected": .figure(expected), "relativeL2": .figure(relativeL2),
      "cosine": .figure(cosine), "quantile999": .figure(quantile999),
    ]
  }
}

extension JSONValue {
  /// JSON has no infinity and no NaN: a text in their place.
  static func figure(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string(scientific(value))
  }

  /// An object with the members of another, and a tolerance.
  func merging(_ figures: JSONValue, _ tolerance: LayerTolerance) -> JSONValue {
    var members = (object ?? [:]).merging(figures.object ?? [:]) { own, _ in own }
    members["tolerance"] = [
      "absolute": .figure(tolerance.absolute), "relative": .figure(tolerance.relative),
      "relativeL2": .figure(tolerance.relativeL2),
    ]
    return .object(members)
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
