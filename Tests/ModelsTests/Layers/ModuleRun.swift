import FileFormats
import Models
import NNRuntime
import TestSupport

/// Golden files of this target.
enum Golden {
  static func path(_ name: String) -> String {
    "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/\(name)"
  }

  static func store(_ name: String) throws -> WeightStore {
    try WeightStore(path: path("\(name).safetensors"))
  }
}

/// A reference tensor as the runtime holds maps: channels last.
struct ReferenceMap {
  let shape: MapShape
  let elements: [Float]

  /// From (1, channels, height, width), from tokens (1, count, channels), or from (1, channels).
  init(_ tensor: Tensor) {
    let floats = tensor.floats()
    let extents = tensor.shape
    guard extents.count > 2 else {
      shape = MapShape(height: 1, width: 1, channels: extents[1])
      elements = floats
      return
    }
    guard extents.count == 4 else {
      shape = MapShape(height: 1, width: extents[1], channels: extents[2])
      elements = floats
      return
    }
    let (channels, pixels) = (extents[1], extents[2] * extents[3])
    shape = MapShape(height: extents[2], width: extents[3], channels: channels)
    var elements = [Float](repeating: 0, count: floats.count)
    for channel in 0..<channels {
      for pixel in 0..<pixels { elements[pixel * channels + channel] = floats[channel * pixels + pixel] }
    }
    self.elements = elements
  }
}

/// Builds a graph of one module, runs it, and returns its outputs, channels last.
func run(
  _ inputs: [ReferenceMap], options: PlanOptions = PlanOptions(), module: (GraphBuilder, [Value]) -> [Value]
) throws -> [[Float]] {
  let builder = GraphBuilder(name: "module")
  let values = inputs.enumerated().map { index, input in
    builder.input(
      "input.\(index)", height: input.shape.height, width: input.shape.width, channels: input.shape.channels)
  }
  let outputs = module(builder, values)
  let graph = builder.finished(outputs: outputs.enumerated().map { ("output.\($0)", $1) })
  let session = Session(try Plan(graph, options: options), pool: ThreadPool(threads: 2))
  return try session.run(
    prepare: { target in
      for (index, input) in inputs.enumerated() {
        try target.fill(target.input("input.\(index)")) { span in
          for element in input.elements.indices { span[element] = input.elements[element] }
        }
      }
    },
    read: { results in session.plan.outputs.map { results.elements(of: $0) } })
}

/// The weight error inside a network's error; nil for any other error.
func weightError(_ error: any Error) -> WeightError? {
  switch error {
  case YOLOError.weights(let error), DepthError.weights(let error): error
  default: nil
  }
}

/// The largest difference over the largest magnitude of the reference.
func relativeError(_ found: [Float], _ expected: [Float]) -> Double {
  let scale = expected.reduce(0) { max($0, abs(Double($1))) }
  return NumericComparison(found, to: expected).maximumAbsolute / max(scale, .leastNormalMagnitude)
}
