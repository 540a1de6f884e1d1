import FileFormats
import NNRuntime
import ONNX
import ONNXEngine
import Testing

/// The verdicts of a network compared with its definition.
@Suite struct VerificationLoweringTests {
  private static let tolerance: Float = 1e-4

  /// A map whose small errors are enlarged by layer after layer.
  private func enlarging(seed: Int, changed: Bool = false) -> (net: DrawnNetwork, output: String) {
    var net = DrawnNetwork(seed: seed, input: [1, 32, 4, 4])
    var y = "x"
    for layer in 0..<14 {
      // Where sums are small, the sigmoid of thirty times as much is steep.
      var weights = net.floats(32 * 32, -30...30)
      // The filters of one layer in another order.
      if changed, layer == 6 { weights.reverse() }
      y = net.node("Sigmoid", [net.node("Conv", [y, net.constant([32, 32, 1, 1], weights)])])
    }
    return (net, y)
  }

  private func verified(
    _ net: DrawnNetwork, _ output: String,
    definedBy other: (net: DrawnNetwork, output: String)? = nil
  ) throws -> LoweredVerification {
    var drawn = net
    let (network, values) = try drawn.lowered(output)
    var otherNetwork: LoweredNetwork?
    if var other { otherNetwork = try other.net.lowered(other.output).network }
    return try network.verified(values, tolerance: Self.tolerance, definedBy: otherNetwork)
  }

  @Test(
    "errors that the definition itself enlarges are no fault of layers that are right one by one")
  func enlarged() throws {
    let (net, output) = enlarging(seed: 61)
    let found = try verified(net, output)
    #expect(found.layers.allSatisfy { $0.isolated <= Self.tolerance })
    #expect(found.outputs[0].difference > Self.tolerance)
    #expect(
      found.outputs[0].sensitivity > 0 && found.outputs[0].verdict(Self.tolerance) == .sensitive)
    #expect(found.layers.allSatisfy { $0.verdict(Self.tolerance) != .differs })
  }

  @Test("a wrong layer is named in the same network, however it enlarges errors")
  func wrong() throws {
    let (net, output) = enlarging(seed: 61)
    let found = try verified(net, output, definedBy: enlarging(seed: 61, changed: true))
    let wrong = found.layers.filter { !($0.isolated <= Self.tolerance) }
    #expect(wrong.count == 1 && wrong.allSatisfy { $0.verdict(Self.tolerance) == .differs })
  }

  @Test("one step of a rounded map is no fault where its multiple lies between two")
  func rounded() throws {
    var net = DrawnNetwork(seed: 62, input: [1, 32, 24, 24])
    var y = "x"
    for layer in 0..<3 {
      y = net.node("Conv", [y, net.weights([32, 32, 3, 3])], ["pads": .ints([1, 1, 1, 1])])
      let operands = [
        net.constant([], [layer == 0 ? 0.2 : 1.5]),
        net.node("Cast", [net.constant([], [0])], ["to": .int(3)]),
      ]
      y = net.node("DequantizeLinear", [net.node("QuantizeLinear", [y] + operands)] + operands)
    }
    let found = try verified(net, y)
    #expect(found.layers.contains { $0.operation == "quantize" && $0.isolated == 0 })
    #expect(found.layers.allSatisfy { $0.verdict(Self.tolerance) != .differs })
    #expect(found.outputs[0].verdict(Self.tolerance) != .differs)
  }

  @Test(
    "verdicts",
    arguments: [
      (1e-5, 1e-5, 0, LayerVerdict.equal), (1e-3, 1e-5, 6e-4, .sensitive),
      (1e-3, 1e-5, 4e-4, .differs),
      (1e-3, 1e-3, 1, .differs), (1e-5, 1e-3, 1, .differs), (.infinity, 1e-5, 1, .differs),
      (1e-3, .nan, 1, .differs),
    ] as [(Float, Float, Float, LayerVerdict)])
  func verdicts(
    _ cumulative: Float, _ isolated: Float, _ sensitivity: Float, _ expected: LayerVerdict
  ) {
    #expect(
      LayerVerdict(
        cumulative, isolated: isolated, sensitivity: sensitivity, tolerance: Self.tolerance)
        == expected)
  }
}
