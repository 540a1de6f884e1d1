import FileFormats
import Geometry
import Imaging
import Testing

/// EXIF orientation: found in both containers and byte orders, applied exactly, never fatal.
@Suite struct OrientationTests {
  @Test(arguments: Orientation.allCases, [true, false])
  func jpegOrientationIsFound(orientation: Orientation, littleEndian: Bool) throws {
    let exif = ExifSamples.tiff(orientation: UInt16(orientation.rawValue), littleEndian: littleEndian)
    let bytes = try ExifSamples.jpeg(TestPictures.gradient(width: 24, height: 16), exif: exif)
    let decoded = try ImageCodec.decode(bytes)
    #expect(decoded.orientation == orientation)
    #expect(try ImageCodec.header(bytes).orientation == orientation)
    #expect(decoded.upright() == decoded.image.oriented(orientation))
  }

  @Test(arguments: Orientation.allCases)
  func pngOrientationIsFound(orientation: Orientation) throws {
    let exif = ExifSamples.tiff(orientation: UInt16(orientation.rawValue), littleEndian: false)
    let image = TestPictures.noise(width: 7, height: 5)
    let decoded = try ImageCodec.decode(ExifSamples.png(image, exif: exif))
    #expect(decoded.orientation == orientation)
    #expect(decoded.image == image)
  }

  @Test(arguments: [true, false])
  func focalLengthForFilmIsFound(littleEndian: Bool) throws {
    let image = TestPictures.gradient(width: 24, height: 16)
    let exif = ExifSamples.tiff(focalLengthIn35mmFilm: 26, littleEndian: littleEndian)
    for bytes in [try ExifSamples.jpeg(image, exif: exif), try ExifSamples.png(image, exif: exif)] {
      #expect(try ImageCodec.header(bytes).focalLengthIn35mmFilm == 26)
      #expect(try ImageCodec.header(bytes).orientation == .up)
    }
    for broken in [
      ExifSamples.tiff(focalLengthIn35mmFilm: 0, littleEndian: littleEndian),
      ExifSamples.tiff(focalLengthIn35mmFilm: 26, littleEndian: littleEndian, directory: 4_000_000_000),
      ExifSamples.tiff(focalLengthIn35mmFilm: 26, littleEndian: littleEndian, directory: 3),
      ExifSamples.tiff(focalLengthIn35mmFilm: 26, littleEndian: littleEndian, type: 4),
      Array(exif.dropLast(20)), ExifSamples.tiff(orientation: 6, littleEndian: littleEndian),
    ] {
      #expect(try ImageCodec.header(ExifSamples.jpeg(image, exif: broken)).focalLengthIn35mmFilm == nil)
    }
  }

  /// Also across the tiles that a picture is turned in.
  @Test(arguments: Orientation.allCases, [PixelSize(width: 7, height: 4), PixelSize(width: 70, height: 131)])
  func everyPixelMovesWhereGeometrySays(orientation: Orientation, size: PixelSize) {
    let image = TestPictures.noise(width: size.width, height: size.height)
    let upright = image.oriented(orientation)
    #expect(upright.size == orientation.apply(to: image.size))
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let stored = orientation.storedIndex(uprightX: x, y, stored: image.size)
        #expect(upright[x, y] == image[stored.x, stored.y])
      }
    }
    #expect(upright.oriented(orientation.inverse) == image)
  }

  @Test(arguments: Orientation.allCases, [2, 7])
  func threadsTurnThePictureAlike(orientation: Orientation, threads: Int) {
    let image = TestPictures.noise(width: 150, height: 131)
    #expect(Parallel.team(of: threads) { image.oriented(orientation) } == image.oriented(orientation))
  }

  /// The picture 1 2 / 3 4 / 5 6 (rows), turned as the EXIF standard words it.
  @Test(arguments: [
    (Orientation.up, [1, 2, 3, 4, 5, 6]), (.upMirrored, [2, 1, 4, 3, 6, 5]),
    (.down, [6, 5, 4, 3, 2, 1]), (.downMirrored, [5, 6, 3, 4, 1, 2]),
    (.leftMirrored, [1, 3, 5, 2, 4, 6]), (.right, [5, 3, 1, 6, 4, 2]),
    (.rightMirrored, [6, 4, 2, 5, 3, 1]), (.left, [2, 4, 6, 1, 3, 5]),
  ])
  func planesTurnAsTheStandardSays(orientation: Orientation, expected: [Int]) {
    let plane = Plane(width: 2, height: 3, elements: [1, 2, 3, 4, 5, 6])
    #expect(plane.oriented(orientation).elements == expected)
  }

  @Test(arguments: ExifSamples.corrupt)
  func corruptExifLeavesThePictureUpright(sample: ExifSamples.Corrupt) throws {
    let image = TestPictures.gradient(width: 24, height: 16)
    let plain = try ImageCodec.decode(ImageCodec.encodeJPEG(image)).image
    let decoded = try ImageCodec.decode(ExifSamples.jpeg(image, exif: sample.bytes))
    #expect(decoded.orientation == .up)
    #expect(decoded.image == plain)
    let png = try ImageCodec.decode(ExifSamples.png(image, exif: sample.bytes))
    #expect(png.orientation == .up)
    #expect(png.image == image)
  }
}
