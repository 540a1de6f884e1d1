import NNKernelInterface
import NNRuntime
import TestSupport
import Testing

@Suite("The product of squeeze and excitation is computed as the convolution after it reads its pixels")
struct ExcitationTests {
  /// A block of MobileNet or EfficientNet without its depthwise convolution.
  private func block(readTwice: Bool = false) -> Graph {
    let builder = GraphBuilder(name: "block")
    let x = builder.input("x", height: 14, width: 14, channels: 72)
    let squeezed = x.globalAveragePool(name: "squeeze")
    let factors = squeezed.convolution(
      JoinedNetwork.tensor([72, 72, 1, 1], seed: 1), bias: JoinedNetwork.tensor([72], seed: 2), name: "excite"
    ).activation(.sigmoid, name: "gate")
    let excited = x.multiplied(byChannelsOf: factors, name: "product")
    let projected = excited.convolution(
      JoinedNetwork.tensor([40, 72, 1, 1], seed: 3), bias: JoinedNetwork.tensor([40], seed: 4),
      name: "project")
    let shortcut = x.convolution(JoinedNetwork.tensor([40, 72, 1, 1], seed: 5), name: "shortcut")
    let outputs = [("y", projected.adding(shortcut, name: "sum"))]
    return builder.finished(outputs: outputs + (readTwice ? [("excited", excited)] : []))
  }

  @Test("and nothing but rounding changes, on all kernels and for any threads")
  func joined() throws {
    let plan = try Plan(block())
    #expect(plan.layers.map(\.name) == ["x", "squeeze", "excite", "project", "shortcut"])
    #expect(plan.layers[3].fused == ["product"])
    try JoinedNetwork.check(block())
  }

  @Test("but made where something else reads it")
  func readTwice() throws {
    #expect(try Plan(block(readTwice: true)).layers.contains { $0.name == "product" })
  }

  @Test("and made in reduced precision, whose kernels read maps as they are")
  func reduced() throws {
    let plan = try Plan(block(), options: PlanOptions(precision: .bf16))
    #expect(plan.layers.contains { $0.name == "product" })
  }
}
