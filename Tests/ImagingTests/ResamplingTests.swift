import FileFormats
import Imaging
import TestSupport
import Testing

/// Resampling against what OpenCV and PyTorch make of the same picture.
@Suite struct ResamplingTests {
  /// Single-precision rounding of a sum of 16 products of values up to 1.
  private static let roundingTolerance = 5e-7

  @Test(arguments: [(20, 14), (64, 20), (22, 62), (7, 31), (15, 11)])
  func bilinear8EqualsOpenCV(width: Int, height: Int) throws {
    let resized = try Goldens.source().resizedBilinear8(width: width, height: height)
    #expect(try resized == Goldens.picture("bilinear8_\(width)x\(height).png"))
  }

  @Test(arguments: [2, 7])
  func threadsResizeAlike(threads: Int) {
    let image = TestPictures.noise(width: 90, height: 61)
    for (width, height) in [(45, 31), (200, 150), (1, 1), (90, 3)] {
      let resized = Parallel.team(of: threads) { image.resizedBilinear8(width: width, height: height) }
      #expect(resized == image.resizedBilinear8(width: width, height: height))
    }
  }

  @Test(arguments: [(48, 12), (20, 40)])
  func bicubicMatchesOpenCV(width: Int, height: Int) throws {
    let planes = try Goldens.source().resizedBicubicUnit(width: width, height: height)
    let comparison = NumericComparison(
      planes.flatMap(\.elements), to: try Goldens.floats("bicubic_\(width)x\(height).npy"))
    #expect(comparison.maximumAbsolute < Self.roundingTolerance, "\(comparison)")
  }

  @Test func bicubicOfAPlaneEqualsThatOfThePicture() throws {
    let source = try Goldens.source()
    let planes = source.resizedBicubicUnit(width: 33, height: 50)
    for (plane, whole) in zip(source.unitPlanes(), planes) {
      let comparison = NumericComparison(
        plane.resizedBicubic(width: 33, height: 50).elements, to: whole.elements)
      #expect(comparison.maximumAbsolute < Self.roundingTolerance, "\(comparison)")
    }
  }

  @Test(arguments: [(29, 17), (50, 20), (1, 1)])
  func bilinearMatchesPyTorch(width: Int, height: Int) throws {
    let plane = try Goldens.source().unitPlanes()[1]
    for (name, alignment) in [("halfpixel", ResamplingAlignment.halfPixel), ("corners", .alignCorners)] {
      let resized = plane.resizedBilinear(width: width, height: height, alignment: alignment)
      let comparison = NumericComparison(
        resized.elements, to: try Goldens.floats("\(name)_\(width)x\(height).npy"))
      #expect(comparison.maximumAbsolute < Self.roundingTolerance, "\(name): \(comparison)")
    }
  }

  @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 2), (5, 3)])
  func aConstantStaysConstantAtEverySize(width: Int, height: Int) {
    let image = RGBImage(width: width, height: height, color: Color(red: 9, green: 130, blue: 255))
    let plane = Plane<Float>(width: width, height: height, fill: 0.625)
    for (newWidth, newHeight) in [(1, 1), (3, 7), (16, 2), (40, 41)] {
      let resized = image.resizedBilinear8(width: newWidth, height: newHeight)
      #expect(resized == RGBImage(width: newWidth, height: newHeight, color: image[0, 0]))
      let bicubic = plane.resizedBicubic(width: newWidth, height: newHeight)
      #expect(bicubic.elements.allSatisfy { abs(Double($0) - 0.625) < Self.roundingTolerance })
      let bilinear = plane.resizedBilinear(width: newWidth, height: newHeight)
      #expect(bilinear.elements.allSatisfy { abs(Double($0) - 0.625) < Self.roundingTolerance })
    }
  }

  /// As the general rule has them, on which the picture of half the size is computed by itself.
  @Test(arguments: [(2, 2), (34, 10), (130, 66)]) func halvesAreRoundedMeans(width: Int, height: Int) {
    let picture = TestPictures.noise(width: width, height: height)
    let half = picture.resizedBilinear8(width: width / 2, height: height / 2)
    for y in 0..<height / 2 {
      for x in 0..<width / 2 {
        let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map { picture[2 * x + $0.0, 2 * y + $0.1] }
        func mean(_ channel: (Color) -> UInt8) -> UInt8 {
          UInt8((four.reduce(0) { $0 + Int(channel($1)) } + 2) / 4)
        }
        #expect(half[x, y] == Color(red: mean(\.red), green: mean(\.green), blue: mean(\.blue)))
      }
    }
  }

  @Test func theSameSizeChangesNothing() throws {
    let source = try Goldens.source()
    let plane = source.unitPlanes()[0]
    #expect(source.resizedBilinear8(width: source.width, height: source.height) == source)
    #expect(plane.resizedBilinear(width: plane.width, height: plane.height) == plane)
    #expect(plane.resizedNearest(width: plane.width, height: plane.height) == plane)
  }

  @Test func alignedCornersKeepTheCorners() throws {
    let plane = try Goldens.source().unitPlanes()[2]
    let resized = plane.resizedBilinear(width: 101, height: 77, alignment: .alignCorners)
    #expect(resized[0, 0] == plane[0, 0])
    #expect(resized[100, 76] == plane[plane.width - 1, plane.height - 1])
  }

  @Test func nearestDuplicatesAndTakesCenters() {
    let plane = Plane<UInt8>(width: 2, height: 1, elements: [3, 7])
    #expect(plane.resizedNearest(width: 4, height: 2).elements == [3, 3, 7, 7, 3, 3, 7, 7])
    let row = Plane<UInt8>(width: 6, height: 1, elements: [0, 1, 2, 3, 4, 5])
    #expect(row.resizedNearest(width: 2, height: 1).elements == [1, 4])
  }

  @Test func paddingSurroundsThePicture() {
    let image = TestPictures.noise(width: 4, height: 3)
    let gray = Color(red: 114, green: 114, blue: 114)
    let padded = image.padded(left: 1, top: 2, right: 3, bottom: 4, color: gray)
    #expect(padded.width == 8 && padded.height == 9)
    #expect(padded.cropped(x: 1, y: 2, width: 4, height: 3) == image)
    #expect(padded[0, 0] == gray && padded[7, 8] == gray && padded[5, 2] == gray && padded[1, 1] == gray)
  }
}
