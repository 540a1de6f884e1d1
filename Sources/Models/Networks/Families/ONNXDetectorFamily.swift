import Geometry
import NNRuntime
import ONNX

/// Detectors of one design whose ONNX files are run as they are.
///
/// A family is one file next to its pre- and postprocessing, and one row of `RecognizedNetwork.onnxFamilies`.
package protocol ONNXDetectorFamily {
  /// Whether a file's inputs and outputs are those of the family.
  static func recognizes(_ model: ONNXModel) -> Bool
  /// The network of a file, ready to find objects.
  ///
  /// - `side`: the side of the square input that was asked for; nil for the file's own size.
  static func detector(
    _ model: ONNXModel, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInObjectNetwork
}

/// A detector in a file: weights and the family that builds their network, or an ONNX file that is run as it is.
package enum DetectorSource {
  case weights(WeightStore, any ObjectNetworkFamily.Type)
  case onnx(ONNXModel, any ONNXDetectorFamily.Type)

  /// The detector, ready to find objects.
  ///
  /// - Parameters:
  ///   - side: The side of the square input; nil for the network's own.
  ///   - isRectangle: Whether the input is the smallest rectangle around the picture; an ONNX file that is run as it is
  ///     ignores it, and the next one.
  ///   - isSuppressed: Whether a network with two heads uses the one that needs suppression.
  ///   - options: How it is planned.
  ///   - pool: The threads that run it.
  /// - Returns: A detector of the source's family.
  /// - Throws: the family's error.
  package func detector(
    side: Int?, isRectangle: Bool, isSuppressed: Bool, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInObjectNetwork {
    switch self {
    case .weights(let store, let family):
      let input = ObjectInput(
        side: side ?? family.trainedSide(of: store), isRectangle: isRectangle, isSuppressed: isSuppressed)
      return try family.detector(store, input: input, options: options, pool: pool)
    case .onnx(let model, let family):
      return try family.detector(model, side: side, options: options, pool: pool)
    }
  }

  /// Whether the network is run as an ONNX file has it.
  package var isONNX: Bool { if case .onnx = self { true } else { false } }
}

extension RecognizedNetwork {
  /// The families of detectors whose ONNX files are run as they are.
  static var onnxFamilies: [any ONNXDetectorFamily.Type] { [DETRFamily.self] }

  /// The family of such a file; nil for another file.
  package static func onnxFamily(of model: ONNXModel) -> (any ONNXDetectorFamily.Type)? {
    onnxFamilies.first { $0.recognizes(model) }
  }
}
