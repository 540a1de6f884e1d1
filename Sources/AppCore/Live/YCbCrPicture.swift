import FileFormats
import Imaging

/// A defect of a camera picture's planes.
public enum YCbCrError: Error, Equatable, CustomStringConvertible {
  /// A side is not positive or too large.
  case size(width: Int, height: Int)
  /// A plane has another number of bytes than the size asks for.
  case plane(name: String, bytes: Int, expected: Int)

  /// The defect.
  public var description: String {
    switch self {
    case .size(let width, let height): "picture of \(width) x \(height): sides must be 1 to 16384"
    case .plane(let name, let bytes, let expected): "\(name) plane has \(bytes) bytes, expected \(expected)"
    }
  }
}

/// A camera's picture: full-range luma, and chroma at half the resolution, Cb and Cr interleaved (420f, NV12).
public struct YCbCrPicture: Sendable, Equatable {
  /// The primaries that the luma was computed from.
  public enum Matrix: String, Sendable, CaseIterable {
    /// Rec. 601: Kr 0.299, Kb 0.114.
    case rec601
    /// Rec. 709: Kr 0.2126, Kb 0.0722.
    case rec709

    var kr: Double { self == .rec601 ? 0.299 : 0.2126 }
    var kb: Double { self == .rec601 ? 0.114 : 0.0722 }
  }

  /// The greatest side.
  public static let greatestSide = 16_384

  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// width * height bytes, rows first.
  public let luma: [UInt8]
  /// Pairs Cb, Cr for every 2 x 2 pixels, odd sides rounded up; rows first.
  public let chroma: [UInt8]

  /// A picture from its planes, rows without padding.
  ///
  /// - Throws: `YCbCrError`.
  public init(width: Int, height: Int, luma: [UInt8], chroma: [UInt8]) throws(YCbCrError) {
    guard (1...Self.greatestSide).contains(width), (1...Self.greatestSide).contains(height) else {
      throw .size(width: width, height: height)
    }
    guard luma.count == width * height else {
      throw .plane(name: "luma", bytes: luma.count, expected: width * height)
    }
    let expected = (width + 1) / 2 * ((height + 1) / 2) * 2
    guard chroma.count == expected else {
      throw .plane(name: "chroma", bytes: chroma.count, expected: expected)
    }
    self.width = width
    self.height = height
    self.luma = luma
    self.chroma = chroma
  }

  /// The picture in RGB; each chroma pair colors its 2 x 2 pixels.
  ///
  /// R = Y + 2(1-Kr)Cr, B = Y + 2(1-Kb)Cb, and G from Y = Kr R + Kg G + Kb B, with Cb, Cr centered at 128;
  /// in 16-bit fixed point, rounded, clamped to 0...255.
  public func rgb(_ matrix: Matrix) -> RGBImage {
    func fixed(_ value: Double) -> Int { Int((value * 65_536).rounded()) }
    let (kr, kb) = (matrix.kr, matrix.kb)
    let kg = 1 - kr - kb
    let red = fixed(2 * (1 - kr))
    let blue = fixed(2 * (1 - kb))
    let greenCr = fixed(-2 * (1 - kr) * kr / kg)
    let greenCb = fixed(-2 * (1 - kb) * kb / kg)
    func byte(_ value: Int) -> UInt8 { UInt8(min(max((value + 32_768) >> 16, 0), 255)) }
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    let chromaStride = (width + 1) / 2 * 2
    for y in 0..<height {
      for x in 0..<width {
        let pair = y / 2 * chromaStride + x / 2 * 2
        let cb = Int(chroma[pair]) - 128
        let cr = Int(chroma[pair + 1]) - 128
        let base = Int(luma[y * width + x]) << 16
        let pixel = (y * width + x) * 3
        pixels[pixel] = byte(base + red * cr)
        pixels[pixel + 1] = byte(base + greenCb * cb + greenCr * cr)
        pixels[pixel + 2] = byte(base + blue * cb)
      }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
  }
}

extension YCbCrError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
