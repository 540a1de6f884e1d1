import AppCore
import Imaging
import Testing

@Suite struct YCbCrTests {
  static func pixel(_ y: UInt8, _ cb: UInt8, _ cr: UInt8, _ matrix: YCbCrPicture.Matrix) throws -> [UInt8] {
    try YCbCrPicture(width: 1, height: 1, luma: [y], chroma: [cb, cr]).rgb(matrix).pixels
  }

  @Test(arguments: YCbCrPicture.Matrix.allCases) func graysKeepTheirLuma(_ matrix: YCbCrPicture.Matrix) throws
  {
    for y in UInt8.min...UInt8.max { #expect(try Self.pixel(y, 128, 128, matrix) == [y, y, y]) }
  }

  /// R = Y + 1.402 Cr', G = Y - 0.344136 Cb' - 0.714136 Cr', B = Y + 1.772 Cb' (JFIF).
  @Test func rec601ByHand() throws {
    #expect(try Self.pixel(76, 85, 255, .rec601) == [254, 0, 0])
    #expect(try Self.pixel(100, 100, 180, .rec601) == [173, 73, 50])
  }

  /// R = Y + 1.5748 Cr', G = Y - 0.187324 Cb' - 0.468124 Cr', B = Y + 1.8556 Cb'.
  @Test func rec709ByHand() throws {
    #expect(try Self.pixel(100, 100, 180, .rec709) == [182, 81, 48])
    #expect(try Self.pixel(200, 255, 128, .rec709) == [200, 176, 255])
  }

  @Test func chromaColorsTwoByTwoPixels() throws {
    let picture = try YCbCrPicture(
      width: 3, height: 3, luma: [UInt8](repeating: 100, count: 9),
      chroma: [128, 128, 128, 228, 228, 128, 128, 28])
    let pixels = picture.rgb(.rec601).pixels
    func red(_ x: Int, _ y: Int) -> UInt8 { pixels[(y * 3 + x) * 3] }
    #expect(
      [red(0, 0), red(1, 1), red(2, 0), red(2, 1), red(0, 2), red(2, 2)] == [100, 100, 240, 240, 100, 0])
    #expect(pixels[(2 * 3 + 1) * 3 + 2] == 255, "100 + 177.2 is clamped")
  }

  @Test func planesOfAnotherSizeAreRefused() {
    #expect(throws: YCbCrError.size(width: 0, height: 4)) {
      try YCbCrPicture(width: 0, height: 4, luma: [], chroma: [])
    }
    #expect(throws: YCbCrError.size(width: 4, height: 16_385)) {
      try YCbCrPicture(width: 4, height: 16_385, luma: [], chroma: [])
    }
    #expect(throws: YCbCrError.plane(name: "luma", bytes: 3, expected: 4)) {
      try YCbCrPicture(width: 2, height: 2, luma: [0, 0, 0], chroma: [0, 0])
    }
    #expect(throws: YCbCrError.plane(name: "chroma", bytes: 2, expected: 8)) {
      try YCbCrPicture(width: 3, height: 3, luma: [UInt8](repeating: 0, count: 9), chroma: [0, 0])
    }
  }
}
