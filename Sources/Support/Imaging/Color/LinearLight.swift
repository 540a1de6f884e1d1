#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sRGB transfer curve (IEC 61966-2-1) for 8-bit values, and arithmetic in linear light.
package enum LinearLight {
  /// Linear light in 0...1 of each sRGB byte.
  package static let decoded: [Float] = (0...255).map { Float(decode(Double($0) / 255)) }

  /// The exact curve from an encoded value in 0...1 to linear light.
  package static func decode(_ encoded: Double) -> Double {
    encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
  }

  /// The exact curve from linear light in 0...1 to an encoded value.
  package static func encode(_ linear: Double) -> Double {
    linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
  }

  /// The sRGB byte nearest to a linear value; values outside 0...1 are clipped.
  package static func byte(_ linear: Float) -> UInt8 { encoder.byte(linear) }

  /// The gain of an exposure change in stops.
  package static func gain(exposureValue: Double) -> Double { exp2(exposureValue) }

  /// Each byte after multiplication by `gain` in linear light, clipped: 256 entries.
  package static func table(gain: Double) -> [UInt8] {
    decoded.map { byte(Float(Double($0) * gain)) }
  }

  /// The tables of `byte`, for loops that fetch them once.
  static let encoder = Encoder()

  /// Finds the nearest byte by table: that of its cell's lower end, or the one after it.
  ///
  /// Cells are narrower than any two bytes are apart (1 / (12.92 * 255) near black), so that one step is enough.
  struct Encoder: Sendable {
    private static let cells = 4096

    /// The linear value from which each byte gives way to the next; the last never does.
    private let thresholds: [Float]

    /// For each of `cells` equal parts of 0...1, the byte of its lower end.
    private let firstBytes: [UInt8]

    init() {
      let thresholds = (0..<255).map { Float(LinearLight.decode((Double($0) + 0.5) / 255)) } + [.infinity]
      self.thresholds = thresholds
      var byte = 0
      firstBytes = (0..<Self.cells).map { cell in
        while Float(cell) / Float(Self.cells) >= thresholds[byte] { byte += 1 }
        return UInt8(byte)
      }
    }

    @inline(__always)
    func byte(_ linear: Float) -> UInt8 {
      guard linear > 0 else { return 0 }
      guard linear < 1 else { return 255 }
      let byte = firstBytes[Int(Int32(linear * Float(Self.cells)))]
      return byte &+ (linear >= thresholds[Int(byte)] ? 1 : 0)
    }
  }
}

extension RGBImage {
  /// Every channel multiplied by 2 to the `exposureValue` in linear light, clipped at white.
  public func exposed(by exposureValue: Double) -> RGBImage {
    let table = LinearLight.table(gain: LinearLight.gain(exposureValue: exposureValue))
    return RGBImage(width: width, height: height, pixels: pixels.map { table[Int($0)] })
  }

  /// Two gains mixed in linear light: `inside` times the picture where `mask` is 1, `outside` times
  /// the picture where it is 0, each clipped at white first.
  ///
  /// The mask has the picture's size and values in 0...1; values outside are clamped.
  public func relit(mask: Plane<Float>, insideGain: Double, outsideGain: Double) -> RGBImage {
    precondition(mask.width == width && mask.height == height, "the mask has the picture's size")
    mask.checkCount()
    checkCount()
    let outside = LinearLight.decoded.map { min(1, $0 * Float(outsideGain)) }
    let inside = LinearLight.decoded.map { min(1, $0 * Float(insideGain)) }
    let outsideBytes = outside.map(LinearLight.byte)
    let insideBytes = inside.map(LinearLight.byte)
    let encoder = LinearLight.encoder
    var relit = pixels
    var output = relit.mutableSpan
    let shares = mask.elements.span
    for index in shares.indices {
      let share = shares[index]
      if !(share > 0) {
        for position in index * 3..<index * 3 + 3 { output[position] = outsideBytes[Int(output[position])] }
      } else if share >= 1 {
        for position in index * 3..<index * 3 + 3 { output[position] = insideBytes[Int(output[position])] }
      } else {
        for position in index * 3..<index * 3 + 3 {
          let byte = Int(output[position])
          output[position] = encoder.byte(outside[byte] + share * (inside[byte] - outside[byte]))
        }
      }
    }
    return RGBImage(width: width, height: height, pixels: relit)
  }
}
