import Imaging

/// A network that finds objects in a picture.
public protocol Detector: Sendable {
  /// The objects of an upright picture, in its own pixels.
  func detect(in picture: RGBImage) async throws -> [UprightDetection]
}

/// A detector that passes on only the middle square of a picture, so that the network sees it enlarged.
public struct CenterCropDetector: Detector {
  private let detector: any Detector

  /// A detector that sees middle squares.
  public init(_ detector: any Detector) { self.detector = detector }

  /// The objects of the middle square, in pixels of the whole upright picture.
  ///
  /// - Throws: what the detector throws.
  public func detect(in picture: RGBImage) async throws -> [UprightDetection] {
    let side = min(picture.width, picture.height)
    let (column, row) = ((picture.width - side) / 2, (picture.height - side) / 2)
    let square = picture.cropped(x: column, y: row, width: side, height: side)
    return try await detector.detect(in: square).map {
      $0.moved(toColumn: column, row: row, of: picture.size)
    }
  }
}
