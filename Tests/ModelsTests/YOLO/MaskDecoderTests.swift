import FileFormats
import Geometry
import Imaging
import Models
import Testing

@Suite("Instance masks")
struct MaskDecoderTests {
  /// Logits closer to zero than this may fall on either side after single-precision resampling.
  private static let undecided = 1e-5

  /// An 8x8 grid of one prototype: -1 in the left half, +1 in the right half.
  private let halves = (0..<64).map { $0 % 8 < 4 ? Float(-1) : 1 }
  private let square = Letterbox(
    imageSize: PixelSize(width: 32, height: 32), networkSize: PixelSize(width: 32, height: 32))

  @Test("the border runs where the enlarged logits change sign, half-open inside the box")
  func network() {
    let mask = MaskDecoder(letterbox: square).networkMask(
      prototypes: halves.span, coefficients: [1], box: Rect(minX: 10.2, minY: 4, maxX: 20, maxY: 6.5))
    #expect(mask.columns == 11..<20)
    #expect(mask.rows == 4..<7)
    // Cell centers 14 and 18: the sign changes at 16.
    #expect(Array(mask.elements[0..<9]) == [0, 0, 0, 0, 0, 1, 1, 1, 1])
    #expect(mask.area == 12)
    #expect(mask[16, 4] && !mask[15, 4] && !mask[20, 4] && !mask[16, 7])
  }

  @Test("a negative coefficient turns the mask over; zero logits are outside")
  func sign() {
    let decoder = MaskDecoder(letterbox: square)
    let box = Rect<NetworkPixels>(minX: 0, minY: 0, maxX: 32, maxY: 32)
    #expect(decoder.networkMask(prototypes: halves.span, coefficients: [-1], box: box).area == 512)
    #expect(decoder.networkMask(prototypes: halves.span, coefficients: [0], box: box).area == 0)
    #expect(decoder.networkMask(prototypes: halves.span, coefficients: [0], box: box).isEmpty)
    #expect(!decoder.networkMask(prototypes: halves.span, coefficients: [1], box: box).isEmpty)
  }

  @Test("a box outside the raster has an empty mask, on the picture too")
  func outside() {
    let decoder = MaskDecoder(letterbox: square)
    for box in [(-9.0, 0.0, -1.0, 9.0), (40, 0, 50, 9), (5, 5, 5, 9), (7, 5, 6, 9)] {
      let rect = Rect<NetworkPixels>(minX: box.0, minY: box.1, maxX: box.2, maxY: box.3)
      let mask = decoder.networkMask(prototypes: halves.span, coefficients: [1], box: rect)
      #expect(mask.elements.isEmpty && mask.isEmpty && mask.area == 0)
      #expect(decoder.imageMask(mask).isEmpty)
      let onPicture = decoder.imageMask(
        prototypes: halves.span, coefficients: [1], box: rect.relabeled(as: UprightPixels.self))
      #expect(onPicture.elements.isEmpty)
    }
  }

  @Test("probabilities cover the cells whose index lies in the box")
  func probabilities() {
    let mask = MaskDecoder(letterbox: square).probabilities(
      prototypes: halves.span, coefficients: [0], box: Rect(minX: 4, minY: 5, maxX: 12, maxY: 30))
    #expect(mask.columns == 1..<3)
    #expect(mask.rows == 2..<8)
    #expect(mask.probabilities.allSatisfy { $0 == 0.5 })
    let plane = mask.plane()
    #expect(plane.elements.reduce(0, +) == 6)
    #expect(plane[1, 2] == 0.5 && plane[0, 2] == 0 && plane[1, 1] == 0)
  }

  @Test(
    "both masks agree with two plain bilinear passes",
    arguments: [(64, 48), (64, 64), (61, 40), (200, 113), (37, 90), (20, 15)])
  func reference(width: Int, height: Int) {
    let letterbox = Letterbox(
      imageSize: PixelSize(width: width, height: height), networkSize: PixelSize(width: 64, height: 64))
    var generator = SplitMix64(seed: UInt64(width * 1000 + height))
    let prototypes = (0..<16 * 16 * 3).map { _ in generator.signed() }
    let coefficients = (0..<3).map { _ in generator.signed() }
    let logits = Grid(width: 16, height: 16) { x, y in
      (0..<3).reduce(0.0) { $0 + Double(prototypes[(y * 16 + x) * 3 + $1]) * Double(coefficients[$1]) }
    }
    let decoder = MaskDecoder(letterbox: letterbox)

    let networkMask = decoder.networkMask(
      prototypes: prototypes.span, coefficients: coefficients, box: Rect(minX: 0, minY: 0, maxX: 64, maxY: 64)
    )
    expect(networkMask, agreesWith: logits.resized(64, 64))

    let box = Rect<NetworkPixels>(minX: 11.5, minY: 9, maxX: 40, maxY: 51)
    let cropped = decoder.networkMask(prototypes: prototypes.span, coefficients: coefficients, box: box)
    let pixels = Grid(width: 64, height: 64) { cropped[$0, $1] ? 0.5 : -0.5 }
    let content = pixels.cropped(
      letterbox.padLeft, letterbox.padTop, letterbox.contentSize.width, letterbox.contentSize.height)
    expect(decoder.imageMask(cropped), agreesWith: content.resized(width, height))
  }

