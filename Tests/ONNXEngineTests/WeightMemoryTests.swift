import FileFormats
import Foundation
import ONNX
import ONNXEngine
import Testing

/// Memory holds weights once: as the engine has packed them.
@Suite struct WeightMemoryTests {
  @Test("weights that are transposed, converted or integers in the file are not kept beside the packed ones")
  func computed() throws {
    var net = DrawnNetwork(seed: 81, input: [1, 5, 96])
    let turned = net.node("Transpose", [net.weights([256, 96])], ["perm": .ints([1, 0])])
    var y = net.node("MatMul", ["x", turned])
    let scales = net.weights([256], 0.001...0.01)
    let numbers = net.node("DequantizeLinear", [net.bytes([256, 256]), scales], ["axis": .int(0)])
    let again = net.node("Transpose", [numbers], ["perm": .ints([1, 0])])
    y = net.node("MatMul", [y, again])
    y = net.node("MatMul", [y, net.weights([256, 192])])
    let output = net.node("Softmax", [y], ["axis": .int(-1)])
    try net.check(output)
    let (network, values) = try net.lowered(output)
    #expect(network.heldBytes < 4096)
    let verified = try network.verified(values, tolerance: DrawnNetwork.tolerance)
    #expect(verified.outputs.allSatisfy { $0.difference <= DrawnNetwork.tolerance })
  }

  @Test("what plain nodes read of such weights is computed once")
  func plain() throws {
    var net = DrawnNetwork(seed: 82, input: [1, 4, 160])
    let turned = net.node("Transpose", [net.weights([128, 160])], ["perm": .ints([1, 0])])
    let places = net.node("ArgMax", [net.node("MatMul", ["x", turned])], ["axis": .int(-1)])
    // It has no rule.
    let rows = net.node("Gather", [turned, places])
    let output = net.node("ReduceSum", [rows, net.integers([1])])
    let (network, values) = try net.lowered(output)
    #expect(network.heldBytes >= 128 * 160 * 4)
    let expected = try net.model(output: output).run(values)[0].tensor("the output").floats()
    let found = try network.run(values)[0].tensor("the output").floats()
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-3 })
  }

  /// Whether a sanitizer's own memory counts, and what it keeps of freed memory.
  private static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
    ProcessInfo.processInfo.environment[$0] != nil
  }

  /// In a process of its own, as the peak is the whole process's.
  @Test(
    "96 products of 1 MB take their packed weights and little else",
    .disabled(if: isSanitized, "a sanitizer's memory counts"))
  func peak() async {
    await #expect(processExitsWith: .success) {
      /// The most memory that this process has had, in bytes.
      func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) << 10
      }
      let (layers, width) = (96, 512)
      var net = DrawnNetwork(seed: 83, input: [1, 4, width])
      let weights = net.weights([width, width], -0.04...0.04)
      var y = "x"
      for _ in 0..<layers { y = net.node("Tanh", [net.node("MatMul", [y, weights])]) }
      let model = try net.model(output: y)
      let values: NameTable<ONNX.Value> = [
        "x": .tensor(ONNX.Tensor([1, 4, width], net.floats(4 * width)))
      ]
      let before = try peak()
      let lowered = LoweredModel(model)
      _ = try lowered.run(values)
      let packed = layers * width * width * MemoryLayout<Float>.stride
      // With each product's weights once more, it would be twice as much.
      try #require(peak() - before < packed / 4 * 5)
    }
  }
}
