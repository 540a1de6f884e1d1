import ONNXEngine
import Testing

/// `Einsum`: views, linear layers, products of matrices, and attention in its words.
@Suite struct EinsumLoweringTests {
  /// A product of two tensors that the engine computes, and a sum of all it makes with other numbers.
  @Test(
    "products of computed tensors",
    arguments: [
      "bhid,bhjd->bhij", "bhij,bhjd->bhid", "bhij,bhjd->bihd", "bihd,bjhd->bhij", "bihd,bjhd->bijh",
      "bijk,bljk->bil", "bijk,bklj->bil", "bhid,bhjd->hbji", "bijk,blmk->bijlm", "bijk,blmk->bjmil",
      "bijk,bkl->blij", "...ij,...jk->...ik", "...ij,...kj", "bijk,bij->bk", "bijk,bijk->b", "bi,bj->bij",
      "bhid,bjd->bhij",
    ], [1, 2])
  func products(equation: String, batch: Int) throws {
    let sizes: [Character: Int] = [
      "b": batch, "h": 3, "i": 5, "j": 7, "k": 6, "l": 4, "m": 2, "d": 8,
    ]
    let terms = equation.split(separator: "-")[0].split(separator: ",").map(String.init)
    let shapes = terms.map { term in
      term.hasPrefix("...")
        ? [batch, 3] + term.dropFirst(3).map { sizes[$0] ?? 1 } : term.map { sizes[$0] ?? 1 }
    }
    let counts = shapes.map { $0.dropFirst().reduce(1, *) }
    var net = DrawnNetwork(seed: 41, input: [batch, counts[0] + counts[1]])
    let parts = net.nodes(
      "Split", [net.node("Relu", ["x"]), net.integers(counts)], outputs: 2, ["axis": .int(1)])
    let factors = zip(parts, shapes).map { net.node("Reshape", [$0, net.integers($1)]) }
    let made = net.node("Einsum", factors, ["equation": .text(equation)])
    try net.check(net.node("Mul", [made, net.constant([], [0.5])]), equation)
  }

  @Test(
    "products with known weights, on either side",
    arguments: [
      ("bijk,kl->bijl", [6, 4], false), ("bijk,lk->bijl", [4, 6], false), ("lk,bijk->blij", [4, 6], true),
      ("bijk,jkl->bil", [7, 6, 4], false), ("bijk,kjl->bil", [6, 7, 4], false),
      ("bijk,klm->blmij", [6, 4, 2], false), ("bijk,mlk->bijlm", [2, 4, 6], false),
      ("bijk,k->bij", [6], false), ("bijk,jkl->bijl", [7, 6, 4], false), ("bijk,kl", [6, 4], false),
    ], [1, 2])
  func weights(_ form: (equation: String, shape: [Int], isFirst: Bool), batch: Int) throws {
    // Axes that are summed up together are channels of one pixel, as heads are.
    let isFlat = form.equation.hasSuffix("->bil")
    var net = DrawnNetwork(seed: 42, input: isFlat ? [batch, 5, 42] : [batch, 5, 7, 6])
    let x = net.node("Reshape", [net.node("Relu", ["x"]), net.integers([batch, 5, 7, 6])])
    let operands = [x, net.weights(form.shape)]
    let made = net.node(
      "Einsum", form.isFirst ? operands.reversed() : operands, ["equation": .text(form.equation)])
    try net.check(net.node("Relu", [made]), form.equation)
  }

  @Test(
    "one tensor in another order", arguments: ["bijk->bkij", "bijk->kjib", "...ij->...ji", "kjib"], [1, 2])
  func views(equation: String, batch: Int) throws {
    var net = DrawnNetwork(seed: 43, input: [batch, 5, 7, 6])
    let turned = net.node("Einsum", [net.node("Relu", ["x"])], ["equation": .text(equation)])
    try net.check(net.node("Sigmoid", [turned]), equation)
  }

  @Test(
    "forms that stay by definition",
    arguments: ["bii->b", "bij->b", "bij,bij->bij", "bij,bkl->bik", "bii,bij->bij", "bij,bjk,bkl->bil"])
  func definitions(equation: String) throws {
    var net = DrawnNetwork(seed: 44, input: [2, 5, 5])
    let y = net.node("Relu", ["x"])
    let operands = equation.split(separator: "-")[0].split(separator: ",").map { _ in y }
    let made = net.node("Einsum", operands, ["equation": .text(equation)])
    try net.check(net.node("Mul", [made, net.constant([], [0.5])]), plain: ["Einsum"], equation)
  }

  /// Equations of both products by the order of the tokens' axes: queries, keys, products, values and result.
  private static let forms = [
    ["bhid,bhjd->bhij", "bhij,bhjd->bhid"], ["bihd,bjhd->bhij", "bhij,bjhd->bihd"],
    ["bjhd,bihd->bhij", "bjhd,bhij->bihd"], ["bihd,bhdj->bhij", "bhij,bhdj->bhdi"],
    ["...ihd,...jhd->...hij", "...hij,...jhd->...ihd"], ["qbhc,kbhc->bhqk", "bhqk,kbhc->qbhc"],
    ["bihd,bjhd->bihj", "bihj,bjhd->bihd"],
  ]

