import FileFormats
import Geometry
import InferenceProtocol
import InferenceServing
import Models

/// A classifier by the tensors of Ultralytics' ONNX export: `images` to `output0`.
struct ClassifierModel: ServedModel {
  let description: ModelDescription
  private let networks: [any ClassNetwork]

  init(_ networks: [any ClassNetwork], name: String) throws {
    self.networks = networks
    let side = networks[0].side
    description = ModelDescription(
      name: name, platform: networks[0].exportedPlatform,
      inputs: [TensorDescription("images", .float32, [-1, 3, -1, -1])],
      outputs: [TensorDescription("output0", .float32, [-1, networks[0].classNames.count])],
      parameters: ["metadata": networks[0].exportedMetadata])
    for network in networks {
      _ = try network.exportedOutput(planar: [Float](repeating: 0.5, count: 3 * side * side)[...], side: side)
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    guard let images = call.inputs["images"], let elements = images.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: images, multipleOf: networks[0].exportedStep)
    guard height == width else {
      throw UnfitInput("\(images.name): \(height)x\(width): a classifier's pictures are square")
    }
    let one = 3 * height * width
    var probabilities: [Float] = []
    for index in 0..<batch {
      try call.checkWanted()
      probabilities += try networks[call.worker].exportedOutput(
        planar: elements[index * one..<(index + 1) * one], side: height)
    }
    return [ProtocolTensor("output0", [batch, networks[0].classNames.count], probabilities)]
  }
}
