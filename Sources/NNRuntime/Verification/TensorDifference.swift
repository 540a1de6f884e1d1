import NNRuntime

/// How far a tensor is from its reference.
public struct TensorDifference: Sendable, Equatable {
  /// The largest absolute difference; infinite where one of the two is not finite and the other isn't the same.
  public let maximumAbsolute: Double
  /// Where it is, in the axes of the reference.
  public let location: [Int]
  /// The two values there.
  public let found, expected: Double
  /// Norm of the difference over the norm of the reference (over 1 where that is 0).
  public let relativeL2: Double
  /// Cosine of the angle between the two; 1 where both are all zeros.
  public let cosine: Double
  /// The absolute difference that 99.9 % of the elements do not exceed.
  public let quantile999: Double
  /// The largest finite absolute value of the reference.
  public let scale: Double

  /// Compares `found`, channels last with `stride` floats from pixel to pixel, with `expected`.
  init(_ found: Span<Float>, stride: Int, to expected: StridedMap) {
    var sums = Sums()
    var worst: Float = -1
    var place = (pixel: 0, channel: 0)
    let reference = expected.elements.span
    let (pixels, channels) = (expected.shape.batchPixels, expected.shape.channels)
    for pixel in 0..<pixels {
      for channel in 0..<channels {
        let a = found[pixel * stride + channel]
        let b = reference[expected.index(pixel: pixel, channel: channel)]
        sums.add(a, b)
        let difference = Self.difference(a, b)
        if difference > worst {
          worst = difference
          place = (pixel, channel)
        }
      }
    }
    maximumAbsolute = Double(worst)
    location = expected.location(pixel: place.pixel, channel: place.channel)
    self.found = Double(found[place.pixel * stride + place.channel])
    self.expected = Double(reference[expected.index(pixel: place.pixel, channel: place.channel)])
    relativeL2 = worst == .infinity ? .infinity : sums.relativeL2
    cosine = sums.cosine
    scale = Double(sums.scale)
    quantile999 = Self.quantile(found, stride, expected)
  }

  /// Compares two lists of numbers; `place` says where an index is in the axes of the reference.
  init(_ found: [Float], to expected: [Float], at place: (Int) -> [Int]) {
    let list = StridedMap(
      shape: MapShape(height: 1, width: max(1, expected.count), channels: 1), channelsLast: expected,
      tensorShape: [expected.count])
    self.init(TensorDifference(found.span, stride: 1, to: list), at: place)
  }

  /// The same difference, placed otherwise.
  private init(_ other: TensorDifference, at place: (Int) -> [Int]) {
    maximumAbsolute = other.maximumAbsolute
    location = place(other.location.last ?? 0)
    (found, expected) = (other.found, other.expected)
    (relativeL2, cosine) = (other.relativeL2, other.cosine)
    (quantile999, scale) = (other.quantile999, other.scale)
  }

  /// The absolute difference of two elements; infinite where one is not finite and the other isn't the same.
  static func difference(_ a: Float, _ b: Float) -> Float {
    let difference = abs(a - b)
    if !difference.isNaN { return difference }
    return a == b || a.isNaN && b.isNaN ? 0 : .infinity
  }

  /// The element of rank ceil(0.999 n) of the differences, by two passes over their bit patterns, which are
  /// ordered as the differences are: no copy of them is made.
  private static func quantile(_ found: Span<Float>, _ stride: Int, _ expected: StridedMap) -> Double {
    let reference = expected.elements.span
    let (pixels, channels) = (expected.shape.batchPixels, expected.shape.channels)
    func histogram(_ bin: (UInt32) -> Int?) -> [Int] {
      var counts = [Int](repeating: 0, count: 1 << 16)
      for pixel in 0..<pixels {
        for channel in 0..<channels {
          let bits = difference(
            found[pixel * stride + channel],
            reference[expected.index(pixel: pixel, channel: channel)]
          ).bitPattern
          if let bin = bin(bits) { counts[bin] += 1 }
        }
      }
      return counts
    }
    /// The bin that holds the element of the rank (from 1), and the rank inside it.
    func find(_ rank: Int, _ counts: [Int]) -> (bin: Int, rank: Int) {
      var rank = rank
      for (bin, count) in counts.enumerated() {
        if rank <= count { return (bin, rank) }
        rank -= count
      }
      return (counts.count - 1, 1)
    }
    let count = pixels * channels
    let high = find((count * 999 + 999) / 1000, histogram { Int($0 >> 16) })
    let low = find(high.rank, histogram { Int($0 >> 16) == high.bin ? Int($0 & 0xffff) : nil })
    return Double(Float(bitPattern: UInt32(high.bin) << 16 | UInt32(low.bin)))
  }

  /// Sums in double precision over the finite elements.
  private struct Sums {
    var differences = 0.0
    var products = 0.0
    var foundSquares = 0.0
    var expectedSquares = 0.0
    var scale: Float = 0

    mutating func add(_ found: Float, _ expected: Float) {
      guard found.isFinite, expected.isFinite else { return }
      let (a, b) = (Double(found), Double(expected))
      differences += (a - b) * (a - b)
      products += a * b
      foundSquares += a * a
      expectedSquares += b * b
      scale = max(scale, abs(expected))
    }

    var relativeL2: Double {
      differences.squareRoot() / (expectedSquares > 0 ? expectedSquares.squareRoot() : 1)
    }

    var cosine: Double {
      let norms = (foundSquares * expectedSquares).squareRoot()
      return norms > 0 ? products / norms : foundSquares == expectedSquares ? 1 : 0
    }
  }
}
