import ONNXEngine
import Testing

/// `GridSample`, `Resize`, and the sampling of deformable attention.
@Suite struct SamplingLoweringTests {
  /// Points (images, rows, columns, 2) made of the input's numbers, some beyond the edges.
  private func points(_ shape: [Int], of x: String, _ net: inout DrawnNetwork) -> String {
    let part = net.node(
      "Slice",
      [
        net.node("Neg", [x]), net.integers([0, 0, 0]), net.integers(Array(shape[1...])),
        net.integers([1, 2, 3]),
      ])
    return net.node("Mul", [part, net.constant([], [0.7])])
  }

  @Test("two taps per axis, at computed and at known points", arguments: [1, 3], ["zeros", "border"])
  func gridSample(batch: Int, padding: String) throws {
    for aligns in [0, 1] {
      var net = DrawnNetwork(seed: 31, input: [batch, 6, 5, 7])
      let grid = points([batch, 4, 3, 2], of: "x", &net)
      let map = net.node("Conv", ["x", net.weights([10, 6, 1, 1])])
      let attributes: [String: DrawnNetwork.Attribute] = [
        "padding_mode": .text(padding), "align_corners": .int(aligns),
        "mode": .text(aligns == 0 ? "linear" : "bilinear"),
      ]
      let sampled = net.node("GridSample", [map, grid], attributes)
      try net.check(net.node("Relu", [sampled]), "\(padding), \(aligns)")
    }
    var net = DrawnNetwork(seed: 32, input: [1, 6, 5, 7])
    let grid = net.weights([1, 4, 3, 2], -1.3...1.3)
    try net.check(net.node("GridSample", ["x", grid], ["padding_mode": .text(padding)]))
  }

  /// Places as PyTorch computes them are some hundred-thousandths of a pixel away: ten times what is allowed here.
  @Test(
    "a resize's places are rounded as ONNX Runtime rounds them", arguments: ["linear", "cubic"],
    ["half_pixel", "pytorch_half_pixel", "align_corners"])
  func resize(mode: String, coordinates: String) throws {
    let isPlain = mode == "cubic" && coordinates == "align_corners"
    for sizes in [[22, 300], [7, 1000]] {
      var net = DrawnNetwork(seed: 36, input: [1, 3, 13, 510])
      let resized = net.node(
        "Resize", ["x", "", "", net.integers([1, 3] + sizes)],
        ["mode": .text(mode), "coordinate_transformation_mode": .text(coordinates)])
      try net.check(resized, plain: isPlain ? ["Resize"] : [], tolerance: 2e-6, "\(mode), \(sizes)")
    }
  }

  @Test("mirrored, nearest and cubic samples are computed by the definition")
  func others() throws {
    for (name, value) in [("padding_mode", "reflection"), ("mode", "nearest"), ("mode", "cubic")] {
      var net = DrawnNetwork(seed: 33, input: [1, 6, 5, 7])
      let grid = points([1, 4, 3, 2], of: "x", &net)
      let sampled = net.node("GridSample", ["x", grid], [name: .text(value)])
      try net.check(sampled, plain: ["GridSample"], value)
    }
  }

  /// Heads of 8 channels, the samples of each level side by side or stacked, as PyTorch writes deformable attention.
  @Test("deformable attention", arguments: [1, 2], [false, true])
  func deformable(batch: Int, isStacked: Bool) throws {
    let (heads, queries, sizes) = (3, 9, [(6, 5), (3, 4)])
    // As many points in each level where they are stacked.
    let counts = isStacked ? [4, 4] : [4, 2]
    let tokens = sizes.reduce(0) { $0 + $1.0 * $1.1 }
    var net = DrawnNetwork(seed: 34, input: [batch, tokens, 24])
    let values = net.node("MatMul", ["x", net.weights([24, 24])])
    let split = net.node("Reshape", [values, net.integers([batch, tokens, heads, 8])])
    let turned = net.node("Transpose", [split], ["perm": .ints([0, 2, 3, 1])])
    let flat = net.node("Reshape", [turned, net.integers([batch * heads, 8, tokens])])
    let target = net.node("Slice", ["x", net.integers([0]), net.integers([queries]), net.integers([1])])
    let all = counts.reduce(0, +)
    let moves = net.node("MatMul", [target, net.weights([24, heads * all * 2], -0.3...0.3)])
    let byHead = net.node("Reshape", [moves, net.integers([batch, queries, heads, all, 2])])
    let places = net.node("Transpose", [byHead], ["perm": .ints([0, 2, 1, 3, 4])])
    let grids = net.node("Reshape", [places, net.integers([batch * heads, queries, all, 2])])
    var (samples, token, point): ([String], Int, Int) = ([], 0, 0)
    for ((height, width), count) in zip(sizes, counts) {
      let part = net.node(
        "Slice", [flat, net.integers([token]), net.integers([token + height * width]), net.integers([2])])
      let map = net.node("Reshape", [part, net.integers([batch * heads, 8, height, width])])
      let grid = net.node(
        "Slice", [grids, net.integers([point]), net.integers([point + count]), net.integers([2])])
      var sample = net.node("GridSample", [map, grid])
      if isStacked { sample = net.node("Unsqueeze", [sample, net.integers([-2])]) }
      samples.append(sample)
      (token, point) = (token + height * width, point + count)
    }
    var joined = net.node("Concat", samples, ["axis": .int(isStacked ? -2 : -1)])
    if isStacked { joined = net.node("Reshape", [joined, net.integers([batch * heads, 8, queries, all])]) }
    let scores = net.node("MatMul", [target, net.weights([24, heads * all])])
    let softmax = net.node(
      "Softmax", [net.node("Reshape", [scores, net.integers([batch, queries, heads, all])])],
      ["axis": .int(-1)])
    let weights = net.node(
      "Reshape",
      [
        net.node("Transpose", [softmax], ["perm": .ints([0, 2, 1, 3])]),
        net.integers([batch * heads, 1, queries, all]),
      ])
    let sum = net.node(
      "ReduceSum", [net.node("Mul", [joined, weights]), net.integers([-1])], ["keepdims": .int(0)])
    let back = net.node("Reshape", [sum, net.integers([batch, heads * 8, queries])])
    let output = net.node("Transpose", [back], ["perm": .ints([0, 2, 1])])
    let made = net.node("MatMul", [output, net.weights([24, 24])])
    try net.check(made, "batch \(batch), stacked \(isStacked)")
    let layers = try net.lowered(made).network.partition.nodes.filter { $0.operators.contains("GridSample") }
    #expect(layers.count == 1, "one layer for all levels")
  }
}
