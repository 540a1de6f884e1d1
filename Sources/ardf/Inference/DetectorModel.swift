import FileFormats
import Geometry
import InferenceProtocol
import InferenceServing
import Models

/// A YOLO network that finds objects by the tensors of Ultralytics' ONNX export: `images` to `output0`, and of masks `output1`.
struct DetectorModel: ServedModel {
  let description: ModelDescription
  private let lanes: [YOLODetector]

  /// - `metadata`: that of the weight file.
  init(_ networks: [DetectionNetwork], name: String, metadata: [String: String]) throws {
    lanes = networks.map(\.model)
    let architecture = lanes[0].architecture
    guard !architecture.isEndToEnd else {
      throw CommandError.input(
        "\(networks[0].file): a head without suppression has no raw tensors here; give --nms for the other one"
      )
    }
    let channels = 4 + architecture.classCount + architecture.extras
    var outputs = [TensorDescription("output0", .float32, [-1, channels, -1])]
    if architecture.task == .segment {
      outputs.append(TensorDescription("output1", .float32, [-1, architecture.extras, -1, -1]))
    }
    description = ModelDescription(
      name: name, platform: "ardf_yolo",
      inputs: [TensorDescription("images", .float32, [-1, 3, -1, -1])],
      outputs: outputs,
      parameters: ["metadata": Self.metadata(of: lanes[0], weights: metadata)])
    try warmUp()
  }

  /// What Ultralytics' own client reads: a dictionary as Python writes it.
  private static func metadata(of model: YOLODetector, weights: [String: String]) -> String {
    let (height, width) =
      switch model.input {
      case .fixed(let height, let width): (height, width)
      case .minimalRectangle(let side): (side, side)
      }
    // JSON's texts are Python's.
    let names = model.architecture.classNames.enumerated().map {
      "\($0): \(JSONValue.string($1).serialized())"
    }
    let shape = model.architecture.keypoints.map { ", \"kpt_shape\": [\($0.count), \($0.dimensions)]" } ?? ""
    return """
      {"task": "\(task(of: model))", "stride": 32, "batch": 1, "imgsz": [\(height), \(width)], \
      "names": {\(names.joined(separator: ", "))}\(shape)}
      """
  }

  /// As Ultralytics calls it.
  private static func task(of model: YOLODetector) -> String {
    switch model.architecture.task {
    case .detect: "detect"
    case .segment: "segment"
    case .pose: "pose"
    case .orientedBoxes: "obb"
    case .classify: "classify"
    }
  }

  private func warmUp() throws {
    for lane in lanes {
      let size =
        switch lane.input {
        case .fixed(let height, let width): PixelSize(width: width, height: height)
        case .minimalRectangle(let side): PixelSize(width: side, height: side)
        }
      _ = try lane.exportedOutputs(
        planar: [Float](repeating: 0.5, count: 3 * size.width * size.height)[...], size: size)
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    guard let images = call.inputs["images"], let elements = images.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: images, multipleOf: 32)
    let size = PixelSize(width: width, height: height)
    let one = 3 * height * width
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
    let architecture = lanes[0].architecture
    let rows = 4 + architecture.classCount + architecture.extras
    var tensors = [ProtocolTensor("output0", [batch, rows, YOLODetector.anchorCount(of: size)], output0)]
    if architecture.task == .segment {
      tensors.append(
        ProtocolTensor("output1", [batch, architecture.extras, height / 4, width / 4], output1))
    }
    return tensors
  }
}
