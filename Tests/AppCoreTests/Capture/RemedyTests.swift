import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// The remedies of messages: each says once what to do.
@Suite struct RemedyTests {
  private static let images: [ImageDefect] =
    [
      .missing, .unreadable(reason: "r"), .fileTooLarge(bytes: 2, limit: 1), .empty, .unknownFormat,
      .foreignFormat("GIF"), .notARegularFile, .pointer, .tooManyPixels(width: 2, height: 2, limit: 1),
    ]
    + ([.jpeg, .png, .heic, .avif, .webp, .tiff, .jpeg2000, .bmp, .pnm] as [ImageFormat]).flatMap {
      [
        .missingLibrary($0, reason: "r"), .truncated($0), .zeroSize($0), .corrupt($0, detail: "d"),
        .unsupported($0, detail: "d"), .sideTooLong($0, width: 2, height: 2, limit: 1),
        .encodingFailed($0, detail: "d"),
      ] as [ImageDefect]
    }
  private static let parts: [any Error & CustomStringConvertible] =
    images
    + ([.truncated, .tooManyPixels(width: 2, height: 2, limit: 1), .malformed("m"), .unsupported("tiles")]
      as [OpenEXR.Defect])
    + ([.truncated, .tooLarge(limit: 1), .malformed("m")] as [LZFSEError])
    + ([
      .noDirectory, .malformedDirectory("m"), .multipleDisks, .duplicateName("n"), .invalidName,
      .encrypted("n"),
    ]
      as [ZipError])
  private static let files: [FileError] = [
    .missing(path: "f"), .isDirectory(path: "f"), .notADirectory(path: "f"), .pointer(path: "f"),
    .empty(path: "f"),
    .notARegularFile(path: "f"), .alreadyExists(path: "f"), .edited(path: "f", entry: "e"),
    .permissionDenied(path: "f"), .changed(path: "f"),
    .noSpace(path: "f"),
  ]
  private static let captures: [CaptureError] = [
    .notFound(path: "f"), .unreadable(file: "f", reason: "r"), .notADirectory(path: "f"),
    .unrecognizedLayout(path: "f"), .severalCaptures(path: "f", names: ["a", "b"]),
    .tooManyFrames(path: "f", limit: 1), .noSuchFrame(index: 2, count: 1),
    .fileTooLarge(file: "f", bytes: 2, limit: 1), .tooManyPixels(file: "f", width: 2, height: 2, limit: 1),
    .tooMuchUnpacking(file: "f"), .foreignPicture(file: "f", format: "GIF"), .film(file: "f"),
    .unsupportedSchema(file: "f", found: "a", expected: "b"), .missingField(file: "f", field: "a"),
    .badField(file: "f", field: "a", expected: "b"), .missingFile(file: "f", name: "n"), .pointer(file: "f"),
    .confidenceWithoutDepth(file: "f"), .badIntrinsics(file: "f", reason: "r"),
    .badPose(file: "f", reason: "r"),
  ]
  private static let films: [MediaError] = [
    .noFFmpeg, .ffmpeg(file: "f", message: "m"), .damaged(file: "f", message: "m"),
    .noFilm(file: "f", kind: "k"), .unwritten(file: "f"), .empty(file: "f"), .sizes(file: "f"),
  ]
  private static let streams: [StreamError] = [
    .tooManyPixels(name: "f", width: 2, height: 2, limit: 1), .unreachable(name: "f", message: "m"),
    .lost(name: "f", message: "m"), .noPicture(name: "f"),
  ]

  /// Every defect by itself and in what names its file.
  static var messages: [String] {
    var errors: [any Error & CustomStringConvertible] = captures
    errors += films
    errors += streams
    for part in parts { errors += [part, CaptureError.malformed(file: "f", reason: "\(part)")] }
    for image in images {
      let error = ImageError(file: "f", defect: image)
      errors += [error, MediaError.picture(error)]
    }
    for file in files { errors += [file, MediaError.file(file), StreamError.file(file)] }
    return errors.map { "\($0)" }
  }

  @Test(arguments: messages + wholeMessages) func isSaidOnce(_ message: String) {
    #expect(Remedies.found(in: message).count <= 1, "\(Remedies.found(in: message))")
  }

  /// A message says what to do, or what is right in place of what was found.
  @Test(arguments: wholeMessages) func isSaid(_ message: String) {
    #expect(Remedies.saysWhatIsRight(message) || Remedies.found(in: message).count == 1)
  }

  @Test func damageHasARemedy() {
    for defect in [ImageDefect.truncated(.jpeg), .corrupt(.png, detail: "d"), .empty] {
      #expect(Remedies.found(in: "\(CaptureError.malformed(file: "f", reason: "\(defect)"))").count == 1)
    }
    // What this suite must notice.
    #expect(Remedies.found(in: "f: too early: copy or download it; replace it by a sound file").count == 2)
  }
}
