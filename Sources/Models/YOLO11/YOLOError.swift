import Geometry

/// Why a YOLO11 segmentation network cannot be built or run.
public enum YOLOError: Error, Equatable, CustomStringConvertible {
  /// The weights do not describe a YOLO11 segmentation network.
  case unknownArchitecture(reason: String)
  /// The network's input must have sides that are multiples of 32, at most `maximumSide`.
  case invalidInputSize(height: Int, width: Int)
  /// An output holds an infinity or a NaN.
  case nonFiniteOutput(name: String)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .unknownArchitecture(let reason):
      "these are not the weights of a YOLO11 segmentation network: \(reason)"
    case .invalidInputSize(let height, let width):
      "network input \(height)x\(width): both sides must be multiples of 32 from 32 to "
        + "\(YOLO11Architecture.maximumInputSide)"
    case .nonFiniteOutput(let name):
      "the network's output \(name) is infinite or not a number: use sound weights, or --precision fp32"
    }
  }
}
