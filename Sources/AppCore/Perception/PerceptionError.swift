import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime

/// Why a frame cannot be perceived.
public enum PerceptionError: Error, CustomStringConvertible {
  /// The frame holds depth and a pose, but nothing to see.
  case noPicture(frame: String)
  /// A network gives no result; `file` is its weights'.
  case network(file: String, any Error)

  /// The defect and its place.
  public var description: String {
    switch self {
    case .noPicture(let frame): return "\(frame): the frame has no picture"
    case .network(let file, let error):
      switch innermost(error) {
      // The one names its file itself, and a plan has none.
      case let error as WeightError: return "\(error)"
      case let error as PlanError: return "\(error)"
      case let error: return "\(file): \(error)"
      }
    }
  }

  /// A frame's picture, turned upright.
  static func upright(_ frame: CapturedFrame) throws(PerceptionError) -> RGBImage {
    guard let image = frame.image else { throw .noPicture(frame: frame.name) }
    return image.oriented(frame.orientation)
  }
}

/// Why a picture can have no estimate of depth although others can.
public enum NoEstimate: Error, Equatable, CustomStringConvertible {
  /// It is so long and thin that the network's input would be huge with this shorter side; the largest that would do, nil
  /// where none does.
  case tooElongated(PixelSize, shorterSide: Int, largest: Int?)
  /// The network reads the sensor's depth, and the frame has none.
  case noPrompt

  /// The reason, and what to do.
  public var description: String {
    switch self {
    case .tooElongated(let size, let side, let largest):
      "a \(size.width)x\(size.height) picture is too elongated for depth at --depth-size \(side); "
        + (largest.map { "give \($0) or less, or crop it" } ?? "crop it")
    case .noPrompt: "no sensor depth, which the prompted depth network reads beside the picture"
    }
  }
}

extension PerceptionError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .noPicture: .malformedInput
    case .network(_, let error): FileFormats.fault(of: error) ?? .malformedInput
    }
  }
}

extension NoEstimate: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
