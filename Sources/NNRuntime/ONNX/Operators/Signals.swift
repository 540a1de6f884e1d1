import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Windows and frequencies of signals.
  static let signals: [Operator] = [
    window("HannWindow", [0.5, 0.5]), window("HammingWindow", [25.0 / 46, 21.0 / 46]),
    window("BlackmanWindow", [0.42, 0.5, 0.08]),
    Operator("MelWeightMatrix", ["output_datatype"], inputs: 5...5, evaluate: melWeights),
    Operator("DFT", ["axis", "inverse", "onesided"], inputs: 1...3) { call in
      let tensor = try call.tensor(0)
      guard tensor.rank > 1, [1, 2].contains(tensor.shape[tensor.rank - 1]) else {
        throw ONNXError.malformed("the last axis holds neither real nor complex numbers")
      }
      let given = try call.version < 20 ? call.int("axis", default: 1) : call.integers(2)?.first ?? -2
      let axis = try Shape.axis(given, rank: tensor.rank)
      guard axis < tensor.rank - 1 else {
        throw ONNXError.malformed("the axis is that of real and imaginary parts")
      }
      return try transformed(
        tensor, axis, length: call.integers(1)?.first, isInverse: call.flag("inverse"),
        isOneSided: call.flag("onesided"))
    },
    Operator("STFT", ["onesided"], inputs: 2...4) { call in
      let tensor = try call.tensor(0)
      guard let step = try call.integers(1)?.first, step > 0, tensor.rank == 3 else {
        throw ONNXError.malformed("the step must be a number above 0, and the signal must have three axes")
      }
      let window = try call.optional(2)?.doubles()
      let length = try call.integers(3)?.first ?? window?.count ?? tensor.shape[1]
      guard length > 0, length <= tensor.shape[1], window.map({ $0.count == length }) ?? true else {
        throw ONNXError.malformed("frames of \(length) of a signal of \(tensor.shape[1])")
      }
      let frames = 1 + (tensor.shape[1] - length) / step
      _ = try Shape.count([tensor.shape[0], frames, length, tensor.shape[2]], bits: 64)
      let positions = (0..<frames).flatMap { frame in (0..<length).map { frame * step + $0 } }
      let shape = [tensor.shape[0], frames, length, tensor.shape[2]]
      var cut = try tensor.selecting([nil, positions, nil]).reshaped(shape)
      if let window {
        cut = Tensor(
          tensor.type, shape,
          doubles: cut.doubles().enumerated().map { $0.element * window[$0.offset / shape[3] % length] })
      }
      return try transformed(
        cut, 2, length: nil, isInverse: false, isOneSided: call.flag("onesided", default: true))
    },
  ]

  /// Cosines of multiples of the position, with alternating signs.
  private static func window(_ name: String, _ factors: [Double]) -> Operator {
    Operator(name, ["output_datatype", "periodic"], inputs: 1...1) { call in
      guard let count = try call.integers(0)?.first, count >= 0 else {
        throw ONNXError.malformed("the size must be a number")
      }
      _ = try Shape.count([count])
      let period = Double(try call.flag("periodic", default: true) ? count : count - 1)
      return Tensor(
        try call.numericType("output_datatype", default: .float), [count],
        doubles: (0..<count).map { position in
          factors.enumerated().reduce(0) { sum, factor in
            let angle = 2 * Double.pi * Double(factor.offset) * Double(position) / period
            return sum + (factor.offset.isMultiple(of: 2) ? 1 : -1) * factor.element
              * (factor.offset == 0 ? 1 : cos(angle))
          }
        })
    }
  }

  @Sendable private static func melWeights(_ call: Call) throws -> Tensor {
    let numbers = try (0..<5).map { try call.scalar($0) ?? 0 }
    let (bands, length, rate) = (Int(clamping: numbers[0]), Int(clamping: numbers[1]), numbers[2])
    guard (1..<1 << 24).contains(bands), (1..<1 << 24).contains(length) else {
      throw ONNXError.malformed("a matrix of \(length) by \(bands)")
    }
    let bins = length / 2 + 1
    func mel(_ frequency: Double) -> Double { 2595 * log10(1 + frequency / 700) }
    let (low, high) = (mel(numbers[3]), mel(numbers[4]))
    let places = (0..<bands + 2).map { band -> Int in
      let place = low + Double(band) * (high - low) / Double(bands + 2)
      let frequency = 700 * (pow(10, place / 2595) - 1)
      return Int(clamping: (Double(length + 1) * frequency / rate).rounded(.down))
    }
    var made = [Double](repeating: 0, count: try Shape.count([bins, bands], bits: 64))
    func set(_ bin: Int, _ band: Int, _ value: Double) {
      if (0..<bins).contains(bin) { made[bin * bands + band] = value }
    }
    for band in 0..<bands {
      let (first, center, last) = (places[band], places[band + 1], places[band + 2])
      if center == first {
        set(center, band, 1)
      } else {
        for bin in first...max(center, first) { set(bin, band, Double(bin - first) / Double(center - first)) }
      }
      if last > center {
        for bin in center..<last { set(bin, band, Double(last - bin) / Double(last - center)) }
      }
    }
    return Tensor(try call.numericType("output_datatype", default: .float), [bins, bands], doubles: made)
  }

  /// The discrete Fourier transform of an axis, by its definition; the last axis holds real and imaginary parts.
  private static func transformed(
    _ tensor: Tensor, _ axis: Int, length given: Int?, isInverse: Bool, isOneSided: Bool
  ) throws -> Tensor {
    let parts = tensor.shape[tensor.rank - 1]
    let size = tensor.shape[axis]
    let toReal = isInverse && isOneSided
    let length = given ?? (toReal ? 2 * (size - 1) : size)
    guard (1..<1 << 24).contains(length) else {
      throw ONNXError.malformed("a transform of \(counted(length, "element"))")
    }
    let kept = isOneSided && !isInverse ? length / 2 + 1 : length
    var shape = tensor.shape
    shape[axis] = kept
    shape[tensor.rank - 1] = toReal ? 1 : 2
    let inner = tensor.shape[(axis + 1)..<(tensor.rank - 1)].reduce(1, *)
    let outer = tensor.shape[..<axis].reduce(1, *)
    var made = [Double](repeating: 0, count: try Shape.count(shape, bits: 64))
    let values = tensor.doubles()
    let sign = isInverse ? 1.0 : -1.0
    let turns = (0..<length).map {
      (
        cos(2 * Double.pi * Double($0) / Double(length)),
        sign * sin(2 * Double.pi * Double($0) / Double(length))
      )
    }
    for line in 0..<outer * inner {
      func source(_ position: Int) -> (Double, Double) {
        let flat = ((line / inner * size + position) * inner + line % inner) * parts
        return (values[flat], parts == 2 ? values[flat + 1] : 0)
      }
      var points = (0..<min(size, length)).map(source)
      if toReal {
        // The other half is the mirror image, conjugated.
        points = (0..<length).map { index in
          let position = index <= length / 2 ? index : length - index
          guard position < size else { return (0, 0) }
          let (real, imaginary) = source(position)
          return (
            real, position == 0 || 2 * position == length ? 0 : index <= length / 2 ? imaginary : -imaginary
          )
        }
      }
      for k in 0..<kept {
        var (real, imaginary) = (0.0, 0.0)
        for (n, point) in points.enumerated() {
          let (c, s) = turns[k * n % length]
          real += point.0 * c - point.1 * s
          imaginary += point.0 * s + point.1 * c
        }
        if isInverse { (real, imaginary) = (real / Double(length), imaginary / Double(length)) }
        let flat = ((line / inner * kept + k) * inner + line % inner) * (toReal ? 1 : 2)
        made[flat] = real
        if !toReal { made[flat + 1] = imaginary }
      }
    }
    return Tensor(tensor.type, shape, doubles: made)
  }
}
