import FileFormats
import Geometry
import NNRuntime
import ONNX

/// Why a detector of an ONNX file cannot be run, or gives no result.
public enum DETRError: Error, Equatable, CustomStringConvertible {
  /// The file cannot be read or run.
  case export(ONNXError)
  /// The network cannot be planned on this machine.
  case plan(PlanError)
  /// A file of Hugging Face's beside it, by its name, says what is not supported.
  case config(file: String, reason: String)
  /// The inputs and outputs are not those of a detector of transformers.
  case otherPorts
  /// The file takes several pictures at a time.
  case severalPictures
  /// The file's input has another size than the one asked for.
  case otherSide(Int, PixelSize)
  /// An output has another shape than what belongs to it.
  case otherShape(output: String, [Int])
  /// An output holds an infinity or a NaN.
  case nonFiniteOutput

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .export(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .config(let file, let reason):
      "\(file) beside it: \(printableName(reason)); correct that file, or remove it"
    case .otherPorts:
      "is not a detector with outputs logits and pred_boxes; export one of transformers, or run the file with ardf infer"
    case .severalPictures: "takes several pictures at a time; export it with a batch of 1 or a free one"
    case .otherSide(let side, let size):
      "its input is \(size.width)x\(size.height), not \(side)x\(side); leave the side out, or export it with free sides"
    case .otherShape(let output, let shape):
      "its output \"\(printableName(output))\" has shape \(shape): export the detector anew"
    case .nonFiniteOutput:
      "an output holds infinities or NaN: the file is damaged, or its numbers are too large for the precision; give "
        + "another --precision or the file anew"
    }
  }

  /// An error of running a file.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as DETRError: error
      case let error as ONNXError: .export(error)
      case let error as PlanError: .plan(error)
      default: .export(.malformed("\(error)"))
      }
  }
}
