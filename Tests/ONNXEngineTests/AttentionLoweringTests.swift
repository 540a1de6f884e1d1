import Testing

/// Attention with keys of another number, in windows, with masks; products of computed matrices.
@Suite struct AttentionLoweringTests {
  /// Tokens (batch, tokens, 16) as heads (batch, 2, tokens, 8), or turned.
  private func heads(
    _ tokens: String, _ batch: Int, _ count: Int, _ order: [Int], _ net: inout DrawnNetwork
  ) -> String {
    let y = net.node("Add", [net.node("MatMul", [tokens, net.weights([16, 16])]), net.weights([16])])
    let split = net.node("Reshape", [y, net.integers([batch, count, 2, 8])])
    return net.node("Transpose", [split], ["perm": .ints(order)])
  }

  private func joined(_ attended: String, _ shape: [Int], _ net: inout DrawnNetwork) -> String {
    let tokens = net.node("Transpose", [attended], ["perm": .ints([0, 2, 1, 3])])
    let y = net.node("Reshape", [tokens, net.integers(shape)])
    return net.node("MatMul", [y, net.weights([16, 16])])
  }

  @Test("keys and values of fewer tokens than queries", arguments: [1, 2])
  func reducedKeys(batch: Int) throws {
    var net = DrawnNetwork(seed: 21, input: [batch, 12, 16])
    let parts = net.nodes(
      "Split", [net.node("Relu", ["x"]), net.integers([5, 7])], outputs: 2, ["axis": .int(1)])
    let q = heads("x", batch, 12, [0, 2, 1, 3], &net)
    let (k, v) = (
      heads(parts[0], batch, 5, [0, 2, 3, 1], &net), heads(parts[0], batch, 5, [0, 2, 1, 3], &net)
    )
    let scores = net.node("Div", [net.node("MatMul", [q, k]), net.constant([], [2.83])])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let y = joined(net.node("MatMul", [weights, v]), [batch, 12, 16], &net)
    try net.check(net.node("Add", ["x", y]))
  }

  @Test("one head that is not split off", arguments: [5, 12])
  func oneHead(keys: Int) throws {
    var net = DrawnNetwork(seed: 22, input: [1, 12, 16])
    let part = net.node("Slice", ["x", net.integers([0]), net.integers([keys]), net.integers([1])])
    let q = net.node("MatMul", ["x", net.weights([16, 16])])
    let k = net.node(
      "Transpose", [net.node("MatMul", [part, net.weights([16, 16])])], ["perm": .ints([0, 2, 1])])
    let v = net.node("MatMul", [part, net.weights([16, 24])])
    let weights = net.node("Softmax", [net.node("MatMul", [q, k])], ["axis": .int(2)])
    let made = net.node("MatMul", [weights, v])
    try net.check(net.node("MatMul", [made, net.weights([24, 3])]), plain: ["Slice"])
  }

  @Test(
    "known addends: of all, of heads, of images' heads",
    arguments: [[9, 9], [2, 9, 9], [1, 1, 9, 9], [1, 1, 1, 9], [1, 2, 9, 1]], [1, 3])
  func addends(_ shape: [Int], batch: Int) throws {
    var net = DrawnNetwork(seed: 23 + shape.count, input: [batch, 9, 16])
    let (q, k, v) = (
      heads("x", batch, 9, [0, 2, 1, 3], &net), heads("x", batch, 9, [0, 2, 3, 1], &net),
      heads("x", batch, 9, [0, 2, 1, 3], &net)
    )
    let scaled = net.node("Mul", [net.node("MatMul", [q, k]), net.constant([], [0.35])])
    var mask = net.floats(shape.reduce(1, *), -3...3)
    // A mask as exporters write it: one pair is cut off.
    if mask.count > 9, shape.last == 9 { mask[3] = -.infinity }
    let scores = net.node("Add", [scaled, net.constant(shape, mask)])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let y = joined(net.node("MatMul", [weights, v]), [batch, 9, 16], &net)
    try net.check(net.node("Add", ["x", y]))
  }

  @Test("windows with biases by head and masks by window", arguments: [false, true])
  func windows(isMasked: Bool) throws {
    var net = DrawnNetwork(seed: 27, input: [1, 24, 16])
    let shape = [6, 4, 16]
    let windows = net.node("Reshape", [net.node("Relu", ["x"]), net.integers(shape)])
    let (q, k, v) = (
      heads(windows, 6, 4, [0, 2, 1, 3], &net), heads(windows, 6, 4, [0, 2, 3, 1], &net),
      heads(windows, 6, 4, [0, 2, 1, 3], &net)
    )
    let product = net.node("MatMul", [q, k])
    var scores = net.node("Add", [product, net.weights([1, 2, 4, 4])])
    if isMasked {
      let apart = net.node("Reshape", [scores, net.integers([1, 6, 2, 4, 4])])
      let masked = net.node("Add", [apart, net.weights([1, 6, 1, 4, 4], -9...0)])
      scores = net.node("Reshape", [masked, net.integers([6, 2, 4, 4])])
    }
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let y = joined(net.node("MatMul", [weights, v]), shape, &net)
    try net.check(net.node("Reshape", [y, net.integers([1, 24, 16])]))
  }

  @Test("addends that are computed")
  func computedAddends() throws {
    var net = DrawnNetwork(seed: 28, input: [1, 9, 16])
    let (q, k, v) = (
      heads("x", 1, 9, [0, 2, 1, 3], &net), heads("x", 1, 9, [0, 2, 3, 1], &net),
      heads("x", 1, 9, [0, 2, 1, 3], &net)
    )
    let bias = net.node(
      "Reshape", [net.node("MatMul", ["x", net.weights([16, 9])]), net.integers([1, 1, 9, 9])])
    let scores = net.node("Add", [net.node("MatMul", [q, k]), bias])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    try net.check(joined(net.node("MatMul", [weights, v]), [1, 9, 16], &net))
  }

  @Test(
    "products of two computed tensors, as they lie and turned",
    arguments: [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [0, 1, 3, 2], [0, 2, 3, 1]], [1, 2])
  func products(order: [Int], batch: Int) throws {
    let shape = [batch, 3, 20, 40]
    var net = DrawnNetwork(seed: 29 + order[1], input: shape)
    let a = net.node("Transpose", [net.node("Relu", ["x"])], ["perm": .ints(order)])
    let turned = order.map { shape[$0] }
    // (..., depth, columns) of the same elements.
    let b = net.node("Transpose", [net.node("Sigmoid", [a])], ["perm": .ints([0, 1, 3, 2])])
    let squares = net.node("MatMul", [a, b])
    try net.check(net.node("MatMul", [squares, net.weights([1, turned[1], turned[2], 17])]))
  }

  @Test("a product whose operand stands for many, and one with a vector")
  func broadcast() throws {
    var net = DrawnNetwork(seed: 31, input: [1, 4, 6, 10])
    let y = net.node("Relu", ["x"])
    let one = net.node("ReduceMean", [y, net.integers([1])], ["keepdims": .int(1)])
    let turned = net.node("Transpose", [one], ["perm": .ints([0, 1, 3, 2])])
    let product = net.node("MatMul", [y, turned])
    let made = net.node(
      "MatMul", [net.node("MatMul", [product, net.weights([4, 6, 5])]), net.weights([5])])
    try net.check(net.node("Mul", [made, net.weights([1, 4, 6])]), plain: ["ReduceMean", "Transpose"])
  }
}