  @Test(
    "the mask of the picture is cut where logits, enlarged without the padding, change sign",
    arguments: [(64, 48, 1), (64, 64, 1), (64, 60, 2), (64, 62, 4), (61, 40, 4), (200, 113, 2), (37, 90, 4)])
  func native(width: Int, height: Int, factor: Int) {
    let letterbox = Letterbox(
      imageSize: PixelSize(width: width, height: height), networkSize: PixelSize(width: 64, height: 64))
    var generator = SplitMix64(seed: UInt64(width * 1000 + height))
    let prototypes = (0..<16 * 16 * 3).map { _ in generator.signed() }
    let coefficients = (0..<3).map { _ in generator.signed() }
    let logits = Grid(width: 16, height: 16) { x, y in
      (0..<3).reduce(0.0) { $0 + Double(prototypes[(y * 16 + x) * 3 + $1]) * Double(coefficients[$1]) }
    }
    let cells = logits.resized(16 * factor, 16 * factor)
    // By how much the enlarged grid is finer than the network's input: the padding is whole cells.
    let share = 4 / factor
    #expect(letterbox.padLeft % share == 0 && letterbox.padTop % share == 0)
    #expect(letterbox.contentSize.width % share == 0 && letterbox.contentSize.height % share == 0)
    let content = cells.cropped(
      letterbox.padLeft / share, letterbox.padTop / share, letterbox.contentSize.width / share,
      letterbox.contentSize.height / share
    ).resized(width, height)
    let box = Rect<UprightPixels>(
      minX: 0.2 * Double(width), minY: 3.5, maxX: 0.8 * Double(width), maxY: Double(height) - 2)
    let mask = MaskDecoder(letterbox: letterbox).imageMask(
      prototypes: prototypes.span, coefficients: coefficients, box: box)
    expect(
      mask,
      agreesWith: Grid(width: width, height: height) { x, y in
        let isInside =
          Double(x) >= box.minX && Double(x) < box.maxX && Double(y) >= box.minY && Double(y) < box.maxY
        return isInside ? content[x, y] : -1
      })
  }

  private func expect(_ mask: ObjectMask, agreesWith logits: Grid) {
    #expect(mask.rasterWidth == logits.width && mask.rasterHeight == logits.height)
    var disagreements = 0
    for y in 0..<logits.height {
      for x in 0..<logits.width where abs(logits[x, y]) > Self.undecided {
        disagreements += mask[x, y] == (logits[x, y] > 0) ? 0 : 1
      }
    }
    #expect(disagreements == 0)
  }
}

/// A grid of doubles with the plainest bilinear resize there is.
private struct Grid {
  let width, height: Int
  var cells: [Double]

  init(width: Int, height: Int, _ value: (Int, Int) -> Double) {
    self.width = width
    self.height = height
    cells = (0..<width * height).map { value($0 % width, $0 / width) }
  }

  subscript(x: Int, y: Int) -> Double { cells[y * width + x] }

  func cropped(_ x0: Int, _ y0: Int, _ width: Int, _ height: Int) -> Grid {
    Grid(width: width, height: height) { self[x0 + $0, y0 + $1] }
  }

  func resized(_ newWidth: Int, _ newHeight: Int) -> Grid {
    Grid(width: newWidth, height: newHeight) { x, y in
      let (x0, x1, u) = Self.taps(x, newWidth, width)
      let (y0, y1, v) = Self.taps(y, newHeight, height)
      return (self[x0, y0] * (1 - u) + self[x1, y0] * u) * (1 - v)
        + (self[x0, y1] * (1 - u) + self[x1, y1] * u) * v
    }
  }

  private static func taps(_ index: Int, _ count: Int, _ source: Int) -> (Int, Int, Double) {
    let position = max(0, (Double(index) + 0.5) * Double(source) / Double(count) - 0.5)
    let low = min(Int(position), source - 1)
    return (low, min(low + 1, source - 1), position - Double(low))
  }
}
