import Geometry
import Imaging
import Testing

@Suite struct CodecRoundTripTests {
  @Test func pngKeepsEveryRGBPixel() throws {
    let image = TestPictures.gradient(width: 37, height: 23)
    let decoded = try ImageCodec.decode(ImageCodec.encodePNG(image))
    #expect(decoded.image == image)
    #expect(decoded.orientation == .up)
    #expect(decoded.format == .png)
  }

  @Test func pngKeepsAlphaWhenAskedAndDropsItOtherwise() throws {
    var image = RGBAImage(width: 3, height: 2)
    image.pixels = (0..<24).map { UInt8($0 * 10) }
    let bytes = try ImageCodec.encodePNG(image)
    #expect(try ImageCodec.decodeRGBA(bytes) == image)
    let dropped = (0..<24).filter { $0 % 4 != 3 }.map { UInt8($0 * 10) }
    #expect(try ImageCodec.decode(bytes).image.pixels == dropped)
  }

  @Test func pngKeeps16BitDepth() throws {
    let depth = Plane<UInt16>(width: 5, height: 3, elements: (0..<15).map { UInt16($0 * 4369) })
    #expect(try ImageCodec.decodeGray16(ImageCodec.encodePNG(depth)) == depth)
  }

  /// Both bytes of a sample change up and down from row to row, at widths that fill no vector.
  @Test(arguments: [1, 7, 33]) func pngKeepsEveryStepOf16Bits(width: Int) throws {
    let depth = Plane<UInt16>(
      width: width, height: 9,
      elements: (0..<9 * width).map { UInt16(truncatingIfNeeded: $0 * 40_503 ^ $0 << 7) })
    #expect(try ImageCodec.decodeGray16(ImageCodec.encodePNG(depth)) == depth)
  }

  @Test func pngKeeps8BitGray() throws {
    let confidence = Plane<UInt8>(width: 4, height: 3, elements: (0..<12).map { UInt8($0 % 3) })
    #expect(try ImageCodec.decodeGray8(ImageCodec.encodePNG(confidence)) == confidence)
  }

  /// One IHDR, IDAT and IEND, whose checksums libspng verified; the first row is unfiltered.
  @Test func pngHasTheChunksOfTheStandard() throws {
    let bytes = try ImageCodec.encodePNG(TestPictures.noise(width: 300, height: 2))
    #expect(Array(bytes.prefix(8)) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    let header: [UInt8] = [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 1, 44, 0, 0, 0, 2, 8, 2, 0, 0, 0]
    #expect(Array(bytes[8..<29]) == header)
    let length = bytes[33..<37].reduce(0) { $0 << 8 | Int($1) }
    #expect(Array(bytes[37..<41]) == Array("IDAT".utf8))
    // The end's checksum is that of its four letters.
    #expect(Array(bytes[(33 + 12 + length)...]) == [0, 0, 0, 0, 73, 69, 78, 68, 0xae, 0x42, 0x60, 0x82])
    var damaged = bytes
    damaged[50] ^= 1
    #expect(throws: ImageError.self) { try ImageCodec.decode(damaged) }
  }

  @Test func grayBecomesEqualChannels() throws {
    let gray = Plane<UInt8>(width: 2, height: 1, elements: [7, 200])
    let image = try ImageCodec.decode(ImageCodec.encodePNG(gray)).image
    #expect(image.pixels == [7, 7, 7, 200, 200, 200])
  }

  @Test func jpegStaysCloseToTheOriginal() throws {
    let image = TestPictures.gradient(width: 64, height: 48)
    let decoded = try ImageCodec.decode(ImageCodec.encodeJPEG(image, quality: 95))
    #expect(decoded.format == .jpeg)
    #expect(decoded.image.size == image.size)
    let worst = zip(decoded.image.pixels, image.pixels).map { abs(Int($0) - Int($1)) }.max()!
    #expect(worst <= TestPictures.jpegTolerance)
  }

  @Test func headerAgreesWithTheDecodedPicture() throws {
    let image = TestPictures.gradient(width: 21, height: 9)
    for bytes in [try ImageCodec.encodePNG(image), try ImageCodec.encodeJPEG(image)] {
      let header = try ImageCodec.header(bytes)
      let decoded = try ImageCodec.decode(bytes)
      #expect(header.size == decoded.image.size)
      #expect(header.format == decoded.format)
    }
  }

  @Test func encodingIsDeterministic() throws {
    let image = TestPictures.gradient(width: 50, height: 40)
    #expect(try ImageCodec.encodePNG(image) == ImageCodec.encodePNG(image))
    #expect(try ImageCodec.encodeJPEG(image) == ImageCodec.encodeJPEG(image))
  }
}
