import NNRuntime
import Testing

@Suite("Pixels a multiple of 1024 bytes long lie a little further apart")
struct PixelStrideTests {
  private static let pixels = 9

  private func weights(_ out: Int, _ input: Int, seed: UInt64) -> Tensor {
    Tensor(
      shape: [out, input, 1, 1],
      floats: SeededInput.uniform(count: out * input, seed: seed).map { $0 - 0.5 })
  }

  @Test("and hold the same numbers", arguments: [128, 256], [false, true])
  func numbers(half: Int, isOutput: Bool) throws {
    let input = SeededInput.uniform(count: Self.pixels * 16, seed: 4)
    let builder = GraphBuilder(name: "wide")
    let x = builder.input("x", height: 3, width: 3, channels: 16)
    let parts = [1, 2].map { x.convolution(weights(half, 16, seed: $0), name: "part\($0)") }
    let wide = builder.concatenate(parts, name: "wide")
    let y = wide.convolution(weights(8, 2 * half, seed: 3), name: "y")
    let graph = builder.finished(outputs: [("y", y)] + (isOutput ? [("wide", wide)] : []))
    let plan = try Plan(graph)
    // 16 + 2 * half + 8 channels, and 32 more a pixel where the map is the plan's own.
    #expect(plan.unsharedBytes == Self.pixels * 4 * (16 + 2 * half + 8 + (isOutput ? 0 : 32)))

    let session = Session(plan, pool: ThreadPool(threads: 1))
    let found = try session.run(
      prepare: { inputs in
        try inputs.fill(inputs.input("x"), with: input)
      },
      read: { try $0.elements(of: $0.output("y")) })
    let first = [UInt64(1), 2].flatMap { weights(half, 16, seed: $0).floats() }
    let second = weights(8, 2 * half, seed: 3).floats()
    for pixel in 0..<Self.pixels {
      let middle = (0..<2 * half).map { channel in
        (0..<16).reduce(0.0) { $0 + Double(first[channel * 16 + $1]) * Double(input[pixel * 16 + $1]) }
      }
      for out in 0..<8 {
        let expected = (0..<2 * half).reduce(0.0) { $0 + Double(second[out * 2 * half + $1]) * middle[$1] }
        #expect(abs(Double(found[pixel * 8 + out]) - expected) < 1e-4)
      }
    }
  }
}
