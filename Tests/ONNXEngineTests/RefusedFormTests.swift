import NNRuntime
import ONNXEngine
import Testing

/// Forms that no rule takes: nodes that stay plain, or that are refused both ways, and numbers that no memory holds.
@Suite struct RefusedFormTests {
  @Test("biases and kernels that do not fit", arguments: ["Conv", "ConvTranspose"])
  func parameters(type: String) throws {
    var net = DrawnNetwork(seed: 1, input: [1, 6, 5, 7])
    let weights = net.weights([6, 6, 3, 3])
    for count in [1, 4, 12] {
      #expect(try net.isRefused(net.node(type, ["x", weights, net.weights([count])])), "\(count)")
    }
    let y = net.node(type, ["x", weights], ["kernel_shape": .ints([2, 3])])
    let (network, _) = try net.lowered(y)
    #expect(network.partition.nodes.map(\.island) == [nil])
  }

  @Test("scales of a normalization that are no vector of the width")
  func scales() throws {
    var net = DrawnNetwork(seed: 2, input: [1, 3, 4, 4])
    for shape in [[4, 1], [1, 4], [4, 4], [1]] {
      let y = net.node("LayerNormalization", ["x", net.weights(shape)])
      try net.check(y, plain: ["LayerNormalization"], "\(shape)")
      let shifted = net.node("LayerNormalization", ["x", net.weights([4]), net.weights(shape)])
      try net.check(shifted, plain: ["LayerNormalization"], "\(shape)")
    }
  }

  @Test("rectifiers whose slopes are far from 1, equal, or one per channel in old versions")
  func slopes() throws {
    var net = DrawnNetwork(seed: 3, input: [1, 4, 5, 4])
    let y = net.node("Conv", ["x", net.weights([4, 4, 1, 1])])
    try net.check(net.node("PRelu", [net.node("Abs", [y]), net.weights([4, 1, 1], 1e6...2e6)]))
    try net.check(net.node("PRelu", [y, net.constant([4, 1, 1], [0.25, 0.25, 0.25, 0.25])]))
    try net.check(net.node("PRelu", [y, net.constant([1], [-0.5])]))
    try net.check(net.node("PRelu", [y, net.constant([4, 1, 1], [1.5, -1, 0, 0.25])]))
    var old = DrawnNetwork(seed: 4, input: [1, 4, 5, 4], opset: 6)
    try old.check(
      old.node("PRelu", [old.node("Relu", ["x"]), old.weights([4], 0.1...0.9)]), plain: ["PRelu"])
    let negative = old.node("Neg", [old.node("Relu", ["x"])])
    try old.check(old.node("PRelu", [negative, old.weights([4], 0.1...0.9)]), plain: ["PRelu"])
  }

  @Test("transposed convolutions whose strides make far more kernels than there are taps")
  func strides() throws {
    var net = DrawnNetwork(seed: 5, input: [1, 2, 3, 3])
    let y = net.node("ConvTranspose", ["x", net.weights([2, 2, 2, 2])], ["strides": .ints([100, 90])])
    try net.check(y, plain: ["ConvTranspose"])
    let wide = net.node("ConvTranspose", ["x", net.weights([2, 2, 16, 16])], ["strides": .ints([8, 8])])
    try net.check(wide)
  }

