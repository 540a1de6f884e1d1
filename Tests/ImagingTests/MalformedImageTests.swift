import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Handmade bad pictures, each refused with its own error.
@Suite struct MalformedImageTests {
  private static let picture = TestPictures.gradient(width: 40, height: 30)

  private func expect(
    _ bytes: [UInt8], _ defect: ImageDefect, limits: ImageLimits = .default,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: ImageError(file: "bad", defect: defect), sourceLocation: sourceLocation) {
      _ = try ImageCodec.decode(bytes, name: "bad", limits: limits)
    }
  }

  /// One of the defects that versions of a library call it: libjpeg-turbo 3 words some in another way than 2.
  private func expect(
    _ bytes: [UInt8], oneOf defects: [ImageDefect], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      _ = try ImageCodec.decode(bytes, name: "bad")
    }
    let expected = defects.map { ImageError(file: "bad", defect: $0) }
    if let error { #expect(expected.contains(error), sourceLocation: sourceLocation) }
  }

  // MARK: - Any format

  @Test func noBytes() { expect([], .empty) }

  @Test func text() { expect(Array("ardf, or not".utf8), .unknownFormat) }

  @Test func otherFormats() { expect(Array("GIF89a".utf8), .foreignFormat("a GIF picture")) }

  @Test func halfASignature() { expect(Array(PNGSamples.signature[..<5]), .unknownFormat) }

  @Test func aMissingFile() {
    #expect(throws: ImageError(file: "/nowhere/a.png", defect: .missing)) {
      _ = try ImageCodec.decode(path: "/nowhere/a.png")
    }
  }

  @Test func aFolder() {
    #expect(throws: ImageError(file: "/", defect: .unreadable(reason: "it is a folder"))) {
      _ = try ImageCodec.decode(path: "/")
    }
  }

  @Test func whatIsNoFile() {
    #expect(throws: ImageError(file: "/dev/null", defect: .notARegularFile)) {
      _ = try ImageCodec.decode(path: "/dev/null")
    }
  }

  /// The other end of a named pipe is not waited for.
  @Test func aNamedPipe() throws {
    let place = try TemporaryDirectory()
    let path = place.file("a.jpg")
    let made = unsafe mkfifo(path, 0o600)
    #expect(made == 0)
    #expect(throws: ImageError(file: path, defect: .notARegularFile)) {
      _ = try ImageCodec.header(path: path)
    }
  }

  @Test func aPointerOfGitLFS() throws {
    let place = try TemporaryDirectory()
    let path = try place.write("version https://git-lfs.github.com/spec/v1\noid sha256:00\n", to: "a.jpg")
    #expect(throws: ImageError(file: path, defect: .pointer)) { _ = try ImageCodec.decode(path: path) }
  }

  @Test func aFileBeyondTheLimit() throws {
    let bytes = try ImageCodec.encodePNG(Self.picture)
    expect(
      bytes, .fileTooLarge(bytes: bytes.count, limit: 20),
      limits: ImageLimits(maxPixels: 9999, maxFileBytes: 20))
  }

  @Test func aPictureBeyondTheLimit() throws {
    let limits = ImageLimits(maxPixels: 1199, maxFileBytes: 1 << 20)
    for bytes in [try ImageCodec.encodePNG(Self.picture), try ImageCodec.encodeJPEG(Self.picture)] {
      expect(bytes, .tooManyPixels(width: 40, height: 30, limit: 1199), limits: limits)
    }
  }

  @Test func theSuffixDoesNotMatter() throws {
    let folder = try TemporaryDirectory()
    try AtomicFile.write(ImageCodec.encodePNG(Self.picture), to: folder.file("a.jpg"), overwrite: false)
    #expect(try ImageCodec.decode(path: folder.file("a.jpg")).format == .png)
  }

  // MARK: - JPEG

  @Test func jpegOfThreeBytes() { expect([0xFF, 0xD8, 0xFF], .truncated(.jpeg)) }

  @Test func jpegOfMarkersOnly() { expect([0xFF, 0xD8, 0xFF, 0xD9], .truncated(.jpeg)) }

  @Test func jpegCutAnywhere() throws {
    let bytes = try ImageCodec.encodeJPEG(Self.picture)
    for count in stride(from: 4, to: bytes.count - 2, by: 7) {
      #expect(throws: ImageError.self, "\(count) of \(bytes.count) bytes") {
        _ = try ImageCodec.decode(Array(bytes[..<count]))
      }
    }
    expect(Array(bytes[..<40]), .truncated(.jpeg))
    expect(Array(bytes[..<(bytes.count - 40)]), .truncated(.jpeg))
    expect(Array(bytes.dropLast(3)), .truncated(.jpeg))
  }

  @Test func jpegOfZeroHeight() throws {
    var bytes = try ImageCodec.encodeJPEG(Self.picture)
    let frame = try #require(jpegFrame(bytes))
    bytes.replaceSubrange(frame + 5..<frame + 7, with: [0, 0])
    let newer = "tjDecompressHeader3(): Could not determine subsampling level of JPEG image"
    expect(
      bytes,
      oneOf: ["Empty JPEG image (DNL not supported)", newer].map { .corrupt(.jpeg, detail: $0) })
  }

  @Test func jpegOfHugeSize() throws {
    var bytes = try ImageCodec.encodeJPEG(Self.picture)
    let frame = try #require(jpegFrame(bytes))
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
    expect(bytes, .tooManyPixels(width: 65500, height: 65500, limit: ImageLimits.default.maxPixels))
  }

  @Test func jpegOf12Bits() throws {
    var bytes = try ImageCodec.encodeJPEG(Self.picture)
    bytes[try #require(jpegFrame(bytes)) + 4] = 12
    expect(bytes, .unsupported(.jpeg, detail: "Unsupported JPEG data precision 12"))
  }

  @Test func jpegOfAnUnsupportedProcess() throws {
    var bytes = try ImageCodec.encodeJPEG(Self.picture)
    bytes[try #require(jpegFrame(bytes)) + 1] = 0xC3
    // The newer version decodes what is coded without loss, but not in these colors.
    expect(
      bytes,
      oneOf: ["Unsupported JPEG process: SOF type 0xc3", "Unsupported color conversion request"]
        .map { .unsupported(.jpeg, detail: $0) })
  }

  @Test func jpegWithDamagedScan() throws {
    var bytes = try ImageCodec.encodeJPEG(TestPictures.noise(width: 64, height: 64), quality: 95)
    bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 8, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(throws: ImageError.self) { _ = try ImageCodec.decode(bytes) }
  }

  @Test func strayBytesBeforeTheEndAreHarmless() throws {
    let bytes = try ImageCodec.encodeJPEG(Self.picture)
    let stray = bytes.dropLast(2) + [0, 0, 0, 0] + bytes.suffix(2)
    #expect(try ImageCodec.decode(Array(stray)).image == ImageCodec.decode(bytes).image)
    #expect(try ImageCodec.decode(bytes + [1, 2, 3]).image == ImageCodec.decode(bytes).image)
  }

  /// The offset of the baseline frame header's marker.
  private func jpegFrame(_ bytes: [UInt8]) -> Int? {
    bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }
  }

  // MARK: - PNG

  @Test func pngCutAnywhere() throws {
    let bytes = try ImageCodec.encodePNG(Self.picture)
    for count in 8..<bytes.count { expect(Array(bytes[..<count]), .truncated(.png)) }
  }

  @Test func pngOfZeroWidth() { expect(PNGSamples.header(width: 0, height: 4), .zeroSize(.png)) }

  @Test func pngOfZeroHeight() { expect(PNGSamples.header(width: 4, height: 0), .zeroSize(.png)) }

  @Test func pngOfHugeSize() {
    expect(
      PNGSamples.header(width: 60_000, height: 60_000),
      .tooManyPixels(width: 60_000, height: 60_000, limit: ImageLimits.default.maxPixels))
  }

  @Test func pngOfOneEndlessRow() {
    expect(
      PNGSamples.header(width: 1 << 21, height: 1),
      .tooManyPixels(width: 1 << 21, height: 1, limit: ImageLimits.default.maxPixels))
  }

  @Test func pngWithBadHeaderChecksum() throws {
    var bytes = try ImageCodec.encodePNG(Self.picture)
    bytes[PNGSamples.headerEnd - 1] ^= 1
    expect(bytes, .corrupt(.png, detail: "invalid chunk checksum"))
  }

  @Test func pngWithBadDataChecksum() throws {
    var bytes = try ImageCodec.encodePNG(Self.picture)
    bytes[bytes.count - 13] ^= 1
    #expect(throws: ImageError.self) { _ = try ImageCodec.decode(bytes) }
  }

  @Test func pngWithoutData() {
    let bytes = PNGSamples.header(width: 4, height: 4) + PNGSamples.chunk("IEND", [])
    #expect(throws: ImageError.self) { _ = try ImageCodec.decode(bytes) }
  }

  @Test func pngOfAnInvalidDepth() {
    expect(
      PNGSamples.header(width: 4, height: 4, depth: 3),
      .corrupt(.png, detail: "invalid bit depth"))
  }

  @Test func pngOfAnInvalidColorType() {
    expect(PNGSamples.header(width: 4, height: 4, color: 5), .corrupt(.png, detail: "invalid color type"))
  }

  @Test func pngPaletteWithoutPalette() {
    let bytes =
      PNGSamples.header(width: 1, height: 1, color: 3) + PNGSamples.chunk("IDAT", [0x78, 0x9C, 0x63, 0, 0])
      + PNGSamples.chunk("IEND", [])
    expect(bytes, .corrupt(.png, detail: "missing PLTE for indexed image"))
  }

  @Test func pngWithDamagedAncillaryChunkIsRead() throws {
    var text = PNGSamples.chunk("tEXt", Array("a\0b".utf8))
    text[text.count - 1] ^= 1
    let bytes = PNGSamples.inserting(text, in: try ImageCodec.encodePNG(Self.picture))
    #expect(try ImageCodec.decode(bytes).image == Self.picture)
  }

  @Test func whatLiesBehindAPNGDoesNotMatter() throws {
    let bytes = try ImageCodec.encodePNG(Self.picture)
    let plain = try ImageCodec.decode(bytes).image
    for rest in [[UInt8](repeating: 0, count: 2_000_000), Array("IDATxxxx".utf8), bytes] {
      #expect(try ImageCodec.decode(bytes + rest).image == plain)
    }
  }

  @Test func pngWithMoreChunksThanAnyPictureNeeds() throws {
    let filler = PNGSamples.chunk("IDAT", []) + PNGSamples.chunk("tEXt", [])
    let fillers = (0..<70_000).flatMap { _ in filler }
    let bytes = PNGSamples.inserting(fillers, in: try ImageCodec.encodePNG(Self.picture))
    expect(bytes, .corrupt(.png, detail: "more than 65536 chunks"))
  }

  @Test func emptyAndHugeAncillaryChunksAreSkipped() throws {
    let ancillary =
      PNGSamples.chunk("eXIf", []) + PNGSamples.chunk("gAMA", [1]) + PNGSamples.chunk("iCCP", [0, 0, 1])
      + PNGSamples.chunk("zTXt", [UInt8](repeating: 7, count: 20 << 20))
    let bytes = PNGSamples.inserting(ancillary, in: try ImageCodec.encodePNG(Self.picture))
    #expect(try ImageCodec.decode(bytes).image == Self.picture)
  }

  // MARK: - Grayscale readers

  @Test func depthMustBe16Bit() throws {
    let bytes = try ImageCodec.encodePNG(Plane<UInt8>(width: 2, height: 2, fill: 1))
    #expect(
      throws: ImageError(
        file: "bad", defect: .unsupported(.png, detail: "16-bit grayscale expected, this is 8-bit grayscale"))
    ) { _ = try ImageCodec.decodeGray16(bytes, name: "bad") }
  }

  @Test func confidenceMustBeGrayscale() throws {
    let bytes = try ImageCodec.encodePNG(Self.picture)
    #expect(
      throws: ImageError(
        file: "bad", defect: .unsupported(.png, detail: "8-bit grayscale expected, this is 8-bit color"))
    ) { _ = try ImageCodec.decodeGray8(bytes, name: "bad") }
  }

  @Test func depthMustNotBeJPEG() throws {
    let bytes = try ImageCodec.encodeJPEG(Self.picture)
    #expect(
      throws: ImageError(
        file: "bad", defect: .unsupported(.jpeg, detail: "a grayscale PNG is expected here"))
    ) { _ = try ImageCodec.decodeGray16(bytes, name: "bad") }
  }

  @Test func messagesNameFileAndDefect() {
    let error = ImageError(file: "a.jpg", defect: .truncated(.jpeg))
    #expect(error.description.hasPrefix("a.jpg: JPEG data end"))
  }
}