  /// A tensor (batch, tokens, heads, width) with the axes of a term of an equation.
  private func turned(
    _ x: String, _ term: Substring, tokens: Character, _ net: inout DrawnNetwork
  ) -> String {
    let names = term.replacing("...", with: "b")
    let width = names.first { !["b", "h", tokens].contains($0) }
    let own: [Character?] = ["b", tokens, "h", width]
    let order = names.compactMap { own.firstIndex(of: $0) }
    return order == [0, 1, 2, 3] ? x : net.node("Transpose", [x], ["perm": .ints(order)])
  }

  @Test("attention, with known addends and without", arguments: forms, [false, true])
  func attention(equations: [String], isMasked: Bool) throws {
    // A mask by heads is one of attention where it is (..., queries, keys).
    let isWhole = !(isMasked && equations[0].hasSuffix("bihj"))
    for batch in isWhole ? [1, 2] : [1] {
      var net = DrawnNetwork(seed: 45, input: [batch, 9, 16])
      let scores = equations[0].split(separator: ">")[1]
      let (queries, keys): (Character, Character) = scores.contains("q") ? ("q", "k") : ("i", "j")
      let terms = equations.map { $0.split(separator: "-")[0].split(separator: ",") }
      func heads(_ term: Substring, _ net: inout DrawnNetwork) -> String {
        let y = net.node("MatMul", ["x", net.weights([16, 16])])
        let split = net.node("Reshape", [y, net.integers([batch, 9, 2, 8])])
        return turned(split, term, tokens: term.contains(queries) ? queries : keys, &net)
      }
      let products = net.node(
        "Einsum", [heads(terms[0][0], &net), heads(terms[0][1], &net)], ["equation": .text(equations[0])])
      var scaled = net.node("Mul", [products, net.constant([], [0.35])])
      if isMasked {
        let sizes: [Character: Int] = ["h": 2, queries: 9, keys: 9]
        scaled = net.node("Add", [scaled, net.weights(scores.suffix(3).map { sizes[$0] ?? 1 }, -3...3)])
      }
      let weights = net.node("Softmax", [scaled], ["axis": .int(-1)])
      let isFirst = terms[1][0] == scores
      let values = heads(terms[1][isFirst ? 1 : 0], &net)
      let attended = net.node(
        "Einsum", isFirst ? [weights, values] : [values, weights], ["equation": .text(equations[1])])
      let made = net.node("Mul", [attended, net.constant([], [0.5])])
      try net.check(made, "\(equations) of \(batch)")
      let joined = try net.lowered(made).network.partition.nodes.contains {
        $0.operators.contains("Softmax") && $0.operators.count { $0 == "Einsum" } == 2
      }
      #expect(joined == isWhole, "\(equations)")
    }
  }

  @Test("attention in windows of a map, products in the words of Einsum and of MatMul", arguments: [1, 2])
  func windows(batch: Int) throws {
    var net = DrawnNetwork(seed: 46, input: [batch, 16, 6, 6])
    let parted = net.node("Reshape", [net.node("Relu", ["x"]), net.integers([batch, 16, 2, 3, 2, 3])])
    let turned = net.node("Transpose", [parted], ["perm": .ints([0, 2, 4, 3, 5, 1])])
    let tokens = net.node("Reshape", [turned, net.integers([batch, 4, 9, 16])])
    func heads(_ net: inout DrawnNetwork, _ order: [Int]) -> String {
      let y = net.node("MatMul", [tokens, net.weights([16, 16])])
      let split = net.node("Reshape", [y, net.integers([batch, 4, 9, 2, 8])])
      return net.node("Transpose", [split], ["perm": .ints(order)])
    }
    let (q, v) = (heads(&net, [0, 1, 3, 2, 4]), heads(&net, [0, 1, 3, 2, 4]))
    let k = net.node("Mul", [heads(&net, [0, 1, 3, 2, 4]), net.constant([], [0.35])])
    let products = net.node("Einsum", [q, k], ["equation": .text("B G H I D, B G H J D -> B G H I J")])
    let scores = net.node("Add", [products, net.weights([1, 2, 9, 9], -3...3)])
    let weights = net.node("Softmax", [scores], ["axis": .int(-1)])
    let attended = net.node("MatMul", [weights, v])
    let back = net.node("Transpose", [attended], ["perm": .ints([0, 1, 3, 2, 4])])
    let merged = net.node(
      "MatMul",
      [
        net.node("Reshape", [back, net.integers([batch, 4, 9, 16])]), net.weights([16, 16]),
      ])
    let sum = net.node("Add", [tokens, merged])
    let apart = net.node("Reshape", [sum, net.integers([batch, 2, 2, 3, 3, 16])])
    let order = net.node("Transpose", [apart], ["perm": .ints([0, 5, 1, 3, 2, 4])])
    let map = net.node("Reshape", [order, net.integers([batch, 16, 6, 6])])
    try net.check(net.node("Conv", [map, net.weights([4, 16, 3, 3])]))
  }
}
