import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// HEIC, AVIF and WebP against what Pillow shows of them (`make-interchange-goldens.py`).
///
/// A format whose library is not there is skipped.
@Suite struct InterchangePictureTests {
  /// Levels by which libraries of other versions may differ: in the sums of luma and chroma, and in saturated colors after
  /// the conversion from a wider gamut.
  private static let mostLevels = 8
  private static let meanLevels = 0.5

  static let pictures = [
    "plain.heic", "p3.heic", "turned.heic", "mirrored.heic", "parts.heic", "plain.avif", "turned.avif",
    "plain.webp", "turned.webp", "p3.webp",
  ]
  static let readable = pictures.filter(isReadable)

  private static func path(_ name: String) -> String { Goldens.path("phone_\(name)") }

  /// Whether the library for the picture is there; any other failure is for the tests.
  private static func isReadable(_ name: String) -> Bool {
    do throws(ImageError) {
      _ = try ImageCodec.header(path: path(name))
    } catch {
      if case .missingLibrary = error.defect { return false }
    }
    return true
  }

  private static func bytes(_ name: String) throws -> [UInt8] { try FileBytes.contents(of: path(name)) }

  /// Says that the others leave formats out.
  @Test(.enabled(if: readable.count == pictures.count, "libheif1 or libwebp7 is not installed"))
  func allAreReadHere() throws {
    for name in Self.pictures { #expect(try ImageCodec.header(path: Self.path(name)).size.width > 0) }
  }

  @Test(arguments: readable)
  func equalsPillow(name: String) throws {
    let expected = try Goldens.picture("phone_\(name).expected.png")
    let image = try ImageCodec.decode(path: Self.path(name)).upright()
    try #require(image.size == expected.size)
    let levels = zip(image.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
    #expect(levels.max() ?? 0 <= Self.mostLevels)
    #expect(Double(levels.reduce(0, +)) / Double(levels.count) <= Self.meanLevels)
  }

  @Test(arguments: readable.filter { $0.hasPrefix("p3") })
  func wideColorsAreConverted(name: String) throws {
    // The red of the lower right corner leaves sRGB's gamut.
    let plain = try Goldens.picture("phone_plain.heic.expected.png")
    let image = try ImageCodec.decode(path: Self.path(name)).image
    let last = image.pixels.count - 3
    #expect(Int(image.pixels[last]) > Int(plain.pixels[last]) + 3)
  }

  @Test(arguments: readable.filter { $0.hasPrefix("turned") || $0.hasPrefix("mirrored") })
  func focalLengthAndTurn(name: String) throws {
    let header = try ImageCodec.header(path: Self.path(name))
    #expect(header.focalLengthIn35mmFilm == 26)
    let image = try ImageCodec.decode(path: Self.path(name))
    #expect(image.image.size == header.size && image.orientation == header.orientation)
    #expect(image.upright().size == PixelSize(width: 40, height: 64))
  }

  @Test(.enabled(if: isReadable("parts.heic"), "libheif is not there"))
  func whatElseAFileHoldsIsNoted() throws {
    let header = try ImageCodec.header(path: Self.path("parts.heic"))
    #expect(header.companions.sorted() == ["a depth map", "a gain map", "a portrait matte"])
    #expect(header.size == PixelSize(width: 64, height: 40))
    #expect(try ImageCodec.header(path: Self.path("plain.heic")).companions.isEmpty)
  }

  @Test(arguments: readable)
  func theContentDecides(name: String) throws {
    let place = try TemporaryDirectory()
    let path = try place.write(Self.bytes(name), to: "photo.jpg")
    #expect(try ImageCodec.decode(path: path).format.description == Self.format(name))
  }

  private static func format(_ name: String) -> String {
    name.hasSuffix("webp") ? "WebP" : String(name.suffix(4)).uppercased()
  }

  @Test(.enabled(if: isReadable("plain.webp"), "libwebp is not there"))
  func alphaIsStraight() throws {
    let expected = try ImageCodec.decodeRGBA(path: Goldens.path("phone_alpha.webp.expected.png"))
    #expect(try ImageCodec.decodeRGBA(path: Self.path("alpha.webp")) == expected)
  }

  @Test(arguments: readable)
  func opaqueWhereThereIsNoAlpha(name: String) throws {
    let bytes = try Self.bytes(name)
    let (image, translucent) = (try ImageCodec.decode(bytes).image, try ImageCodec.decodeRGBA(bytes))
    #expect(translucent == RGBAImage(image))
  }

  @Test(.enabled(if: isReadable("plain.webp"), "libwebp is not there"))
  func animationsAreRefused() throws {
    let error = #expect(throws: ImageError.self) {
      try ImageCodec.decode(path: Self.path("animation.webp"))
    }
    guard case .unsupported(.webp, _) = error?.defect else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: readable)
  func cutAnywhere(name: String) throws {
    let bytes = try Self.bytes(name)
    for count in stride(from: 12, to: bytes.count, by: 37) {
      #expect(throws: ImageError.self, "\(count)") { try ImageCodec.decode(Array(bytes.prefix(count))) }
    }
  }

  @Test(arguments: readable)
  func sizesAreCheckedBeforeDecoding(name: String) throws {
    let limits = ImageLimits(maxPixels: 64 * 40 - 1, maxFileBytes: 1 << 20)
    let bytes = try Self.bytes(name)
    let reads: [() throws -> Void] = [
      { _ = try ImageCodec.decode(bytes, limits: limits) },
      { _ = try ImageCodec.header(bytes, limits: limits) },
    ]
    for read in reads {
      let error = #expect(throws: ImageError.self) { try read() }
      guard case .tooManyPixels(_, _, limits.maxPixels) = error?.defect else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  /// The size of an item in a box of its own, which decoders believe before they see the picture.
  @Test(arguments: readable.filter { $0.hasSuffix("heic") || $0.hasSuffix("avif") })
  func aStatedSizeBeyondTheLimit(name: String) throws {
    var bytes = try Self.bytes(name)
    let box = try #require(bytes.indices.first { bytes[$0...].starts(with: "ispe".utf8) })
    bytes.replaceSubrange(box + 8..<box + 12, with: [0x00, 0x0f, 0xff, 0xff])
    bytes.replaceSubrange(box + 12..<box + 16, with: [0x00, 0x0f, 0xff, 0xff])
    let error = #expect(throws: ImageError.self) { try ImageCodec.decode(bytes) }
    guard case .tooManyPixels = error?.defect else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func anAbsentLibraryNamesItsPackage() {
    for (format, package) in [
      (ImageFormat.heic, "libheif1"), (.avif, "libheif1"), (.webp, "libwebp7"),
    ] {
      let defect = ImageDefect.missingLibrary(format, reason: "no such file")
      #expect("\(defect)".contains("install the Debian package \(package)"))
      #expect(fault(of: defect) == .unavailable)
    }
  }
}
