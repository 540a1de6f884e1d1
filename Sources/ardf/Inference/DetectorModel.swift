import FileFormats
import Geometry
import InferenceProtocol
import InferenceServing
import Models

/// A YOLO11-seg network by the tensors of Ultralytics' ONNX export: `images` to `output0` and `output1`.
struct DetectorModel: ServedModel {
  let description: ModelDescription
  private let lanes: [YOLO11Segmentation]

  /// - `metadata`: that of the weight file.
  init(_ networks: [DetectionNetwork], name: String, metadata: [String: String]) throws {
    lanes = networks.map(\.model)
    let architecture = lanes[0].architecture
    let channels = 4 + architecture.classCount + architecture.coefficients
    description = ModelDescription(
      name: name, platform: "ardf_yolo11",
      inputs: [TensorDescription("images", .float32, [-1, 3, -1, -1])],
      outputs: [
        TensorDescription("output0", .float32, [-1, channels, -1]),
        TensorDescription("output1", .float32, [-1, architecture.coefficients, -1, -1]),
      ],
      parameters: ["metadata": Self.metadata(of: lanes[0], weights: metadata)])
    try warmUp()
  }

  /// What Ultralytics' own client reads: a dictionary as Python writes it.
  private static func metadata(of model: YOLO11Segmentation, weights: [String: String]) -> String {
    let (height, width) =
      switch model.input {
      case .fixed(let height, let width): (height, width)
      case .minimalRectangle(let side): (side, side)
      }
    // JSON's texts are Python's.
    let names = model.architecture.classNames.enumerated().map {
      "\($0): \(JSONValue.string($1).serialized())"
    }
    return """
      {"task": "segment", "stride": 32, "batch": 1, "imgsz": [\(height), \(width)], \
      "names": {\(names.joined(separator: ", "))}}
      """
  }

  private func warmUp() throws {
    for lane in lanes {
      let size =
        switch lane.input {
        case .fixed(let height, let width): PixelSize(width: width, height: height)
        case .minimalRectangle(let side): PixelSize(width: side, height: side)
        }
      _ = try lane.exportedOutputs(
        planar: [Float](repeating: 0.5, count: 3 * size.width * size.height).span, size: size)
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
        planar: elements.span.extracting(index * one..<(index + 1) * one), size: size)
      if batch == 1 {
        (output0, output1) = (outputs.output0, outputs.output1)
      } else {
        output0 += outputs.output0
        output1 += outputs.output1
      }
    }
    let architecture = lanes[0].architecture
    return [
      ProtocolTensor(
        "output0",
        [
          batch, 4 + architecture.classCount + architecture.coefficients,
          YOLO11Segmentation.anchorCount(of: size),
        ], output0),
      ProtocolTensor("output1", [batch, architecture.coefficients, height / 4, width / 4], output1),
    ]
  }
}
