import NNRuntime
import ONNX

/// Detectors of transformers by their ONNX files: those of `DETRDesign`.
package enum DETRFamily: ONNXDetectorFamily {
  package static func recognizes(_ model: ONNXModel) -> Bool { DETRPorts(model) != nil }

  package static func detector(
    _ model: ONNXModel, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInObjectNetwork {
    do throws(DETRError) {
      return try DETRDetector(model, side: side, options: options, pool: pool)
    } catch {
      throw .detr(error)
    }
  }
}
