import NNKernelInterface
import NNRuntime
import Testing

@Suite("Plans in bf16 multiply integers where that is faster")
struct ReducedPlanTests {
  private static let channels = 64
  private static let side = 32

  /// Two products of pixels with a 3x3 convolution between them.
  private func graph() -> Graph {
    let builder = GraphBuilder(name: "sandwich")
    func weights(_ kernel: Int, seed: UInt64) -> Tensor {
      let filter = Self.channels * kernel * kernel
      let values = SeededInput.uniform(count: Self.channels * filter, seed: seed)
      return Tensor(
        shape: [Self.channels, Self.channels, kernel, kernel],
        floats: values.map { ($0 - 0.5) / Float(filter).squareRoot() })
    }
    var x = builder.input("x", height: Self.side, width: Self.side, channels: Self.channels)
    x = x.convolution(weights(1, seed: 1), name: "before")
    x = x.convolution(weights(3, seed: 2), padding: 1, name: "between").activation(.silu, name: "act")
    x = x.convolution(weights(1, seed: 3), name: "behind").convolution(weights(1, seed: 4), name: "last")
    return builder.finished(outputs: [("y", x)])
  }

  private func run(_ plan: Plan) throws -> [Float] {
    let session = Session(plan, pool: ThreadPool(threads: 2))
    let input = SeededInput.uniform(count: Self.side * Self.side * Self.channels)
    return try session.run(
      prepare: { inputs in try inputs.fill(inputs.input("x"), with: input) },
      read: { try $0.elements(of: $0.output("y")) })
  }

  @Test(
    "convolutions in bf16 stay near those in single precision",
    .enabled(if: InstructionSet.reduced != nil, "the CPU has no products of bf16"))
  func near() throws {
    var options = PlanOptions()
    options.instructionSet = .reduced
    let exact = try run(Plan(graph(), options: options))
    options.precision = .bf16
    let plan = try Plan(graph(), options: options)
    let layers = plan.layers.filter { $0.operation.hasPrefix("conv") }
    #expect(layers.map { $0.precision == .fp32 } == [false, false, false, true])
    let reduced = try run(plan)
    let largest = exact.map(abs).max() ?? 0
    let worst = zip(exact, reduced).map { abs($0 - $1) }.max() ?? .infinity
    #expect(worst > 0 && worst < 0.02 * largest)
  }

  @Test(
    "a Winograd convolution reads and makes maps in bf16",
    .enabled(if: InstructionSet.available.contains(.avx512bf16), "the CPU has no AVX-512 BF16"))
  func winograd() throws {
    var options = PlanOptions()
    options.instructionSet = .avx512bf16
    let exact = try run(Plan(graph(), options: options))
    options.precision = .bf16
    let plan = try Plan(graph(), options: options)
    let layers = plan.layers.filter { $0.operation.hasPrefix("conv") }
    let pixels: Precision = Processor.current.hasSlowPairs ? .int16 : .bf16
    #expect(layers.map(\.precision) == [pixels, .int16, pixels, .fp32])
    #expect(layers[1].choice.algorithm == .winograd4x4 || layers[1].choice.algorithm == .winograd6x6)
    #expect(layers[1].choice.reason.hasSuffix("of 16-bit integers, with more digits than bf16; bf16 to bf16"))
    #expect(layers[3].choice.reason.contains("makes an output"))

    let reduced = try run(plan)
    let largest = exact.map(abs).max() ?? 0
    let worst = zip(exact, reduced).map { abs($0 - $1) }.max() ?? .infinity
    #expect(worst > 0 && worst < 0.02 * largest)
  }
}
