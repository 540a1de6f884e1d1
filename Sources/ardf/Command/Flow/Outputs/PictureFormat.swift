import Imaging

/// How pictures for people are written: those that show results, and are not read by other commands.
enum PictureFormat: String, CaseIterable, Sendable {
  case jpeg, png

  /// The file name ending, without the dot.
  var ending: String { self == .jpeg ? "jpg" : "png" }

  /// The picture of that name as a file.
  func file(_ stem: String) -> String { "\(stem).\(ending)" }

  /// A picture's bytes; JPEG at the quality of a replay's frames.
  ///
  /// - Throws: `ImageError`, where a side is longer than JPEG has room for too.
  func encode(_ image: RGBImage) throws(ImageError) -> [UInt8] {
    switch self {
    case .jpeg: try ImageCodec.encodeJPEG(image)
    case .png: try ImageCodec.encodePNG(image)
    }
  }
}
