import ONNX
import ONNXEngine
import Testing

/// Networks whose maps and weights are stated as integers with scales, and those of half precision.
@Suite struct QuantizedLoweringTests {
  private func integers(
    _ values: [Float], _ shape: [Int], type: Int, _ net: inout DrawnNetwork
  ) -> String {
    net.node("Cast", [net.constant(shape, values)], ["to": .int(type)])
  }

  /// x rounded to multiples of a scale, as exporters write it.
  private func rounded(
    _ x: String, scale: Float, zero: Float, type: Int, _ net: inout DrawnNetwork
  ) -> String {
    let operands = [net.constant([], [scale]), integers([zero], [], type: type, &net)]
    return net.node("DequantizeLinear", [net.node("QuantizeLinear", [x] + operands)] + operands)
  }

  @Test("floats that are rounded to a scale's multiples and cut off", arguments: [2, 3, 4, 5])
  func rounding(type: Int) throws {
    var net = DrawnNetwork(seed: 41 + type, input: [1, 6, 5, 7])
    let zero: Float = type == 2 ? 120 : type == 4 ? 3000 : -7
    // Some are beyond the largest multiple.
    let scale: Float = type == 2 || type == 3 ? 0.0111 : 0.00004
    try net.check(rounded("x", scale: scale, zero: zero, type: type, &net))
  }

  @Test("halves go to the even multiple")
  func halves() throws {
    var net = DrawnNetwork(seed: 46, input: [1, 1, 1, 8])
    let line = net.constant([1, 1, 1, 8], [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 300])
    let exact = net.node("Add", [net.node("Mul", ["x", net.constant([], [0])]), line])
    try net.check(rounded(exact, scale: 1, zero: 0, type: 3, &net))
  }

  @Test("a convolution between roundings, its weights a scale a filter")
  func convolution() throws {
    var net = DrawnNetwork(seed: 47, input: [1, 6, 9, 8])
    let x = rounded("x", scale: 0.016, zero: 128, type: 2, &net)
    let drawn = net.floats(5 * 6 * 9, -127...127).map { $0.rounded() }
    let scales = net.constant([5], [0.01, 0.02, 0.003, 0.007, 0.011])
    let weights = net.node(
      "DequantizeLinear", [integers(drawn, [5, 6, 3, 3], type: 3, &net), scales], ["axis": .int(0)])
    let y = net.node(
      "Relu", [net.node("Conv", [x, weights, net.weights([5])], ["pads": .ints([1, 1, 1, 1])])])
    // The addend's rounding is of what is given: no sum of many lies near a half.
    let shortcut = rounded(
      net.node("MaxPool", ["x"], ["kernel_shape": .ints([1, 1])]), scale: 0.031, zero: -3, type: 3, &net)
    let cut = net.nodes("Split", [shortcut, net.integers([5, 1])], outputs: 2, ["axis": .int(1)])
    try net.check(net.node("Add", [y, cut[0]]))
  }

  @Test(
    "a 1x1 convolution that rounds what it reads comes after an interpolation, and may come before copies",
    arguments: ["linear", "cubic", "nearest"], [false, true])
  func enlarged(mode: String, joined: Bool) throws {
    var net = DrawnNetwork(seed: 49, input: [1, 6, 5, 7])
    let coordinates = mode == "nearest" ? "asymmetric" : "half_pixel"
    var y = net.node(
      "Resize", ["x", "", net.constant([4], [1, 1, 2, 2])],
      [
        "mode": .text(mode), "nearest_mode": .text("floor"),
        "coordinate_transformation_mode": .text(coordinates),
      ])
    if joined { y = net.node("Concat", [y, net.weights([1, 3, 10, 14])], ["axis": .int(1)]) }
    let channels = joined ? 9 : 6
    let drawn = net.floats(8 * channels, -127...127).map { $0.rounded() }
    let scales = net.constant([8], [Float](repeating: 0.01, count: 8))
    let known = integers(drawn, [8, channels, 1, 1], type: 3, &net)
    let weights = net.node("DequantizeLinear", [known, scales], ["axis": .int(0)])
    let x = rounded(y, scale: 0.016, zero: 128, type: 2, &net)
    try net.check(net.node("Conv", [x, weights, net.weights([8])]), "\(mode), \(joined)")
  }

