import NNRuntime
import ONNX

/// Detectors of transformers by their ONNX files: RT-DETR, RT-DETRv2, D-FINE, Deformable DETR, Conditional DETR, DETR, Table
/// Transformer and YOLOS.
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
