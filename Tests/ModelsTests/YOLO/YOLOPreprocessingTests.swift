import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

@Suite("YOLO11 preprocessing")
struct YOLOPreprocessingTests {
  private func tensor(_ picture: RGBImage, _ letterbox: Letterbox) -> [Float] {
    let size = letterbox.networkSize
    var input = [Float](repeating: -1, count: size.width * size.height * 3)
    var span = input.mutableSpan
    YOLOPreprocessing.fill(&span, with: picture, letterbox: letterbox)
    return input
  }

  @Test("gray 114 around the picture, bytes over 255 inside, red first")
  func padding() {
    let pixels: [UInt8] = (0..<16).flatMap { _ in [255, 51, 0] }
    let picture = RGBImage(width: 8, height: 2, pixels: pixels)
    // 8x2 becomes 32x8 with 12 rows above and below.
    let letterbox = Letterbox(imageSize: picture.size, networkSize: PixelSize(width: 32, height: 32))
    let input = tensor(picture, letterbox)
    for row in 0..<32 {
      let expected: [Float] = (12..<20).contains(row) ? [1, 0.2, 0] : [Float](repeating: 114 / 255, count: 3)
      for column in 0..<32 {
        #expect(Array(input[(row * 32 + column) * 3..<(row * 32 + column) * 3 + 3]) == expected)
      }
    }
  }

  @Test("an odd free row goes below, an odd free column to the right")
  func oddPadding() {
    let picture = RGBImage(width: 32, height: 31, pixels: [UInt8](repeating: 255, count: 32 * 31 * 3))
    let wide = tensor(
      picture, Letterbox(imageSize: picture.size, networkSize: PixelSize(width: 32, height: 32)))
    #expect(wide.firstIndex(of: 1) == 0)
    #expect(wide.lastIndex(of: 1) == 31 * 32 * 3 - 1)
    let tall = RGBImage(width: 31, height: 32, pixels: picture.pixels)
    let input = tensor(tall, Letterbox(imageSize: tall.size, networkSize: PixelSize(width: 32, height: 32)))
    for row in 0..<32 {
      #expect(input[row * 96] == 1 && input[row * 96 + 92] == 1 && input[row * 96 + 93] == 114 / 255)
    }
  }

  @Test(
    "real pictures are the reference's, one level at most apart",
    .enabled(if: References.available, "ARDF_REFERENCES names no folder"), arguments: ReferencePicture.names)
  func reference(name: String) throws {
    let picture = try ReferencePicture.load(name)
    let reference = try References.store("real/yolo11n-seg-\(name).ref")
    let expected = ReferenceMap(try reference.tensor(named: "input"))
    let found = tensor(picture, Letterbox(imageSize: picture.size))
    let comparison = NumericComparison(found, to: expected.elements)
    #expect(comparison.maximumAbsolute <= 1.001 / 255, "\(comparison)")
    // Nearly all bytes are equal.
    #expect(comparison.relativeL2 < 1e-3, "\(comparison)")
  }
}
