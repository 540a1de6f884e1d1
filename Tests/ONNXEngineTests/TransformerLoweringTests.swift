import Testing

/// Tokens, normalizations, products and attention in their spellings.
@Suite struct TransformerLoweringTests {
  @Test("layer normalization, one operator and spelled out", arguments: [false, true])
  func layerNorm(spelled: Bool) throws {
    var net = DrawnNetwork(seed: 1, input: [2, 7, 12])
    var y = net.node("MatMul", ["x", net.weights([12, 16])])
    y = net.node("Add", [net.weights([16]), y])
    let (gamma, beta) = (net.weights([16]), net.weights([16]))
    if spelled {
      let mean = net.node("ReduceMean", [y, net.integers([-1])])
      let difference = net.node("Sub", [y, mean])
      let square = net.node("Pow", [difference, net.constant([], [2])])
      let variance = net.node("ReduceMean", [square, net.integers([2])])
      let root = net.node("Sqrt", [net.node("Add", [variance, net.constant([], [1e-5])])])
      y = net.node("Mul", [net.node("Div", [difference, root]), gamma])
      y = net.node("Add", [y, beta])
    } else {
      y = net.node("LayerNormalization", [y, gamma, beta], ["epsilon": .float(1e-5)])
    }
    try net.check(net.node("MatMul", [y, net.weights([16, 5])]))
  }

  @Test("attention of separate projections, and its result back in tokens", arguments: [1, 2])
  func attention(batch: Int) throws {
    var net = DrawnNetwork(seed: 2, input: [batch, 9, 16])
    func heads(_ order: [Int], _ net: inout DrawnNetwork) -> String {
      let y = net.node("Add", [net.node("MatMul", ["x", net.weights([16, 24])]), net.weights([24])])
      let split = net.node("Reshape", [y, net.integers([batch, 9, 3, 8])])
      return net.node("Transpose", [split], ["perm": .ints(order)])
    }
    let (q, k, v) = (heads([0, 2, 1, 3], &net), heads([0, 2, 3, 1], &net), heads([0, 2, 1, 3], &net))
    let factor = net.constant([], [0.5946])
    let scores = net.node("MatMul", [net.node("Mul", [q, factor]), net.node("Mul", [k, factor])])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let joined = net.node("Transpose", [net.node("MatMul", [weights, v])], ["perm": .ints([0, 2, 1, 3])])
    let y = net.node("Reshape", [joined, net.integers([batch, 9, 24])])
    try net.check(net.node("Add", ["x", net.node("MatMul", [y, net.weights([24, 16])])]))
  }

  @Test("attention of one packed map, keys before values, as in detectors")
  func packed() throws {
    var net = DrawnNetwork(seed: 3, input: [1, 16, 4, 5])
    let map = net.node("Conv", ["x", net.weights([2 * 32, 16, 1, 1]), net.weights([64])])
    let rows = net.node("Reshape", [map, net.integers([1, 2, 32, 20])])
    let parts = net.nodes("Split", [rows, net.integers([8, 8, 16])], outputs: 3, ["axis": .int(2)])
    let q = net.node("Transpose", [parts[0]], ["perm": .ints([0, 1, 3, 2])])
    let scores = net.node("Mul", [net.node("MatMul", [q, parts[1]]), net.constant([], [0.35])])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let turned = net.node("Transpose", [weights], ["perm": .ints([0, 1, 3, 2])])
    let attended = net.node(
      "Reshape", [net.node("MatMul", [parts[2], turned]), net.integers([1, 32, 4, 5])])
    let values = net.node("Reshape", [parts[2], net.integers([1, 32, 4, 5])])
    let place = net.node(
      "Conv", [values, net.weights([32, 1, 3, 3])], ["group": .int(32), "pads": .ints([1, 1, 1, 1])])
    try net.check(net.node("Conv", [net.node("Add", [attended, place]), net.weights([16, 32, 1, 1])]))
  }

