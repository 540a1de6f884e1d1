import ArgumentParser
import Imaging

/// How pictures for people are written: those that show results, and are not read by other commands.
enum PictureFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  case jpeg, png

  /// libjpeg's own bound on a side, pixels.
  private static let longestJPEGSide = 65_500

  /// Also as the files end.
  init?(argument: String) { self.init(rawValue: argument == "jpg" ? "jpeg" : argument) }

  /// What the name of a file ends in.
  var ending: String { self == .jpeg ? "jpg" : "png" }

  /// The picture of that name as a file.
  func file(_ stem: String) -> String { "\(stem).\(ending)" }

  /// A picture's bytes; JPEG at the quality of a replay's frames.
  ///
  /// - Throws: `ImageError`; `CommandError.input` where a side is longer than JPEG has room for.
  func encode(_ image: RGBImage) throws -> [UInt8] {
    guard self == .jpeg else { return try ImageCodec.encodePNG(image) }
    guard max(image.width, image.height) <= Self.longestJPEGSide else {
      throw CommandError.input(
        "the picture of results has \(image.width)x\(image.height) pixels, and a side of a JPEG has at most "
          + "\(Self.longestJPEGSide); give --picture-format png")
    }
    return try ImageCodec.encodeJPEG(image)
  }
}

/// How pictures for people are written.
struct PictureOptions: ParsableArguments {
  @Option(
    help: """
      How pictures for people are written (annotated, relative, results): jpeg, or png, which loses nothing and takes \
      longer.
      """)
  var pictureFormat = PictureFormat.jpeg
}
