import AppCore
import Imaging
import Perception
import Sharding

/// A fault in a frame's files, which need not concern other frames.
struct FrameDefect: Error {
  /// A word by which defects are counted.
  let kind: String
  /// One line that names file and remedy.
  let reason: String

  /// The kind of files that the system refused to read; a later attempt may succeed.
  static let unreadable = "unreadable"

  private init(kind: String, reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// A line of a manifest that names no capture.
  init(_ defect: ManifestDefect, line capture: Int) {
    self.init(kind: "manifest", reason: "capture \(capture), counted from 0: \(defect)")
  }

  /// The defect of an error; nil for an error that is not the frame's.
  init?(_ error: any Error) {
    let kind: String
    switch error {
    case let error as CaptureError: kind = Self.kind(of: error)
    case let error as ImageError: kind = Self.kind(of: error.defect)
    case PerceptionError.noPicture: kind = "no-picture"
    case is NoEstimate: kind = "no-estimate"
    default: return nil
    }
    self.init(kind: kind, reason: "\(error)")
  }

  /// The defect as a part's record states it.
  var failure: PartRecord.Failure { PartRecord.Failure(kind: kind, reason: reason) }

  private static func kind(of error: CaptureError) -> String {
    switch error {
    case .notFound, .missingFile: "missing"
    case .unreadable: unreadable
    case .tooManyFrames, .fileTooLarge, .tooManyPixels: "too-large"
    case .foreignPicture, .missingLibrary: "foreign-picture"
    case .notADirectory, .unrecognizedLayout, .archive, .severalCaptures, .unsupportedSchema,
      .picturesInVideo, .unsupportedLens:
      "unknown-layout"
    default: "malformed"
    }
  }

  private static func kind(of defect: ImageDefect) -> String {
    switch defect {
    case .missing: "missing"
    case .unreadable: unreadable
    case .fileTooLarge, .tooManyPixels, .sideTooLong: "too-large"
    case .foreignFormat, .missingLibrary: "foreign-picture"
    default: "malformed"
    }
  }
}
