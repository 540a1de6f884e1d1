// Runs any network of an ONNX file on a ramp from 0 to 1, and says what its outputs are.
//
//   swift run -c release RunONNX model.onnx [NAME=1x3x224x224 ...]

import ONNX

var shapes: [String: [Int]] = [:]
for argument in CommandLine.arguments.dropFirst(2) {
  let parts = argument.split(separator: "=").map(String.init)
  shapes[parts[0]] = parts[1].split(separator: "x").compactMap { Int($0) }
}
let model = try ONNXModel(path: CommandLine.arguments[1])
let network = try model.network(inputs: shapes)
var inputs: [String: ONNXTensor] = [:]
for (name, shape) in network.inputShapes {
  let count = shape.reduce(1, *)
  let type = model.inputPorts.first { $0.name == name }?.type ?? .float
  inputs[name] = try ONNXTensor(
    type: type, shape: shape, numbers: (0..<count).map { Double($0) / Double(count) })
}
for (name, output) in try network.run(inputs).sorted(by: { $0.key < $1.key }) {
  let values = output.doubles
  print(name, output.type, output.shape, "from", values.min() ?? 0, "to", values.max() ?? 0)
}
