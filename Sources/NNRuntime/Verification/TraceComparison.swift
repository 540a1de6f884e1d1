import FileFormats
import NNRuntime

/// Compares the traces of two runs of one network on one input: of other machines, instruction sets, precisions or builds.
///
/// Layers are compared one at a time in running order, so that memory holds one of each. In a trace each layer was fed what
/// those before it made: errors add up, and the first layer beyond its tolerance is where the two runs part.
package struct TraceComparison: Sendable {
  /// Tolerances by layer name.
  package let tolerances: ToleranceTable
  /// Whether outputs of the second trace that are not compared are let pass.
  package let layersOnly: Bool
  /// The key of a trace's metadata that lists its layers, for programs.
  package static let layersKey = RecordedLayer.metadataKey
  /// Inputs may differ by what a decimal text of single precision loses, relative to 1.
  private static let inputTolerance = 1e-6

  /// A comparison.
  package init(tolerances: ToleranceTable = ToleranceTable(), layersOnly: Bool = false) {
    self.tolerances = tolerances
    self.layersOnly = layersOnly
  }

  /// Compares the layers that both traces have.
  ///
  /// A layer beyond what the mode allows is allowed more where a trace says that it enlarges roundings.
  /// `onDivergence` is called for each layer beyond its tolerance.
  ///
  /// - Throws: `VerificationError` for traces of different networks, inputs or shapes; what `ReferenceFile` and
  ///   `onDivergence` throw.
  package func compare(
    _ found: ReferenceFile, with expected: ReferenceFile, onDivergence: LayerVerifier.Observer? = nil
  ) throws -> VerificationReport {
    if let network = found.metadata["network"], let other = expected.metadata["network"], network != other {
      throw VerificationError.differentNetworks(found: network, expected: other)
    }
    let inputs = try checkedInputs(found, expected)
    let layers =
      RecordedLayer.list(found.metadata[RecordedLayer.metadataKey])
      ?? found.namesInOrder.filter { !inputs.contains($0) }.map {
        RecordedLayer(name: $0, holds: [$0], kinds: [], operation: "", conditioning: nil)
      }
    let known = Dictionary(
      (RecordedLayer.list(expected.metadata[RecordedLayer.metadataKey]) ?? []).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    let precisions = [found, expected].compactMap {
      $0.metadata["precision"].flatMap(Precision.init(rawValue:))
    }
    let mode = LayerVerifier.Mode.cumulative
    let precision =
      precisions.max { mode.tolerance($0).relative < mode.tolerance($1).relative } ?? .fp32
    var report = VerificationReport(
      mode: mode, network: found.metadata["network"] ?? "", kernels: found.metadata["kernels"] ?? "")
    var pending: [String] = []
    for layer in layers where found.contains(layer.name) {
      guard expected.contains(layer.name) else {
        pending += layer.holds
        continue
      }
      try compare(
        layer, layer.conditioning ?? known[layer.name]?.conditioning, after: pending, precision,
        (found, expected), &report, onDivergence)
      pending = []
    }
    guard !report.layers.isEmpty else { throw VerificationError.noCommonLayers }
    report.unobserved = pending.filter { !expected.contains($0) }
    let compared = Set(report.layers.map(\.name))
    return report.leavingOut(
      expected.names.filter { !compared.contains($0) && !inputs.contains($0) },
      joined: Set(layers.flatMap(\.holds)), layers: Set(layers.map(\.name)).union(known.keys),
      layersOnly: layersOnly)
  }

  private func compare(
    _ layer: RecordedLayer, _ conditioning: Conditioning?, after pending: [String], _ precision: Precision,
    _ files: (found: ReferenceFile, expected: ReferenceFile), _ report: inout VerificationReport,
    _ onDivergence: LayerVerifier.Observer?
  ) throws {
    let (shape, elements) = try files.found.tensor(layer.name)
    let (expectedShape, expectedElements) = try files.expected.tensor(layer.name)
    guard shape == expectedShape, let map = MapShape(tensor: shape),
      let expected = StridedMap(expectedShape, expectedElements, as: map),
      let found = StridedMap(shape, elements, as: map)?.channelsLast
    else { throw VerificationError.shape(layer.name, found: expectedShape, expected: shape) }
    let difference = TensorDifference(found.span, stride: map.channels, to: expected)
    let ordinary = LayerVerifier.Mode.cumulative.tolerance(precision)
    var tolerance = tolerances.tolerance(of: [layer.name] + layer.holds) ?? ordinary
    if tolerance == ordinary, !ordinary.accepts(difference), let conditioning {
      tolerance = ordinary.conditioned(by: conditioning)
    }
    report.add(
      VerificationReport.Layer(
        name: layer.name, tensor: layer.name, holds: layer.holds, kinds: layer.kinds,
        unobserved: pending.filter { !files.expected.contains($0) },
        inside: pending.filter(files.expected.contains), operation: layer.operation, shape: shape,
        difference: difference, tolerance: tolerance))
    guard let onDivergence, let added = report.layers.last, !added.passed else { return }
    try onDivergence(
      added,
      DifferenceMap(found.span, stride: map.channels, to: expected, isTokens: shape.count == 3))
  }

  /// The names of the inputs, which must be the same in both traces.
  private func checkedInputs(_ found: ReferenceFile, _ expected: ReferenceFile) throws -> Set<String> {
    for file in [found, expected] where !file.contains("input") {
      throw VerificationError.notATrace(file.path)
    }
    let names = ["input", "prompt"].filter { found.contains($0) || expected.contains($0) }
    for name in names {
      guard found.contains(name), expected.contains(name) else {
        throw VerificationError.differentInputs(name, "only one of the traces has it")
      }
      let (shape, elements) = try found.tensor(name)
      let (otherShape, others) = try expected.tensor(name)
      guard shape == otherShape else {
        throw VerificationError.differentInputs(name, "\(shape) and \(otherShape)")
      }
      let largest = zip(elements, others).reduce(Float(0)) {
        max($0, TensorDifference.difference($1.0, $1.1))
      }
      guard Double(largest) <= Self.inputTolerance else {
        throw VerificationError.differentInputs(name, "values differ by up to \(scientific(Double(largest)))")
      }
    }
    return Set(names)
  }
}

extension MapShape {
  /// The map of a tensor as traces have it, (images, channels, height, width) or (images, tokens, channels); nil of another.
  fileprivate init?(tensor shape: [Int]) {
    guard shape.allSatisfy({ $0 > 0 }) else { return nil }
    switch shape.count {
    case 4: self.init(images: shape[0], height: shape[2], width: shape[3], channels: shape[1])
    case 3: self.init(images: shape[0], height: 1, width: shape[1], channels: shape[2])
    default: return nil
    }
  }
}

extension StridedMap {
  /// All elements, the channels of a pixel beside each other.
  fileprivate var channelsLast: [Float] {
    if channelStride == 1, pixelStride == shape.channels { return elements }
    let source = elements.span
    var result: [Float] = []
    result.reserveCapacity(elements.count)
    for pixel in 0..<shape.batchPixels {
      for channel in 0..<shape.channels {
        result.append(source[index(pixel: pixel, channel: channel)])
      }
    }
    return result
  }
}
