import Testing

/// Activations in their spellings, and operations on two tensors.
@Suite struct ElementwiseLoweringTests {
  /// A convolution in front, whose result is a map.
  private func network(seed: Int) -> (DrawnNetwork, String) {
    var net = DrawnNetwork(seed: seed, input: [1, 4, 5, 6])
    let y = net.node("Conv", ["x", net.weights([8, 4, 1, 1], -2...2), net.weights([8])])
    return (net, y)
  }

  @Test(
    "single operators",
    arguments: [
      "Relu", "Sigmoid", "Tanh", "HardSwish", "Softplus", "Mish", "Exp", "Neg", "Abs", "Erf", "Elu",
      "LeakyRelu", "HardSigmoid",
    ])
  func single(type: String) throws {
    var (net, y) = network(seed: 1)
    try net.check(net.node(type, [y]), type)
  }

  @Test("SiLU, Mish and GELU spelled out")
  func spelled() throws {
    var (net, y) = network(seed: 2)
    y = net.node("Mul", [net.node("Sigmoid", [y]), y])
    y = net.node("Mul", [y, net.node("Tanh", [net.node("Softplus", [y])])])
    let erf = net.node("Erf", [net.node("Div", [y, net.constant([], [1.414_213_5])])])
    let sum = net.node("Add", [erf, net.constant([], [1])])
    y = net.node("Mul", [net.node("Mul", [y, sum]), net.constant([], [0.5])])
    try net.check(y)
  }

  @Test("GELU by tanh, its half taken first")
  func tanhGELU() throws {
    var (net, y) = network(seed: 3)
    let cube = net.node("Mul", [net.node("Pow", [y, net.constant([], [3])]), net.constant([], [0.044715])])
    let inner = net.node("Mul", [net.node("Add", [y, cube]), net.constant([], [0.797_884_6])])
    let sum = net.node("Add", [net.constant([], [1]), net.node("Tanh", [inner])])
    y = net.node("Mul", [net.node("Mul", [net.constant([], [0.5]), y]), sum])
    try net.check(y)
  }

  @Test("hard swish in three spellings, and clips")
  func clips() throws {
    var (net, y) = network(seed: 4)
    func clip(_ net: inout DrawnNetwork, _ x: String) -> String {
      net.node(
        "Clip", [net.node("Add", [x, net.constant([], [3])]), net.constant([], [0]), net.constant([], [6])])
    }
    y = net.node("Div", [net.node("Mul", [y, clip(&net, y)]), net.constant([], [6])])
    y = net.node("Mul", [net.node("Mul", [clip(&net, y), net.constant([], [1 / 6])]), y])
    y = net.node("Mul", [y, net.node("HardSigmoid", [y], ["alpha": .float(1 / 6), "beta": .float(0.5)])])
    y = net.node("Clip", [y, "", net.constant([], [0.5])])
    try net.check(net.node("Clip", [y, net.constant([], [-0.25])]))
  }

  @Test("a shared part of a spelling is kept")
  func shared() throws {
    var (net, y) = network(seed: 5)
    let gate = net.node("Sigmoid", [y])
    try net.check(net.node("Add", [net.node("Mul", [y, gate]), gate]))
  }

  @Test(
    "operations with what is known, broadcast in every way",
    arguments: ["Add", "Sub", "Mul", "Div", "Max", "Min"])
  func known(type: String) throws {
    for (seed, shape) in [[], [8, 1, 1], [1, 8, 1, 1], [6], [5, 1], [1, 8, 5, 6], [5, 6]].enumerated() {
      for isFirst in [false, true] {
        var (net, y) = network(seed: seed)
        let constant = net.weights(shape, 0.5...2)
        y = net.node("Add", [net.node("Abs", [y]), net.constant([], [0.5])])
        try net.check(
          net.node(type, isFirst ? [constant, y] : [y, constant]), "\(type) \(shape) \(isFirst)")
      }
    }
  }

  @Test("operations of two maps, one transposed", arguments: ["Add", "Sub", "Mul", "Div", "Max", "Min"])
  func computed(type: String) throws {
    var (net, y) = network(seed: 7)
    var z = net.node("Conv", ["x", net.weights([8, 4, 1, 1])])
    z = net.node("Add", [net.node("Abs", [z]), net.constant([], [0.5])])
    y = net.node(type, [y, z])
    let rows = net.node("Transpose", [y], ["perm": .ints([0, 3, 2, 1])])
    try net.check(net.node(type, [net.node("Relu", [rows]), z]), plain: [], type)
  }

  @Test("parametric rectifiers")
  func parametric() throws {
    var (net, y) = network(seed: 8)
    try net.check(net.node("PRelu", [y, net.weights([8, 1, 1])]))
  }
}
