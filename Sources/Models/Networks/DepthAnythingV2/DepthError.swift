import Geometry
import NNRuntime

/// Why a depth map cannot be estimated.
public enum DepthError: Error, Equatable, CustomStringConvertible {
  /// The picture is so long and thin that its network input would be huge with this shorter side; the largest that
  /// would do, nil where none does.
  case tooElongated(PixelSize, bound: Int, largest: Int?)
  /// The shorter side asked for is not that of a network's input.
  case invalidBound(Int)
  /// A fixed input size is not made of whole patches.
  case notWholePatches(PixelSize)
  /// The weights do not describe a Depth Anything V2 network.
  case unknownArchitecture(reason: String)
  /// The depth holds an infinity or a NaN.
  case nonFiniteOutput
  /// The network reads a sensor's depth beside the picture, and there is none.
  case noPrompt
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
    case .tooElongated(let size, let bound, let largest):
      "a \(size.width)x\(size.height) picture is too elongated for depth estimation with a shorter side of "
        + "\(bound): crop it" + (largest.map { ", or choose a shorter side of \($0) or less" } ?? "")
    case .invalidBound(let bound):
      "depth input with a shorter side of \(bound): it must be \(DepthInputSize.patch) to "
        + "\(DepthInputSize.maximumBound)"
    case .notWholePatches(let size):
      "depth input \(size.width)x\(size.height) is not made of whole patches: both sides must be multiples "
        + "of \(DepthInputSize.patch) and the patches at most \(DepthInputSize.maximumPatches)"
    case .unknownArchitecture(let reason):
      "these are not the weights of a Depth Anything V2 network (\(reason)); give the weights of one"
    case .nonFiniteOutput:
      "the network's depth is infinite or not a number: use sound weights, or --precision fp32"
    case .noPrompt:
      "a prompted depth network reads a sensor's depth beside the picture, and there is none: give a capture with "
        + "depth, or weights of Depth Anything V2"
    case .convertedBefore(let source): OutdatedConversion.message(source)
    case .convertedLater(let format): OutdatedConversion.laterMessage(format)
    case .weights(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .port(let error): "\(error)"
    }
  }
}

extension DepthError: EngineErrorHolder {}
