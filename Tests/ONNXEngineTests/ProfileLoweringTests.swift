import NNRuntime
import ONNX
import ONNXEngine
import Testing

/// Profiles of networks from ONNX files.
@Suite struct ProfileLoweringTests {
  @Test("layers of islands and nodes between them are rows in running order, which add up to the run's time")
  func rows() throws {
    var net = DrawnNetwork(seed: 71, input: [1, 8, 24, 24])
    let first = net.node("Conv", ["x", net.weights([16, 8, 3, 3])], ["pads": .ints([1, 1, 1, 1])])
    // No rule lowers it.
    let between = net.node("CumSum", [first, net.integers([2])])
    let output = net.node("Conv", [between, net.weights([4, 16, 1, 1])])
    let (network, values) = try net.lowered(output)
    let recorder = LoweredRecorder(network, values: values, name: "drawn", threads: 2)
    let profile = try Profiler(iterations: 4, warmUp: 1, traces: 2)
      .profile(recorder, ceiling: MachineCeiling(peak: 1, bandwidth: 1))
    let layers = profile.rows.filter { !$0.isOverhead }
    #expect(profile.network == "drawn" && profile.wall.count == 4)
    let operations = layers.map(\.operation)
    let places = ["conv", "CumSum", "conv1x1"].compactMap { operations.firstIndex(of: $0) }
    #expect(places.count == 3 && places == places.sorted())
    let plain = layers.first { $0.operation == "CumSum" }
    #expect(plain?.algorithm == "definition" && plain?.shape == "1x16x24x24 1 -> 1x16x24x24")
    #expect(layers.allSatisfy { $0.times.count == 4 })
    #expect(abs(profile.accounted - 1) <= NetworkProfile.limits.sum)
    // Spans name rows, and chunks lie in the run that they are of.
    for trace in profile.traces {
      #expect(trace.layers.map(\.layer) == trace.layers.map(\.layer).sorted())
      #expect(trace.names == recorder.rows.map(\.name))
      #expect(
        trace.chunks.joined().allSatisfy {
          trace.whole.contains($0.time.lowerBound) && $0.time.upperBound <= trace.whole.upperBound
        })
    }
  }
}
