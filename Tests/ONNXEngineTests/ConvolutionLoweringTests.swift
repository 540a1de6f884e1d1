import NNRuntime
import ONNXEngine
import Testing

/// Convolutions and pools of drawn forms, by the engine and by definition.
@Suite struct ConvolutionLoweringTests {
  @Test("convolutions of any groups, strides, dilations and paddings", arguments: 0..<40)
  func convolution(seed: Int) throws {
    var net = DrawnNetwork(seed: seed, input: [1 + seed % 7 / 6, 12, 9 + seed % 5, 11 + seed % 3])
    let groups = [1, 1, 2, 3, 4, 12][net.draw(0...5)]
    let out = groups * net.draw(1...3)
    let kernel = [net.draw(1...4), net.draw(1...4)]
    let stride = net.draw(1...2)
    let dilation = net.draw(1...2)
    let pads = (0..<4).map { _ in net.draw(0...2) }
    let weights = net.weights([out, 12 / groups] + kernel)
    let bias = net.weights([out])
    let y = net.node(
      "Conv", ["x", weights, bias],
      [
        "group": .int(groups), "strides": .ints([stride, stride]), "dilations": .ints([dilation, dilation]),
        "pads": .ints(pads),
      ])
    try net.check(
      net.node("Relu", [y]), "groups \(groups) of \(out), \(kernel) by \(stride), \(dilation), \(pads)")
  }

  @Test(
    "groups of any width are one layer", arguments: [(13, 8), (4, 40), (32, 4), (3, 17), (37, 1)], [1, 3])
  func groups(_ channels: (groups: Int, width: Int), kernel: Int) throws {
    let (groups, width) = channels
    for stride in [1, 2] {
      var net = DrawnNetwork(seed: groups, input: [1, groups * width, 12, 9])
      let y = net.node(
        "Conv", ["x", net.weights([groups * width, width, kernel, kernel]), net.weights([groups * width])],
        [
          "group": .int(groups), "strides": .ints([stride, stride]),
          "pads": .ints([Int](repeating: kernel / 2, count: 4)),
        ])
      try net.check(net.node("Relu", [y]), "\(groups) groups of \(width) by \(stride)")
    }
  }

  @Test("distributions of box sides: softmax and mean of groups of channels, as they lie", arguments: [1, 2])
  func distributions(images: Int) throws {
    for outputs in [1, 3] {
      var net = DrawnNetwork(seed: outputs, input: [images, 24, 5, 7])
      let wide = net.node("Conv", ["x", net.weights([64, 24, 1, 1]), net.weights([64])])
      let sides = net.node("Reshape", [wide, net.integers([images, 4, 16, 35])])
      let order = net.node("Transpose", [sides], ["perm": .ints([0, 2, 1, 3])])
      let shares = net.node("Softmax", [order], ["axis": .int(1)])
      let mean = net.node("Conv", [shares, net.weights([outputs, 16, 1, 1]), net.weights([outputs])])
      let y = net.node("Reshape", [mean, net.integers([images, 4 * outputs, 35])])
      try net.check(y, "\(images) images, \(outputs) outputs")
      let (network, _) = try net.lowered(y)
      let layers = network.partition.plans.flatMap(\.layers)
      #expect(layers.filter { $0.operation == "softmax" }.map(\.output.channels) == [64])
    }
  }

  @Test("kernels with wide gaps, as in atrous pyramids", arguments: [2, 6, 12], [1, 2])
  func atrous(dilation: Int, stride: Int) throws {
    for images in [1, 2] {
      var net = DrawnNetwork(seed: dilation, input: [images, 20, 13, 17])
      let y = net.node(
        "Conv", ["x", net.weights([24, 20, 3, 3]), net.weights([24])],
        [
          "dilations": .ints([dilation, dilation]), "pads": .ints([dilation, dilation, dilation, dilation]),
          "strides": .ints([stride, stride]),
        ])
      try net.check(net.node("Relu", [y]), "\(dilation) by \(stride), \(images) images")
    }
  }

  @Test("automatic paddings", arguments: ["SAME_UPPER", "SAME_LOWER", "VALID"])
  func automatic(padding: String) throws {
    for seed in 0..<4 {
      var net = DrawnNetwork(seed: seed, input: [1, 5, 13, 10])
      let weights = net.weights([8, 5, 3, 3])
      let y = net.node("Conv", ["x", weights], ["auto_pad": .text(padding), "strides": .ints([2, 2])])
      try net.check(y, padding)
    }
  }

