// Opens a weight file, builds its network, and lists what will run and why.
//
//   swift run -c release LoadNetwork weights/yolo11n-seg.safetensors

import Geometry
import Models
import NNRuntime

guard CommandLine.arguments.count == 2 else { fatalError("usage: LoadNetwork WEIGHTS") }

let weights = try WeightStore(path: CommandLine.arguments[1])
print("\(weights.names.count) tensors, license \(weights.metadata["license"] ?? "unknown")")

// Binding checks every tensor: one that is missing, left over or of the wrong shape is an error that names it.
let network = try InspectedNetwork(weights: weights)
let session = try network.session(for: PixelSize(width: 320, height: 320))

let plan = session.plan
print("\(plan.name) on \(plan.kernelName) kernels, \(plan.arenaBytes) bytes for all intermediate results")
for layer in plan.layers {
  let choice = layer.choice
  print("\(layer.name): \(layer.operation) \(layer.output), \(choice.algorithm) (\(choice.reason))")
}
