#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Colors of three primaries and a curve each as those of sRGB (IEC 61966-2-1), what is out of its gamut clipped.
struct ColorConversion: Equatable {
  /// Linear light in 0...1 of each byte, of red, green and blue.
  let curves: [[Float]]
  /// From linear light of the picture to that of sRGB, by rows.
  let matrix: [Float]

  /// How far from the identity a matrix, and from sRGB's a curve, may be and counts as none: less than half a level.
  private static let tolerance: Float = 0.002

  /// The conversion; nil where the colors are sRGB's to within a level.
  ///
  /// - Parameters:
  ///   - curves: Linear light of each byte, of red, green and blue.
  ///   - matrix: Nine numbers by rows.
  init?(curves: [[Float]], matrix: [Double]) {
    guard matrix.allSatisfy({ $0.isFinite && abs($0) < 100 }),
      curves.allSatisfy({ $0.count == 256 && $0.allSatisfy(\.isFinite) })
    else { return nil }
    self.curves = curves
    self.matrix = matrix.map(Float.init)
    let identity: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    let isSRGB =
      zip(self.matrix, identity).allSatisfy { abs($0 - $1) <= Self.tolerance }
      && curves.allSatisfy { zip($0, LinearLight.decoded).allSatisfy { abs($0 - $1) <= Self.tolerance } }
    if isSRGB { return nil }
  }

  /// The conversion from primaries and a curve by their numbers in ITU-T H.273; nil where there is none to make, or where
  /// the curve is one of high dynamic range.
  init?(primaries: Int, transfer: Int) {
    let white = (0.3127, 0.3290)
    let corners: [(Double, Double)]
    switch primaries {
    case 12: corners = [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)]
    case 9: corners = [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)]
    case 1: corners = Self.corners
    default: return nil
    }
    let curve: [Float]
    switch transfer {
    case 1, 2, 6, 13, 14, 15: curve = LinearLight.decoded
    case 4: curve = (0...255).map { Float(pow(Double($0) / 255, 2.2)) }
    case 5: curve = (0...255).map { Float(pow(Double($0) / 255, 2.8)) }
    case 8: curve = (0...255).map { Float($0) / 255 }
    default: return nil
    }
    guard let own = Self.toXYZ(corners, white), let back = Self.toXYZ(Self.corners, white)?.inverse else {
      return nil
    }
    self.init(curves: [curve, curve, curve], matrix: (back * own).rows)
  }

  /// sRGB's primaries.
  private static let corners = [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)]

  /// The matrix whose columns are the primaries, of which the sum is white (SMPTE RP 177).
  private static func toXYZ(_ corners: [(Double, Double)], _ white: (Double, Double)) -> Matrix3? {
    func xyz(_ point: (Double, Double)) -> [Double] {
      [point.0 / point.1, 1, (1 - point.0 - point.1) / point.1]
    }
    let columns = corners.map(xyz)
    let plain = Matrix3(rows: (0..<3).flatMap { row in columns.map { $0[row] } })
    guard let shares = plain.inverse.map({ $0 * xyz(white) }) else { return nil }
    return Matrix3(rows: plain.rows.enumerated().map { $1 * shares[$0 % 3] })
  }

  /// Samples of `channels` bytes per pixel, of which the first three are colors, converted in place.
  func apply(to pixels: inout [UInt8], channels: Int) {
    let encoder = LinearLight.encoder
    let (red, green, blue) = (curves[0], curves[1], curves[2])
    let m = matrix
    var samples = pixels.mutableSpan
    for start in stride(from: 0, to: samples.count - 2, by: channels) {
      let r = red[Int(samples[start])]
      let g = green[Int(samples[start + 1])]
      let b = blue[Int(samples[start + 2])]
      samples[start] = encoder.byte(m[0] * r + m[1] * g + m[2] * b)
      samples[start + 1] = encoder.byte(m[3] * r + m[4] * g + m[5] * b)
      samples[start + 2] = encoder.byte(m[6] * r + m[7] * g + m[8] * b)
    }
  }
}
