import AppCore
import Imaging
import Perception
import Sharding

/// A fault in a frame's files, which need not concern other frames.
struct FrameDefect: Error {
  /// The kinds of defects, by the words under which records and summaries count them.
  enum Kind: String {
    /// A line of a manifest that names no capture.
    case manifest
    /// A file that is not there.
    case missing
    /// Files that the system refused to read; a later attempt may succeed.
    case unreadable
    /// More bytes, pixels or frames than the limits.
    case tooLarge = "too-large"
    /// A picture of a format that is not read here.
    case foreignPicture = "foreign-picture"
    /// A capture of a layout that is not read.
    case unknownLayout = "unknown-layout"
    /// A frame without a picture.
    case noPicture = "no-picture"
    /// A frame whose depth cannot be estimated.
    case noEstimate = "no-estimate"
    /// A damaged file.
    case malformed
  }

  /// The kind under which defects are counted.
  let kind: Kind
  /// One line that names file and remedy.
  let reason: String

  private init(kind: Kind, reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// A line of a manifest that names no capture.
  init(_ defect: ManifestDefect, line capture: Int) {
    self.init(kind: .manifest, reason: "capture \(capture), counted from 0: \(defect)")
  }

  /// The defect of an error; nil for an error that is not the frame's.
  init?(_ error: any Error) {
    let kind: Kind
    switch error {
    case let error as CaptureError: kind = Kind(error)
    case let error as ImageError: kind = Kind(error.defect)
    case PerceptionError.noPicture: kind = .noPicture
    case is NoEstimate: kind = .noEstimate
    default: return nil
    }
    self.init(kind: kind, reason: "\(error)")
  }

  /// The defect as a part's record states it.
  var failure: PartRecord.Failure { PartRecord.Failure(kind: kind.rawValue, reason: reason) }
}

extension FrameDefect.Kind {
  fileprivate init(_ error: CaptureError) {
    self =
      switch error.kind {
      case .missing: .missing
      case .unreadable: .unreadable
      case .tooLarge: .tooLarge
      case .foreignPicture, .missingLibrary: .foreignPicture
      case .unknownLayout: .unknownLayout
      case .noSuchFrame, .gap, .malformed: .malformed
      }
  }

  fileprivate init(_ defect: ImageDefect) {
    self =
      switch defect {
      case .missing: .missing
      case .unreadable: .unreadable
      case .fileTooLarge, .tooManyPixels, .sideTooLong: .tooLarge
      case .foreignFormat, .missingLibrary: .foreignPicture
      case .notARegularFile, .pointer, .empty, .unknownFormat, .truncated, .zeroSize, .corrupt, .unsupported,
        .encodingFailed:
        .malformed
      }
  }
}