  @Test("windows of a map, as tokens and back")
  func windows() throws {
    var net = DrawnNetwork(seed: 4, input: [1, 8, 6, 9])
    var y = net.node("Transpose", [net.node("Relu", ["x"])], ["perm": .ints([0, 2, 3, 1])])
    y = net.node("Reshape", [y, net.integers([1, 2, 3, 3, 3, 8])])
    y = net.node("Transpose", [y], ["perm": .ints([0, 1, 3, 2, 4, 5])])
    y = net.node("Reshape", [y, net.integers([6, 9, 8])])
    y = net.node("LayerNormalization", [y, net.weights([8]), net.weights([8])])
    y = net.node("Reshape", [y, net.integers([1, 2, 3, 3, 3, 8])])
    y = net.node("Transpose", [y], ["perm": .ints([0, 1, 3, 2, 4, 5])])
    try net.check(net.node("Reshape", [y, net.integers([1, 6, 9, 8])]))
  }

  @Test("a class token in front, and taken off again")
  func classToken() throws {
    var net = DrawnNetwork(seed: 5, input: [1, 8, 3, 4])
    let map = net.node("Conv", ["x", net.weights([16, 8, 1, 1])])
    let flat = net.node("Reshape", [map, net.integers([1, 16, 12])])
    let tokens = net.node("Transpose", [flat], ["perm": .ints([0, 2, 1])])
    let all = net.node("Concat", [net.weights([1, 1, 16]), tokens], ["axis": .int(1)])
    let y = net.node("Add", [all, net.weights([1, 13, 16])])
    let rest = net.node("Slice", [y, net.integers([1]), net.integers([Int(Int32.max)]), net.integers([1])])
    let back = net.node("Transpose", [rest], ["perm": .ints([0, 2, 1])])
    let again = net.node("Reshape", [back, net.integers([1, 16, 3, 4])])
    try net.check(net.node("Conv", [again, net.weights([4, 16, 3, 3])], ["pads": .ints([1, 1, 1, 1])]))
  }

  @Test(
    "channels in any order: shuffles of many groups, and maps flattened before a classifier",
    arguments: [1, 2])
  func scattered(images: Int) throws {
    var net = DrawnNetwork(seed: images, input: [images, 116, 5, 6])
    let x = net.node("Conv", ["x", net.weights([116, 116, 1, 1])])
    let split = net.node("Reshape", [x, net.integers([images, 2, 58, 5, 6])])
    let turned = net.node("Transpose", [split], ["perm": .ints([0, 2, 1, 3, 4])])
    let shuffled = net.node("Reshape", [turned, net.integers([images, 116, 5, 6])])
    try net.check(net.node("Conv", [shuffled, net.weights([40, 116, 1, 1])]))

    var classifier = DrawnNetwork(seed: images, input: [images, 300, 3, 2])
    let map = classifier.node("Relu", ["x"])
    let flat = classifier.node("Flatten", [map])
    try classifier.check(
      classifier.node(
        "Gemm", [flat, classifier.weights([12, 1800]), classifier.weights([12])], ["transB": .int(1)]))
  }

  @Test("concatenations, splits and shuffles of channels and of pixels")
  func movements() throws {
    var net = DrawnNetwork(seed: 6, input: [1, 8, 4, 6])
    let parts = net.nodes(
      "Split", [net.node("Relu", ["x"]), net.integers([2, 6])], outputs: 2, ["axis": .int(1)])
    let wide = net.node("Conv", [parts[1], net.weights([10, 6, 1, 1])])
    let all = net.node("Concat", [wide, parts[0]], ["axis": .int(1)])
    var y = net.node("Reshape", [all, net.integers([1, 3, 4, 4, 6])])
    y = net.node("Transpose", [y], ["perm": .ints([0, 2, 1, 3, 4])])
    y = net.node("Reshape", [y, net.integers([1, 12, 4, 6])])
    y = net.node("DepthToSpace", [y], ["blocksize": .int(2)])
    let below = net.node("Concat", [y, net.node("Sigmoid", [y])], ["axis": .int(2)])
    y = net.node("Conv", [below, net.weights([5, 3, 3, 3])])
    let flat = net.node("Reshape", [y, net.integers([1, 5, -1])])
    try net.check(
      net.node("Softmax", [net.node("Concat", [flat, flat], ["axis": .int(2)])], ["axis": .int(1)]))
  }

  @Test("what has no rule is computed by its definition, between islands")
  func between() throws {
    var net = DrawnNetwork(seed: 7, input: [1, 4, 5, 5])
    let y = net.node("Conv", ["x", net.weights([6, 4, 3, 3])])
    let sines = net.node("Sin", [y])
    try net.check(
      net.node("Conv", [net.node("Add", [y, sines]), net.weights([2, 6, 1, 1])]), plain: ["Sin"])
  }
}
