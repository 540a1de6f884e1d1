import FileFormats

/// The kinds of inputs, in the words of all helps that name them.
///
/// `InputKindTests` holds that these are what `CaptureReader` and the picture codecs read.
enum InputKinds {
  private static let captureFiles = ".zip, .r3d of Record3D, .mcap or .db3 of ROS 2"

  /// One picture or capture.
  static let one = "a picture (\(pictureFormats)) or a capture (a folder, or a file: \(captureFiles))"
  /// Several pictures or captures, at the start of a sentence.
  static let many = "Pictures (\(pictureFormats)), captures (folders, or files: \(captureFiles))"
  /// Inputs other than files, as a whole sentence.
  static let streams =
    "Or one film, pipe (- is standard input: JPEG and PNG pictures one after the other), camera (/dev/video0), or "
    + "RTSP or HTTP address."
}
