import FileFormats
import Geometry
import HTTPServing
import Imaging
import InferenceProtocol
import InferenceServing
import Models

/// A depth network by the tensors of Hugging Face's ONNX exports: `pixel_values` to `predicted_depth`.
struct DepthModel: ServedModel {
  let description: ModelDescription
  private let networks: [any BuiltInDepthNetwork]

  init(_ networks: [any BuiltInDepthNetwork], name: String) throws {
    self.networks = networks
    var inputs = [TensorDescription("pixel_values", .float32, [-1, 3, -1, -1])]
    // In meters, over the picture's whole field.
    if networks[0].output == .prompted {
      inputs.append(TensorDescription("prompt_depth", .float32, [-1, 1, -1, -1], takesNonFinite: true))
    }
    description = ModelDescription(
      name: name, platform: networks[0].exportedPlatform, inputs: inputs,
      outputs: [TensorDescription("predicted_depth", .float32, [-1, -1, -1])],
      parameters: ["depth": Self.meaning(of: networks[0].output)])
    try warmUp()
  }

  /// The meaning and unit of the output's numbers.
  static func meaning(of output: DepthOutput) -> String {
    output.isMetric ? "planar depth in meters" : "relative inverse depth: larger is nearer, without unit"
  }

  private func warmUp() throws {
    for network in networks {
      let size = try network.exportedInput
      _ = try network.exportedOutput(
        planar: [Float](repeating: 0, count: 3 * size.width * size.height)[...], size: size,
        prompt: network.output == .prompted ? Plane(width: 256, height: 192, fill: 1) : nil)
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    guard let pictures = call.inputs["pixel_values"], let elements = pictures.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: pictures, multipleOf: networks[0].exportedStep)
    let prompts = try prompts(call, batch: batch)
    let size = PixelSize(width: width, height: height)
    let one = 3 * height * width
    // It grows to twice its length, with the shorter one beside it.
    try call.memory.take(batch * height * width * MemoryLayout<Float>.stride * 3)
    var depth: [Float] = []
    for index in 0..<batch {
      try call.checkWanted()
      do {
        depth += try networks[call.worker].exportedOutput(
          planar: elements[index * one..<(index + 1) * one], size: size,
          prompt: prompts.isEmpty ? nil : prompts[index]
        ).elements
      } catch DepthError.noPrompt {
        throw UnfitInput("prompt_depth: has no depth that is finite and positive")
      }
    }
    try RawInput.checkFinite(depth, from: pictures)
    return [ProtocolTensor("predicted_depth", [batch, height, width], depth)]
  }

  /// A sensor's depth for each picture; none for a network that reads none.
  private func prompts(_ call: InferenceCall, batch: Int) throws -> [Plane<Float>] {
    guard let tensor = call.inputs["prompt_depth"], let elements = tensor.floats else { return [] }
    let (count, height, width) = (tensor.shape[0], tensor.shape[2], tensor.shape[3])
    guard count == batch, height > 0, width > 0, height * width <= RawInput.mostPixels else {
      throw UnfitInput("prompt_depth: \(tensor.shape): give one map for each of \(counted(batch, "picture"))")
    }
    let one = height * width
    return (0..<count).map {
      Plane(width: width, height: height, elements: Array(elements[$0 * one..<($0 + 1) * one]))
    }
  }
}
