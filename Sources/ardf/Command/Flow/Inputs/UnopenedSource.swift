import AppCore

/// A stand-in for a source that cannot be opened, one of several: its only frame fails when it is read.
struct UnopenedSource: CaptureSource {
  let path: String
  let error: CaptureError

  /// The sources that `open` gives of a path, or one that stands in for them.
  ///
  /// - Throws: errors other than the source's, and `CaptureError` for what is not a source, or is too large.
  static func standingIn(
    for path: String, _ open: () throws -> [any CaptureSource]
  ) throws -> [any CaptureSource] {
    do {
      return try open()
    } catch let error as CaptureError {
      switch error {
      case .unrecognizedLayout, .archive(_, .nothing), .tooManyFrames: throw error
      default: return [UnopenedSource(path: path, error: error)]
      }
    }
  }

  var frames: [FrameReference] { [FrameReference(name: path, timestamp: 0)] }
  var skipped: [SkippedFrame] { [] }
  var layout: CaptureLayout { .images }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame { throw error }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? { throw error }
}
