import Geometry
import NNRuntime

/// Why a YOLO network cannot be built or run.
public enum YOLOError: Error, Equatable, CustomStringConvertible {
  /// The weights do not describe a YOLO network that is known here.
  case unknownArchitecture(reason: String)
  /// The network's input must have sides that are multiples of 32, at most `maximumSide`.
  case invalidInputSize(height: Int, width: Int)
  /// A classifier's input must be square.
  case notSquare(height: Int, width: Int)
  /// An output holds an infinity or a NaN.
  case nonFiniteOutput(name: String)
  /// The boxes of all objects cover more pixels of the picture than the limit for masks.
  case tooManyMaskPixels(limit: Int)
  /// There is no memory for the masks.
  case noMaskMemory
  /// The masks are no longer wanted: the caller has gone.
  case unwanted
  /// An older converter made the weight file of this checkpoint; see `OutdatedConversion`.
  case convertedBefore(String)
  /// The weight file is of a later format than this program reads.
  case convertedLater(String)
  /// The weights are not those of such a network, or cannot be read.
  case weights(WeightError)
  /// The network cannot be planned on this machine.
  case plan(PlanError)
  /// The network has no such input or output.
  case port(PortError)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .unknownArchitecture(let reason):
      "these are not the weights of a YOLO network that is known here (\(reason)); give those of YOLOv8, YOLO11 or YOLO26"
    case .invalidInputSize(let height, let width):
      "network input \(height)x\(width): both sides must be multiples of \(ObjectInput.step) from "
        + "\(ObjectInput.sides.lowerBound) to \(ObjectInput.sides.upperBound)"
    case .notSquare(let height, let width):
      "network input \(height)x\(width): a classifier's must be square, such as 224x224"
    case .nonFiniteOutput(let name):
      "the network's output \(name) is infinite or not a number: use sound weights, or --precision fp32"
    case .tooManyMaskPixels(let limit):
      "the boxes of all objects have more than \(limit) pixels of the picture together: raise the least confidence, "
        + "lower the most objects, or give a smaller picture"
    case .noMaskMemory:
      "there is no memory for the masks of all objects: raise the least confidence, lower the most objects, or give a "
        + "smaller picture"
    case .unwanted: "the client closed the connection"
    case .convertedBefore(let source): OutdatedConversion.message(source)
    case .convertedLater(let format): OutdatedConversion.laterMessage(format)
    case .weights(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .port(let error): "\(error)"
    }
  }
}

extension YOLOError: EngineErrorHolder {}
