// Stops after every layer of a run, and prints the range of what it made.
//
//   swift run -c release TraceLayers weights/yolo11n-seg.safetensors

import Models
import NNRuntime

guard CommandLine.arguments.count == 2 else { fatalError("usage: TraceLayers WEIGHTS") }

let network = try InspectedNetwork(weights: WeightStore(path: CommandLine.arguments[1]))
let session = try network.session(for: network.standardSize)
let layers = session.plan.tracedLayers
let input = try session.input("input")

session.stepwise { inputs in
  inputs.fill(input) { elements in
    for index in elements.indices { elements[index] = Float(index % 255) / 255 }
  }
} body: { run in
  while let step = run.advance() {
    // A result lies in memory that a later layer reuses: it is read right after the step that completes it.
    for layer in layers where layer.step == step {
      let (least, largest) = run.withElements(of: layer) { elements, stride in
        range(of: elements, stride: stride, shape: layer.shape)
      }
      print("\(layer.name) \(layer.tensorShape): \(least) ... \(largest)")
    }
  }
}

/// The least and the largest element of a map, channels last, with `stride` floats from pixel to pixel.
func range(of elements: Span<Float>, stride: Int, shape: MapShape) -> (least: Float, largest: Float) {
  var (least, largest) = (Float.infinity, -Float.infinity)
  for pixel in 0..<shape.pixels {
    for channel in 0..<shape.channels {
      let element = elements[pixel * stride + channel]
      least = min(least, element)
      largest = max(largest, element)
    }
  }
  return (least, largest)
}
