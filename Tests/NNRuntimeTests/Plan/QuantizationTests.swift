import FileFormats
import NNKernelInterface
import NNRuntime
import TestSupport
import Testing

@Suite("Convolutions with weights of 8 bits multiply the integers that their inputs are rounded to")
struct QuantizationTests {
  private static let hasKernels = InstructionSet.available.compactMap(\.catalogue).contains { catalogue in
    catalogue.convolutions.contains { $0.prologues.contains(.quantize) }
  }

  /// Whole numbers from -128 to 127.
  private func integers(_ shape: [Int], seed: UInt64) -> Tensor {
    var random = SplitMix64(seed: seed)
    return Tensor(
      shape: shape,
      floats: (0..<shape.reduce(1, *)).map { _ in Float(Int.random(in: -128...127, using: &random)) })
  }

  private func scales(_ count: Int) -> [Float] { (0..<count).map { 0.001 + 0.0003 * Float($0 % 7) } }

  private func rounded(_ x: Value, zero: Float = 128, high: Float = 255) -> Value {
    x.mapped(.multiples(of: 0.0077, low: -zero, high: high - zero), name: "rounded")
  }

  /// Windows of three sizes over a rounded map, one of them of its maxima.
  private func network(channels: Int, pooled: Bool, reading: (Value) -> Value) -> Graph {
    let builder = GraphBuilder(name: "quantized")
    let x = reading(builder.input("x", height: 13, width: 11, channels: channels))
    let square = x.convolution(
      integers([24, channels, 3, 3], seed: 1), scale: scales(24), bias: JoinedNetwork.tensor([24], seed: 2),
      padding: 1, name: "square"
    ).relu(name: "relu")
    let pixel = x.convolution(integers([24, channels, 1, 1], seed: 3), scale: scales(24), name: "pixel")
    let joined = square.adding(pixel, name: "sum")
    guard pooled else { return builder.finished(outputs: [("y", joined)]) }
    let maxima = x.maxPool(kernel: 3, stride: 1, padding: 1, name: "maxima").convolution(
      integers([24, channels, 5, 5], seed: 4), scale: scales(24), padding: 2, name: "large")
    return builder.finished(outputs: [("y", joined.adding(maxima, name: "all"))])
  }

  @Test(
    "and nothing but rounding changes, on all kernels and for any threads", arguments: [3, 16, 40],
    [0, 57, 255])
  func joined(channels: Int, zero: Int) throws {
    let graph = network(channels: channels, pooled: false) { rounded($0, zero: Float(zero)) }
    try JoinedNetwork.check(graph)
    let layers = try Plan(graph).layers
    #expect(layers.map(\.name).contains("rounded") != Self.hasKernels)
    #expect(layers.filter { $0.kernel?.contains("steps") == true }.count == (Self.hasKernels ? 2 : 0))
  }

  @Test("in every precision by the same kernel")
  func precisions() throws {
    let graph = network(channels: 16, pooled: false) { rounded($0) }
    for precision in [Precision.bf16, .int8, .int16] where Self.hasKernels {
      guard let plan = try? Plan(graph, options: PlanOptions(precision: precision)) else { continue }
      #expect(plan.layers.filter { $0.kernel?.contains("steps") == true }.count == 2, "\(precision)")
    }
  }

  @Test("what something else reads is rounded by a layer of its own, and its maxima are multiples too")
  func readTwice() throws {
    let graph = network(channels: 16, pooled: true) { rounded($0) }
    try JoinedNetwork.check(graph)
    let layers = try Plan(graph).layers
    #expect(layers.contains { $0.name == "rounded" })
    #expect(layers.filter { $0.kernel?.contains("steps") == true }.count == (Self.hasKernels ? 3 : 0))
  }

  @Test("but not sums that 32 bits may not hold, which are right in every precision")
  func longSums() throws {
    let count = 100_000
    let builder = GraphBuilder(name: "long")
    let x = builder.input("x", height: 1, width: 1, channels: count)
    let ones = Tensor(shape: [64, count], floats: [Float](repeating: 127, count: 64 * count))
    let unit = Tensor(shape: [8, 64, 1, 1], floats: (0..<512).map { $0 % 65 == 0 ? 1 : 0 })
    let scale = [Float](repeating: 1 / 127, count: 64)
    for isRounded in [false, true] {
      let input = isRounded ? x.mapped(.multiples(of: 1 / 255, low: 0, high: 255), name: "rounded") : x
      let y = input.linear(ones, scale: scale, name: "long").relu(name: "relu").convolution(unit, name: "y")
      let graph = builder.finished(outputs: [("y", y)])
      for precision in Precision.allCases {
        guard let plan = try? Plan(graph, options: PlanOptions(precision: precision)) else { continue }
        let found = try Session(plan, pool: ThreadPool(threads: 1)).run { inputs in
          inputs.fill(try inputs.input("x"), with: [Float](repeating: 1, count: count))
        } read: {
          try $0.elements(of: $0.output("y"))
        }
        #expect(found.allSatisfy { abs($0 - 100_000) < 1000 }, "\(precision), \(isRounded): \(found[0])")
      }
    }
  }

  @Test("but not those that are not rounded, are rounded to more steps, or have other weights")
  func others() throws {
    let plain = network(channels: 16, pooled: false) { $0 }
    let fine = network(channels: 16, pooled: false) {
      $0.mapped(.multiples(of: 0.001, low: -32768, high: 32767), name: "rounded")
    }
    let builder = GraphBuilder(name: "floats")
    let x = rounded(builder.input("x", height: 8, width: 8, channels: 16))
    let floats = builder.finished(outputs: [
      ("y", x.convolution(JoinedNetwork.tensor([16, 16, 3, 3], seed: 5), padding: 1, name: "conv"))
    ])
    for graph in [plain, fine, floats] {
      #expect(try !Plan(graph).layers.contains { $0.kernel?.contains("steps") == true }, "\(graph.name)")
    }
  }
}
