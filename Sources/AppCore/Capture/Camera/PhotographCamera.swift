import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the camera of a plain picture comes from.
public enum PhotographCamera: Sendable, Equatable {
  /// EXIF's focal length for 35 mm film, where the file says it; else there is none.
  case exif
  /// As stated, for every picture.
  case stated(StatedCamera)
  /// The angle that a picture's longer side spans, degrees; the axis goes through the middle.
  case fieldOfView(Double)

  /// The angles that a field of view may have, degrees.
  public static let angles = 1.0...170.0
  /// The diagonal of a picture on 35 mm film, 36 x 24, millimeters.
  private static let filmDiagonal = (36.0 * 36 + 24 * 24).squareRoot()

  /// The camera of the picture with this header; nil where it is unknown.
  ///
  /// - Throws: `CaptureError.badIntrinsics` for a stated camera of another shape or beyond reason.
  func intrinsics(of header: ImageHeader, file: String) throws(CaptureError) -> Intrinsics? {
    try intrinsics(of: header.size, focalLengthIn35mmFilm: header.focalLengthIn35mmFilm, file: file)
  }

  /// The camera of a picture of which EXIF may say a focal length.
  func intrinsics(
    of size: PixelSize, focalLengthIn35mmFilm: Int?, file: String
  ) throws(CaptureError) -> Intrinsics? {
    switch self {
    case .stated(let camera):
      let intrinsics = try camera.intrinsics(for: size, file: file)
      try PlausibleCamera.check(intrinsics, file: file)
      return intrinsics
    case .fieldOfView(let degrees):
      let focal = Self.focalLength(degrees, longerSide: Double(max(size.width, size.height)))
      return try Self.centered(focal, size, file: file)
    case .exif:
      guard let focal = focalLengthIn35mmFilm else { return nil }
      let (width, height) = (Double(size.width), Double(size.height))
      let diagonal = (width * width + height * height).squareRoot()
      let camera = try Self.centered(Double(focal) * diagonal / Self.filmDiagonal, size, file: file)
      // What EXIF says may be nonsense, and is then no camera.
      do {
        try PlausibleCamera.check(camera, file: file)
      } catch {
        return nil
      }
      return camera
    }
  }

  /// f = (side / 2) / tan(angle / 2).
  private static func focalLength(_ degrees: Double, longerSide: Double) -> Double {
    let half = min(max(degrees, angles.lowerBound), angles.upperBound) * .pi / 360
    return longerSide / 2 / tan(half)
  }

  /// A camera of square pixels whose axis meets the picture's middle.
  private static func centered(
    _ focal: Double, _ size: PixelSize, file: String
  ) throws(CaptureError) -> Intrinsics {
    do {
      return try Intrinsics(
        fx: focal, fy: focal, cx: Double(size.width) / 2 - 0.5, cy: Double(size.height) / 2 - 0.5,
        imageWidth: size.width, imageHeight: size.height)
    } catch {
      throw .badIntrinsics(file: file, reason: "\(error)")
    }
  }
}
