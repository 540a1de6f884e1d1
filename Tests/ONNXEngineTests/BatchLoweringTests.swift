import NNRuntime
import ONNXEngine
import Testing

/// Batches whose images are not the first axis any more, reductions of everything, and parts of maps with a factor owed.
@Suite struct BatchLoweringTests {
  @Test("reductions over all axes", arguments: ["ReduceSum", "ReduceMean", "ReduceMax"], [0, 1])
  func reductions(type: String, keeps: Int) throws {
    var net = DrawnNetwork(seed: 1, input: [1, 3, 8, 8])
    let y = net.node("Relu", ["x"])
    let all = net.node(type, [y, net.integers([0, 1, 2, 3])], ["keepdims": .int(keeps)])
    try net.check(all, type)
    let squeezed = net.node("Squeeze", [y, net.integers([0])])
    let each = net.node(type, [squeezed, net.integers([0, 1, 2])], ["keepdims": .int(keeps)])
    try net.check(each, plain: [type], type)
  }

  @Test("a factor that a part of a map is owed")
  func owed() throws {
    var net = DrawnNetwork(seed: 2, input: [1, 4, 6, 5])
    let y = net.node("Relu", ["x"])
    for (axis, range) in [(2, [1, 4]), (1, [1, 3]), (3, [2, 5])] {
      let part = net.node(
        "Slice", [y, net.integers([range[0]]), net.integers([range[1]]), net.integers([axis])])
      let scaled = net.node("Mul", [part, net.constant([], [3])])
      try net.check(net.node("Sigmoid", [scaled]), "axis \(axis)")
      try net.check(net.node("Add", [scaled, part]), "axis \(axis)")
      try net.check(net.node("Neg", [scaled]), "axis \(axis)")
    }
  }

  /// A map of a batch of two as (height, images, width, channels).
  private func turned(height: Int) -> (net: DrawnNetwork, map: String, turned: String) {
    var net = DrawnNetwork(seed: 3, input: [2, 4, height, 5])
    let map = net.node("Conv", ["x", net.weights([8, 4, 1, 1])])
    let turned = net.node("Transpose", [map], ["perm": .ints([2, 0, 3, 1])])
    return (net, map, turned)
  }

  @Test("pixels of several images are not reduced image by image", arguments: [2, 3])
  func reduced(height: Int) throws {
    var (net, _, turned) = turned(height: height)
    try net.check(
      net.node("ReduceMean", [turned, net.integers([1, 2])], ["keepdims": .int(0)]), plain: ["ReduceMean"])
    try net.check(net.node("ReduceMax", [turned, net.integers([0, 2])]), plain: ["ReduceMax"])
  }

  @Test("a vector a row is none an image")
  func excited() throws {
    var (net, map, turned) = turned(height: 2)
    let means = net.node("GlobalAveragePool", [map])
    let vector = net.node("Transpose", [means], ["perm": .ints([0, 2, 3, 1])])
    try net.check(net.node("Mul", [turned, vector]), plain: ["Mul"])
    let rows = net.node("Transpose", [map], ["perm": .ints([0, 2, 3, 1])])
    try net.check(net.node("Mul", [rows, vector]))
  }

  @Test("rows of several images are not stacked image by image")
  func stacked() throws {
    var (net, map, _) = turned(height: 3)
    let last = net.node("Transpose", [map], ["perm": .ints([0, 2, 3, 1])])
    let rows = net.node("Reshape", [last, net.integers([6, 5, 8])])
    try net.check(net.node("Concat", [rows, rows], ["axis": .int(1)]), plain: ["Concat"])
    try net.check(net.node("Concat", [last, last], ["axis": .int(1)]))
  }

  @Test("what is done pixel by pixel takes images in any order")
  func pixelwise() throws {
    var (net, _, turned) = turned(height: 3)
    let normal = net.node("LayerNormalization", [turned, net.weights([8]), net.weights([8])])
    let product = net.node("MatMul", [normal, net.weights([8, 6])])
    try net.check(net.node("Softmax", [product], ["axis": .int(-1)]))
    try net.check(net.node("Transpose", [product], ["perm": .ints([3, 0, 1, 2])]))
  }

  @Test("attention of queries, keys and values of one image of a batch", arguments: [0, 1])
  func oneImage(image: Int) throws {
    var net = DrawnNetwork(seed: 4, input: [2, 6, 8])
    let all = net.node("MatMul", ["x", net.weights([8, 8])])
    let one = net.node("Gather", [all, net.integers([image])], ["axis": .int(0)])
    let keys = net.node("Transpose", [one], ["perm": .ints([0, 2, 1])])
    let weights = net.node("Softmax", [net.node("MatMul", [one, keys])], ["axis": .int(-1)])
    let attended = net.node("MatMul", [weights, one])
    let model = try net.lowered(attended)
    let plain = model.network.partition.nodes.filter { $0.island == nil }.flatMap(\.operators)
    try net.check(attended, plain: plain)
  }
}
