import FileFormats
import Geometry
import HTTPServing
import InferenceProtocol
import InferenceServing
import Models

/// A detector by the tensors of its framework's ONNX export, such as `images` to `output0`, and of masks `output1`, of
/// Ultralytics'.
struct DetectorModel: ServedModel {
  let description: ModelDescription
  private let networks: [any ExportedObjectNetwork]

  init(_ networks: [any ExportedObjectNetwork], name: String) throws {
    self.networks = networks
    let ports = networks[0].exportedPorts
    description = ModelDescription(
      name: name, platform: networks[0].exportedPlatform,
      inputs: [
        TensorDescription(
          ports.input, .float32, [-1, 3, ports.sides?.height ?? -1, ports.sides?.width ?? -1])
      ],
      outputs: ports.outputs.map { TensorDescription($0.name, .float32, [-1] + $0.shape) },
      parameters: networks[0].exportedMetadata.map { ["metadata": $0] } ?? [:])
    try warmUp()
  }

  private func warmUp() throws {
    for network in networks {
      let size = network.exportedInput
      _ = try network.exportedTensors(
        planar: [Float](repeating: 0.5, count: 3 * size.width * size.height)[...], size: size)
    }
  }

  /// The outputs for one picture; what the network finds unfit about it is the client's error.
  private func outputs(
    of planar: ArraySlice<Float>, size: PixelSize, by network: any ExportedObjectNetwork, input: String
  ) throws -> [ExportedTensor] {
    do {
      return try network.exportedTensors(planar: planar, size: size)
    } catch {
      guard case .unfit? = (error as? any NetworkFault)?.kind else { throw error }
      throw UnfitInput("\(input): \(error)")
    }
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    let ports = networks[0].exportedPorts
    guard let images = call.inputs[ports.input], let elements = images.floats else { return [] }
    let (batch, height, width) = try RawInput.sizes(of: images, multipleOf: networks[0].exportedStep)
    let size = PixelSize(width: width, height: height)
    let one = 3 * height * width
    // Outputs of several pictures grow to twice their length, with the shorter ones beside them.
    try call.memory.take(
      batch * networks[0].exportedElements(of: size) * MemoryLayout<Float>.stride * (batch == 1 ? 1 : 3))
    var made: [ExportedTensor] = []
    for index in 0..<batch {
      try call.checkWanted()
      let outputs = try outputs(
        of: elements[index * one..<(index + 1) * one], size: size, by: networks[call.worker],
        input: images.name)
      if made.isEmpty { made = outputs } else { for place in made.indices { made[place] += outputs[place] } }
    }
    for output in made { try RawInput.checkFinite(output.elements, from: images) }
    return zip(ports.outputs, made).map { port, output in
      ProtocolTensor(port.name, [batch] + output.shape, output.elements)
    }
  }
}

extension ExportedTensor {
  /// The outputs of a further picture after those of the ones before.
  fileprivate static func += (all: inout ExportedTensor, next: ExportedTensor) {
    all.elements += next.elements
  }
}
