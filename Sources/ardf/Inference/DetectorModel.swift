import FileFormats
import Geometry
import HTTPServing
import InferenceProtocol
import InferenceServing
import Models

/// A YOLO network that finds objects by the tensors of Ultralytics' ONNX export: `images` to `output0`, and of masks `output1`.
struct DetectorModel: ServedModel {
  let description: ModelDescription
  private let lanes: [YOLODetector]

  init(_ networks: [DetectionNetwork], name: String) throws {
    lanes = networks.map(\.model)
    let architecture = lanes[0].architecture
    let (channels, size) = (lanes[0].exportedChannels, Self.size(of: lanes[0]))
    let matrix = architecture.isEndToEnd ? [-1, -1, channels] : [-1, channels, -1]
    var outputs = [TensorDescription("output0", .float32, matrix)]
    if architecture.task == .segment {
      outputs.append(TensorDescription("output1", .float32, [-1, architecture.extras, -1, -1]))
    }
    description = ModelDescription(
      name: name, platform: "ardf_yolo",
      inputs: [TensorDescription("images", .float32, [-1, 3, -1, -1])],
      outputs: outputs,
      parameters: ["metadata": ExportMetadata.text(of: architecture, height: size.height, width: size.width)])
    try warmUp()
  }

  private static func size(of model: YOLODetector) -> PixelSize {
    switch model.input {
    case .fixed(let height, let width): PixelSize(width: width, height: height)
    case .minimalRectangle(let side): PixelSize(width: side, height: side)
    }
  }

  private func warmUp() throws {
    for lane in lanes {
      let size = Self.size(of: lane)
      _ = try lane.exportedOutputs(
        planar: [Float](repeating: 0.5, count: 3 * size.width * size.height)[...], size: size)
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    guard let images = call.inputs["images"], let elements = images.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: images, multipleOf: 32)
    let size = PixelSize(width: width, height: height)
    let one = 3 * height * width
    let shape = lanes[0].exportedShape(of: size)
    let architecture = lanes[0].architecture
    let prototypes = architecture.task == .segment ? architecture.extras * height * width / 16 : 0
    // Outputs of several pictures grow to twice their length, with the shorter ones beside them.
    try call.memory.take(
      batch * (shape.rows * shape.columns + prototypes) * MemoryLayout<Float>.stride * (batch == 1 ? 1 : 3))
    var (output0, output1): ([Float], [Float]) = ([], [])
    for index in 0..<batch {
      try call.checkWanted()
      let outputs = try lanes[call.lane].exportedOutputs(
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
    if architecture.task == .segment {
      tensors.append(
        ProtocolTensor("output1", [batch, architecture.extras, height / 4, width / 4], output1))
    }
    return tensors
  }
}
