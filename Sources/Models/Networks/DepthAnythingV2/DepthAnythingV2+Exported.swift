import Geometry
import Imaging
import NNRuntime

extension DepthAnythingV2 {
  /// The network's output for an input as an ONNX export of Hugging Face's takes it.
  ///
  /// - `planar`: (3, height, width), row-major, normalized.
  /// - `prompt`: of a prompted network, planar depth in meters; others ignore it.
  ///
  /// - Returns: (height, width): relative inverse depth, or meters.
  /// - Throws: `DepthError` for a size that the network cannot have, where it cannot be planned, and `.noPrompt`.
  package func exportedOutput(
    planar: ArraySlice<Float>, size: PixelSize, prompt meters: Plane<Float>? = nil
  ) throws(DepthError) -> Plane<Float> {
    let prompt = architecture.output == .prompted ? meters.flatMap(DepthPrompt.init) : nil
    if architecture.output == .prompted, prompt == nil { throw .noPrompt }
    let session = try session(
      for: size, prompt: prompt.map { PixelSize(width: $0.values.width, height: $0.values.height) })
    let ports = try DepthError.of(ports: { () throws(PortError) in try DepthPorts(session.plan) })
    precondition(planar.count == size.width * size.height * 3, "three channels per pixel")
    let raw = session.run(
      prepare: { inputs in
        inputs.fill(ports.picture) { interleave(planar, into: &$0) }
        if let prompt, let port = ports.prompt { inputs.fill(port, with: prompt.values.elements) }
      },
      read: { $0.elements(of: ports.depth) })
    let output = Plane(width: size.width, height: size.height, elements: raw)
    return prompt?.meters(output) ?? output
  }
}