  @Test(
    "weights of 8 bits keep their scales: a number for all, or one an output channel",
    arguments: [true, false])
  func products(perChannel: Bool) throws {
    for (type, zero) in [(3, Float(0)), (2, 128)] {
      var net = DrawnNetwork(seed: 51 + type, input: [6, 20])
      let x = rounded("x", scale: 0.016, zero: 5, type: 3, &net)
      func weights(_ shape: [Int], outputs: Int) -> String {
        let drawn = net.floats(shape.reduce(1, *), -127...127).map { $0.rounded() + zero }
        let count = perChannel ? shape[outputs] : 1
        let scales = net.constant(perChannel ? [count] : [], (0..<count).map { 0.002 + 0.001 * Float($0) })
        let zeros = integers(
          [Float](repeating: zero, count: count), perChannel ? [count] : [], type: type, &net)
        return net.node(
          "DequantizeLinear", [integers(drawn, shape, type: type, &net), scales, zeros],
          ["axis": .int(outputs)])
      }
      let product = net.node("MatMul", [x, weights([20, 9], outputs: 1)])
      let transposed = net.node(
        "Gemm", [x, weights([9, 20], outputs: 0), net.weights([9])], ["transB": .int(1)])
      let straight = net.node("Gemm", [x, weights([20, 9], outputs: 1), net.weights([9])])
      try net.check(
        net.node("Add", [net.node("Add", [product, transposed]), straight]), "\(type), \(perChannel)")
    }
  }

  @Test("rows whose integers are the zero point have sums of zero", arguments: [4, 20, 700])
  func zeros(count: Int) throws {
    var net = DrawnNetwork(seed: 54, input: [6, count])
    let nothing = net.node("Mul", ["x", net.constant([], [0])])
    let x = rounded(nothing, scale: 0.024815, zero: 150, type: 2, &net)
    let drawn = net.floats(count * 7, -127...127).map { $0.rounded() }
    let weights = net.node(
      "DequantizeLinear",
      [integers(drawn, [count, 7], type: 3, &net), net.constant([], [0.015774])])
    // What is left over would be seen.
    try net.check(net.node("Mul", [net.node("MatMul", [x, weights]), net.constant([], [1e7])]), "\(count)")
  }

  @Test("integers that others read, or are read by another scale, stay integers")
  func others() throws {
    var net = DrawnNetwork(seed: 48, input: [1, 4, 3, 3])
    let scale = net.constant([], [0.02])
    let whole = net.node("QuantizeLinear", ["x", scale, integers([0], [], type: 3, &net)])
    let other = net.node("DequantizeLinear", [whole, net.constant([], [0.03])])
    try net.check(net.node("Relu", [other]), plain: ["QuantizeLinear", "DequantizeLinear"])
  }

  @Test("a network of half precision is computed in single precision, within its roundings")
  func half() throws {
    var net = DrawnNetwork(seed: 49, input: [1, 4, 9, 9])
    func half(_ shape: [Int], _ net: inout DrawnNetwork) -> String {
      net.node("Cast", [net.weights(shape)], ["to": .int(10)])
    }
    var y = net.node("Cast", ["x"], ["to": .int(10)])
    y = net.node("Relu", [net.node("Conv", [y, half([8, 4, 3, 3], &net), half([8], &net)])])
    y = net.node("Add", [y, half([1, 8, 1, 1], &net)])
    try net.check(
      net.node("Cast", [net.node("Sigmoid", [y])], ["to": .int(1)]), plain: ["Cast"], tolerance: 2e-3)
  }

  @Test("an output of half precision is one")
  func halfOutput() throws {
    var net = DrawnNetwork(seed: 50, input: [1, 4, 4, 4])
    let y = net.node("Cast", [net.node("Sigmoid", ["x"])], ["to": .int(10)])
    let (network, values) = try net.lowered(y)
    let made = try network.run(values)[0].tensor("the output")
    #expect(made.type == .float16 && made.floats().allSatisfy { Float(Float16($0)) == $0 })
  }
}
