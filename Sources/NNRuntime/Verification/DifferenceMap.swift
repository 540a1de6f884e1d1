import NNRuntime

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a layer's result differs from its reference, and by how much: small enough to draw.
package struct DifferenceMap: Sendable {
  /// Numbers of elements by the decimal logarithm of their absolute difference.
  package struct Histogram: Sendable, Equatable {
    /// The power of ten at which the first bin begins.
    package static let firstExponent = -12
    /// The power of ten at which the last bin ends.
    package static let lastExponent = 6
    /// Bins of a power of ten.
    package static let binsPerDecade = 4

    /// Elements of every bin.
    package private(set) var counts = [Int](
      repeating: 0, count: (lastExponent - firstExponent) * binsPerDecade)
    /// Elements that are equal, or differ by less than the first bin.
    package private(set) var smaller = 0
    /// Elements that differ by more than the last bin, or of which one of the two is not finite.
    package private(set) var larger = 0

    mutating func add(_ difference: Float) {
      guard difference > 0 else {
        smaller += 1
        return
      }
      let position =
        (log10(Double(difference)) - Double(Self.firstExponent)) * Double(Self.binsPerDecade)
      guard position >= 0 else {
        smaller += 1
        return
      }
      guard position < Double(counts.count) else {
        larger += 1
        return
      }
      counts[Int(position)] += 1
    }
  }

  /// Rows and columns of `errors`: height and width of a map, tokens and channels of a sequence.
  package let rows, columns: Int
  /// Whether rows are tokens and columns channels.
  package let isTokens: Bool
  /// The absolute difference at each place, row-major: the largest of a pixel's channels, or a token's one, and of all images.
  ///
  /// Infinite where one of the two values is not finite and the other isn't the same.
  package let errors: [Float]
  /// The largest absolute difference of each channel.
  package let channels: [Float]
  /// How the differences of all elements are distributed.
  package let histogram: Histogram

  /// Compares `found`, channels last with `stride` floats from pixel to pixel, with `expected`.
  init(_ found: Span<Float>, stride: Int, to expected: StridedMap, isTokens: Bool) {
    let shape = expected.shape
    let reference = expected.elements.span
    (rows, columns) = isTokens ? (shape.pixels, shape.channels) : (shape.height, shape.width)
    var errors = [Float](repeating: 0, count: rows * columns)
    var channels = [Float](repeating: 0, count: shape.channels)
    var histogram = Histogram()
    for pixel in 0..<shape.batchPixels {
      for channel in 0..<shape.channels {
        let difference = TensorDifference.difference(
          found[pixel * stride + channel],
          reference[expected.index(pixel: pixel, channel: channel)])
        let inImage = pixel % shape.pixels
        let place = isTokens ? inImage * shape.channels + channel : inImage
        errors[place] = max(errors[place], difference)
        channels[channel] = max(channels[channel], difference)
        histogram.add(difference)
      }
    }
    self.isTokens = isTokens
    self.errors = errors
    self.channels = channels
    self.histogram = histogram
  }
}
