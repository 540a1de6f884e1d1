import Geometry
import Models
import Testing

@Suite("Depth input size")
struct DepthInputSizeTests {
  @Test(
    "the shorter side becomes 518, both are multiples of 14",
    arguments: [
      (1920, 1440, 686, 518), (1440, 1920, 518, 686), (1280, 720, 924, 518), (400, 300, 686, 518),
      // 38.5 patches round to the even 38.
      (77, 74, 532, 518), (518, 518, 518, 518), (1, 1, 518, 518), (640, 480, 686, 518),
    ])
  func lowerBound(width: Int, height: Int, networkWidth: Int, networkHeight: Int) throws {
    let size = try DepthInputSize.lowerBound(for: PixelSize(width: width, height: height))
    #expect(size == PixelSize(width: networkWidth, height: networkHeight))
  }

  @Test("no side is under the bound, whatever the picture")
  func bound() throws {
    for width in stride(from: 3, through: 2000, by: 37) {
      for height in stride(from: max(3, width / 8), through: width * 8, by: 101) {
        let size = try DepthInputSize.lowerBound(for: PixelSize(width: width, height: height))
        #expect(min(size.width, size.height) >= 518)
        #expect(size.width % 14 == 0 && size.height % 14 == 0)
      }
    }
  }

  @Test("bounds that are no network's are refused", arguments: [Int.min, -14, 0, 13, 1793, .max])
  func invalidBound(bound: Int) throws {
    let picture = PixelSize(width: 640, height: 480)
    #expect(throws: DepthError.invalidBound(bound)) {
      try DepthInputSize.lowerBound(for: picture, bound: bound)
    }
    #expect(throws: DepthError.invalidBound(bound)) {
      try DepthAnythingV2(weights: Golden.store("depth-tiny"), input: .lowerBound(bound))
    }
  }

  @Test("other bounds", arguments: [(14, 14), (252, 252), (500, 504), (510, 518), (1792, 1792)])
  func otherBounds(bound: Int, side: Int) throws {
    let square = PixelSize(width: 33, height: 33)
    let size = try DepthInputSize.lowerBound(for: square, bound: bound)
    #expect(size == PixelSize(width: side, height: side))
  }

  @Test("a strip is refused instead of filling the memory")
  func strip() {
    let strip = PixelSize(width: 20_000, height: 10)
    #expect(throws: DepthError.tooElongated(strip, bound: 518, largest: 28)) {
      try DepthInputSize.lowerBound(for: strip)
    }
    #expect(throws: Never.self) { try DepthInputSize.lowerBound(for: strip, bound: 28) }
    #expect(throws: DepthError.tooElongated(strip, bound: 42, largest: 28)) {
      try DepthInputSize.lowerBound(for: strip, bound: 42)
    }
  }
}