  @Test("batch normalization and its spelling as a product and a sum")
  func normalized() throws {
    var net = DrawnNetwork(seed: 1, input: [2, 6, 7, 5])
    let weights = net.weights([9, 6, 3, 3])
    let y = net.node("Conv", ["x", weights], ["pads": .ints([1, 1, 1, 1])])
    let parameters = [net.weights([9]), net.weights([9]), net.weights([9]), net.weights([9], 0.5...2)]
    let z = net.node("BatchNormalization", [y] + parameters, ["epsilon": .float(1e-3)])
    let scaled = net.node("Mul", [z, net.weights([9, 1, 1])])
    try net.check(net.node("Add", [net.weights([1, 9, 1, 1]), scaled]))
  }

  @Test("transposed convolutions", arguments: 0..<16)
  func transposed(seed: Int) throws {
    var net = DrawnNetwork(seed: seed, input: [1, 6, 5, 7])
    let kernel = [net.draw(1...4), net.draw(1...4)]
    let strides = [net.draw(1...3), net.draw(1...3)]
    let pads = (0..<4).map { _ in net.draw(0...1) }.map { min($0, kernel.min()! - 1) }
    let weights = net.weights([6, 4] + kernel)
    let y = net.node(
      "ConvTranspose", ["x", weights, net.weights([4])], ["strides": .ints(strides), "pads": .ints(pads)])
    try net.check(y, "\(kernel) by \(strides), \(pads)")
  }

  @Test("pools", arguments: 0..<24)
  func pools(seed: Int) throws {
    var net = DrawnNetwork(seed: seed, input: [1 + seed % 2, 7, 12, 9])
    let kernel = [net.draw(1...3), net.draw(1...3)]
    let isMaximum = seed % 3 == 0
    var attributes: [String: DrawnNetwork.Attribute] = [
      "kernel_shape": .ints(kernel), "strides": .ints([net.draw(1...2), net.draw(1...2)]),
      "pads": .ints((0..<4).map { min(net.draw(0...1), kernel[$0 % 2] - 1) }),
      "ceil_mode": .int(net.draw(0...1)),
    ]
    if !isMaximum { attributes["count_include_pad"] = .int(net.draw(0...1)) }
    try net.check(net.node(isMaximum ? "MaxPool" : "AveragePool", ["x"], attributes), "\(attributes)")
  }

  @Test("reductions over pixels, squeeze and excitation")
  func excitation() throws {
    var net = DrawnNetwork(seed: 3, input: [2, 8, 6, 5])
    let squeezed = net.node("GlobalAveragePool", ["x"])
    let narrow = net.node("Conv", [squeezed, net.weights([4, 8, 1, 1]), net.weights([4])])
    let wide = net.node("Conv", [net.node("Relu", [narrow]), net.weights([8, 4, 1, 1]), net.weights([8])])
    let gate = net.node("HardSigmoid", [wide], ["alpha": .float(0.2), "beta": .float(0.5)])
    let y = net.node("Mul", [gate, "x"])
    let mean = net.node("ReduceMean", [y, net.integers([-1, -2])], ["keepdims": .int(0)])
    try net.check(net.node("Gemm", [mean, net.weights([3, 8]), net.weights([3])], ["transB": .int(1)]))
  }

  @Test("paddings of maps", arguments: ["constant", "reflect", "edge"])
  func padding(mode: String) throws {
    var net = DrawnNetwork(seed: 5, input: [1, 3, 6, 7])
    let y = net.node("Pad", ["x", net.integers([0, 0, 1, 2, 0, 0, 3, 0])], ["mode": .text(mode)])
    try net.check(net.node("Conv", [y, net.weights([4, 3, 3, 3])]), mode)
  }

  @Test(
    "resizes",
    arguments: ["nearest asymmetric", "linear half_pixel", "linear align_corners", "cubic half_pixel"])
  func resizes(form: String) throws {
    let words = form.split(separator: " ").map(String.init)
    for size in [[12, 14], [9, 20], [18, 21]] {
      var net = DrawnNetwork(seed: 6, input: [1, 5, 6, 7])
      let sizes = net.integers([1, 5] + size)
      let y = net.node(
        "Resize", ["x", "", "", sizes],
        [
          "mode": .text(words[0]), "coordinate_transformation_mode": .text(words[1]),
          "nearest_mode": .text("floor"),
        ])
      try net.check(net.node("Relu", [y]), "\(form) \(size)")
    }
  }
}