  @Test("sizes that no memory holds are refused, not computed with")
  func sizes() throws {
    let huge = Int.max / 2
    let attributes: [[String: DrawnNetwork.Attribute]] = [
      ["strides": .ints([huge, huge])], ["group": .int(huge)], ["dilations": .ints([huge, 1])],
      ["output_padding": .ints([huge, huge])], ["pads": .ints([huge, 0, huge, 0])],
      ["strides": .ints([1 << 30, 1 << 30])],
    ]
    for form in attributes {
      var net = DrawnNetwork(seed: 6, input: [1, 4, 3, 3])
      let y = net.node("ConvTranspose", [net.node("Relu", ["x"]), net.weights([4, 2, 3, 3])], form)
      #expect(try net.isRefused(net.node("Relu", [y])), "\(form)")
    }
    for shape in [[-1, huge, 4], [huge, huge], [1 << 32, 1 << 32], [-2, -18], [-1, -1]] {
      var net = DrawnNetwork(seed: 7, input: [1, 4, 3, 3])
      let y = net.node("Reshape", [net.node("Relu", ["x"]), net.integers(shape)])
      #expect(try net.isRefused(net.node("Relu", [y])), "\(shape)")
    }
    for sizes in [[1, 4, 1 << 40, 1 << 40], [1, 4, huge, huge], [huge, 4, 3, 3], [1, 4, -3, 3]] {
      var net = DrawnNetwork(seed: 8, input: [1, 4, 3, 3])
      let y = net.node("Resize", [net.node("Relu", ["x"]), "", "", net.integers(sizes)])
      #expect(try net.isRefused(net.node("Relu", [y])), "\(sizes)")
    }
  }

  @Test("orders of axes that are none", arguments: [[0, 2, 9], [0, -1, 1], [0, 0, 1]])
  func orders(order: [Int]) throws {
    var net = DrawnNetwork(seed: 12, input: [2, 4, 4])
    let y = net.node("Relu", ["x"])
    let turned = net.node("Transpose", [net.node("MatMul", [y, y])], ["perm": .ints(order)])
    #expect(try net.isRefused(net.node("Relu", [turned])))
  }

  @Test("slices with steps beyond the axis, and dilations beyond any map")
  func steps() throws {
    var net = DrawnNetwork(seed: 9, input: [1, 4, 6, 5])
    let y = net.node("Relu", ["x"])
    for step in [Int.max, 1 << 40, 4, 3] {
      let part = net.node(
        "Slice", [y, net.integers([1]), net.integers([Int.max]), net.integers([2]), net.integers([step])])
      try net.check(net.node("Sigmoid", [part]), "\(step)")
    }
    let weights = net.weights([4, 4, 2, 2])
    let wide = net.node(
      "Conv", [y, weights], ["auto_pad": .text("SAME_UPPER"), "dilations": .ints([1 << 30, 1 << 30])])
    let (network, _) = try net.lowered(wide)
    #expect(network.partition.nodes.last?.island == nil)
  }

  @Test("a rule that fails takes nothing in")
  func unread() throws {
    var net = DrawnNetwork(seed: 10, input: [1, 4, 5, 6])
    let y = net.node("Relu", ["x"])
    let (sine, cosine) = (net.node("Sin", [y]), net.node("Cos", [y]))
    let gate = net.node("Sigmoid", [sine])
    let most = net.node("ReduceMax", [cosine, net.integers([2])])
    let sum = net.node("Add", [gate, most])
    try net.check(sum, plain: ["Sin", "Cos", "ReduceMax"])
    let partition = try net.lowered(sum).network.partition
    #expect(partition.entering == 3 && partition.leaving == 2)
  }

  @Test("a verification compares outputs, and names what it does not compare")
  func verification() throws {
    var net = DrawnNetwork(seed: 11, input: [1, 4, 6, 6])
    let y = net.node("Conv", ["x", net.weights([6, 4, 3, 3])])
    let part = net.node("Slice", [y, net.integers([1]), net.integers([3]), net.integers([2])])
    let output = net.node("Mul", [part, net.constant([], [2])])
    let (network, values) = try net.lowered(output)
    let found = try network.verified(values, tolerance: DrawnNetwork.tolerance)
    #expect(found.outputs.map(\.name) == [output])
    #expect(found.outputs.allSatisfy { $0.difference <= DrawnNetwork.tolerance })
    #expect(found.layers.allSatisfy { $0.isolated <= DrawnNetwork.tolerance })
    #expect(found.layers.count == 1 && found.uncompared.contains { $0.hasPrefix("output.") })
  }
}
