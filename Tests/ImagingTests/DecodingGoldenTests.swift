import Imaging
import Testing

/// Kinds of files against what OpenCV reads from them.
@Suite struct DecodingGoldenTests {
  @Test(arguments: [
    "decode_420.jpg", "decode_422.jpg", "decode_progressive.jpg", "decode_grey.jpg", "decode_cmyk.jpg",
    "decode_palette.png", "decode_1bit.png", "decode_grey_alpha.png", "decode_16bit.png",
  ])
  func equalsOpenCV(name: String) throws {
    let expected = try Goldens.picture(name.replacing(".", with: "_") + ".expected.png")
    let image = try Goldens.picture(name)
    #expect(image.size == expected.size)
    let worst = zip(image.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }.max()
    #expect(worst == 0)
  }

  @Test func paletteTransparencyIsReadWhenAlphaIsAskedFor() throws {
    let image = try ImageCodec.decodeRGBA(path: Goldens.path("decode_palette.png"))
    let alphas = Set(stride(from: 3, to: image.pixels.count, by: 4).map { image.pixels[$0] })
    #expect(alphas == [0, 255])
  }
}
