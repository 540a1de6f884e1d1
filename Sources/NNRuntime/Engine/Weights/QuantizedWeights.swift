import FileFormats

// Weights of 8 bits in a weight file: a tensor of integers from -127 to 127, and beside it "NAME_scale", a positive float for
// each output channel (the first axis), that they are multiplied by. A network takes the product, whatever it computes in.

/// Layout of 8-bit weights in weight files.
package enum QuantizedWeights {
  /// Suffix of the name of a tensor's scales.
  package static let suffix = "_scale"
  /// The key of the metadata that holds the checksum of all scales.
  package static let checksumKey = "scales_checksum"
  /// The key of the metadata that says how the file was made.
  package static let provenanceKey = "quantization"
  /// The keys of the metadata that hold a plan of mixed precision each.
  package static func planKey(_ precision: Precision) -> String { "plan_\(precision.rawValue)" }

  /// Takes the scales out of a file's tensors.
  static func takeScales(
    of tensors: inout NameTable<Tensor>, _ metadata: [String: String], file: String
  ) throws(WeightError) -> NameTable<[Float]> {
    var scales: NameTable<[Float]> = [:]
    for (name, tensor) in tensors where tensor.dtype == .int8 {
      guard let found = tensors[name + suffix], found.dtype == .float32 else { continue }
      guard let channels = tensor.shape.first, found.shape == [channels] else {
        throw WeightError(
          .wrongScales(found: found.shape, expected: tensor.shape.first ?? 0), tensor: name, file: file)
      }
      let values = found.floats()
      if let channel = values.firstIndex(where: { !($0.isFinite && $0 > 0) }) {
        throw WeightError(.badScale(channel: channel), tensor: name, file: file)
      }
      scales[name] = values
    }
    for name in scales.keys { tensors[name + suffix] = nil }
    if let stated = metadata[checksumKey], stated != checksum(scales) {
      throw WeightError(.changedScales, file: file)
    }
    return scales
  }

  /// The numbers that integers stand for, computed whenever they are read.
  static func floats(_ tensor: Tensor, scales: [Float]) -> Tensor {
    Tensor(shape: tensor.shape, dtype: .float32, storage: TensorStorage(.scaled(tensor, scales)))
  }

  /// A checksum of all scales, in order of their names, by `FNV1a`.
  package static func checksum(_ scales: some Sequence<(key: String, value: [Float])>) -> String {
    var sum = FNV1a()
    for (name, values) in scales.sorted(by: { ByteName($0.key) < ByteName($1.key) }) {
      sum.add(name.utf8)
      sum.add(0)
      for value in values {
        for shift in stride(from: 0, to: 32, by: 8) {
          sum.add(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
      }
    }
    return zeroPadded(sum.hash, 16, radix: 16)
  }
}

/// A tensor rounded to 8 bits.
package struct QuantizedTensor: Sendable {
  /// The integers, in the tensor's shape, and a scale for each index of its first axis.
  package let integers: Tensor
  /// Scales, one for each output channel.
  package let scales: [Float]

  /// The largest integer.
  private static var largest: Float { 127 }
  /// Shares of a channel's largest weight that its range may end at.
  private static let ranges: [Float] = stride(from: 1, through: 0.6, by: -0.05).map { Float($0) }

  /// Rounds a tensor of floats; each output channel's range is the one with the least squared error.
  ///
  /// nil where a tensor is too small to be worth it: of rank 0 or 1, with fewer than 8 output channels, or with rows of
  /// fewer than 16.
  package init?(_ tensor: Tensor) {
    guard tensor.dtype.isFloat, tensor.shape.count >= 2, let channels = tensor.shape.first, channels >= 8,
      tensor.count / channels >= 16
    else { return nil }
    let row = tensor.count / channels
    let floats = tensor.floats()
    var bytes: [Int8] = []
    bytes.reserveCapacity(floats.count)
    var scales: [Float] = []
    for channel in 0..<channels {
      let weights = floats[channel * row..<(channel + 1) * row]
      let most = weights.reduce(0) { max($0, abs($1)) }
      var best: (scale: Float, error: Float) = (1, .infinity)
      for range in most > 0 ? Self.ranges : [] {
        let scale = most * range / Self.largest
        guard scale.isNormal else { continue }
        let error = weights.reduce(Float(0)) {
          let difference = $1 - Self.rounded($1, scale) * scale
          return $0 + difference * difference
        }
        if error < best.error { best = (scale, error) }
      }
      scales.append(best.scale)
      for weight in weights { bytes.append(Int8(exactly: Self.rounded(weight, best.scale)) ?? 0) }
    }
    integers = Tensor(shape: tensor.shape, dtype: .int8, storage: TensorStorage(copying: bytes))
    self.scales = scales
  }

  /// The numbers that it stands for.
  package var floats: Tensor { QuantizedWeights.floats(integers, scales: scales) }

  private static func rounded(_ weight: Float, _ scale: Float) -> Float {
    min(max((weight / scale).rounded(.toNearestOrEven), -largest), largest)
  }
}

extension PlanOptions {
  /// The same, with these layers of a network in the next precision up where it is to be multiplied in 8 bits and nothing else
  /// was planned for it.
  package func sparing(_ layers: [String], of network: String) -> PlanOptions {
    guard precision == .int8, mixed[network] == nil, let catalogue = try? catalogue() else { return self }
    let kinder = precision.kinder(among: catalogue.precisions)
    var options = self
    options.mixed[network] = MixedPrecision(
      network: network, precision: precision,
      exceptions: Dictionary(layers.map { ($0, kinder) }, uniquingKeysWith: { first, _ in first }))
    return options
  }

  /// The same, with the plan of mixed precision that a weight file holds for the precision asked for, where nothing else was
  /// planned for its network.
  package func planned(by weights: WeightStore) -> PlanOptions {
    guard let text = weights.metadata[QuantizedWeights.planKey(precision)],
      let document = try? JSONValue.parse(text), let plan = try? MixedPrecision(document),
      plan.precision == precision, mixed[plan.network] == nil
    else { return self }
    var options = self
    options.mixed[plan.network] = plan
    return options
  }
}
