import FileFormats
import Geometry
import HTTPServing
import InferenceProtocol
import InferenceServing
import Models

/// A detector by the tensors of Ultralytics' ONNX export: `images` to `output0`, and of masks `output1`.
struct DetectorModel: ServedModel {
  let description: ModelDescription
  private let networks: [any ExportedObjectNetwork]

  init(_ networks: [any ExportedObjectNetwork], name: String) throws {
    self.networks = networks
    var outputs = [TensorDescription("output0", .float32, [-1] + networks[0].exportedMatrix)]
    if let channels = networks[0].exportedPrototypes {
      outputs.append(TensorDescription("output1", .float32, [-1, channels, -1, -1]))
    }
    description = ModelDescription(
      name: name, platform: networks[0].exportedPlatform,
      inputs: [TensorDescription("images", .float32, [-1, 3, -1, -1])],
      outputs: outputs,
      parameters: ["metadata": networks[0].exportedMetadata])
    try warmUp()
  }

  private func warmUp() throws {
    for network in networks {
      let size = network.exportedInput
      _ = try network.exportedOutputs(
        planar: [Float](repeating: 0.5, count: 3 * size.width * size.height)[...], size: size)
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    guard let images = call.inputs["images"], let elements = images.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: images, multipleOf: networks[0].exportedStep)
    let size = PixelSize(width: width, height: height)
    let one = 3 * height * width
    let shape = networks[0].exportedShape(of: size)
    let channels = networks[0].exportedPrototypes
    let prototypes = (channels ?? 0) * height * width / 16
    // Outputs of several pictures grow to twice their length, with the shorter ones beside them.
    try call.memory.take(
      batch * (shape.rows * shape.columns + prototypes) * MemoryLayout<Float>.stride * (batch == 1 ? 1 : 3))
    var (output0, output1): ([Float], [Float]) = ([], [])
    for index in 0..<batch {
      try call.checkWanted()
      let outputs = try networks[call.worker].exportedOutputs(
        planar: elements[index * one..<(index + 1) * one], size: size)
      if batch == 1 {
        (output0, output1) = (outputs.output0, outputs.output1 ?? [])
      } else {
        output0 += outputs.output0
        output1 += outputs.output1 ?? []
      }
    }
    try RawInput.checkFinite(output0, from: images)
    try RawInput.checkFinite(output1, from: images)
    var tensors = [ProtocolTensor("output0", [batch, shape.rows, shape.columns], output0)]
    if let channels {
      tensors.append(ProtocolTensor("output1", [batch, channels, height / 4, width / 4], output1))
    }
    return tensors
  }
}
