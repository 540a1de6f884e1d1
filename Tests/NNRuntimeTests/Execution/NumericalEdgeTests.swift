import NNRuntime
import Testing

/// Inputs at the edges of single precision: no trap, no dependence on threads, and infinities where arithmetic says so.
@Suite struct NumericalEdgeTests {
  private static let count = 12 * 20 * 3

  private func results(
    _ input: [Float], _ set: InstructionSet, threads: Int
  ) throws -> [[Float]] {
    var options = PlanOptions()
    options.instructionSet = set
    return try SampleNetwork.run(SampleNetwork.sample().0, options, threads: threads, input: input)
  }

  private func bits(_ results: [[Float]]) -> [[UInt32]] { results.map { $0.map(\.bitPattern) } }

  @Test(arguments: InstructionSet.available)
  func denormalsCountAsNearlyZero(_ set: InstructionSet) throws {
    let zero = try results([Float](repeating: 0, count: Self.count), set, threads: 1)
    let tiny = (0..<Self.count).map { index in
      let magnitude = Float(bitPattern: UInt32(index % 7 + 1))
      return index % 2 == 0 ? magnitude : -magnitude
    }
    let found = try results(tiny, set, threads: 1)
    #expect(try bits(results(tiny, set, threads: 3)) == bits(found))
    for (a, b) in zip(zero, found) {
      #expect(zip(a, b).allSatisfy { $1.isFinite && abs($0 - $1) <= 1e-6 })
    }
  }

  @Test(arguments: InstructionSet.available)
  func hugeActivationsStayOrderly(_ set: InstructionSet) throws {
    for scale: Float in [1e4, 1e18, 1e36, .greatestFiniteMagnitude, .infinity] {
      let huge = (0..<Self.count).map { $0 % 2 == 0 ? scale : -scale }
      let found = try results(huge, set, threads: 1)
      #expect(try bits(results(huge, set, threads: 4)) == bits(found))
      if scale == 1e4 { #expect(found.allSatisfy { $0.allSatisfy(\.isFinite) }) }
    }
  }

  /// One NaN spoils what depends on it and nothing traps.
  @Test(arguments: InstructionSet.available)
  func notANumberSpreadsQuietly(_ set: InstructionSet) throws {
    var input = SampleNetwork.sample().1
    input[7] = .nan
    let found = try results(input, set, threads: 1)
    let again = try results(input, set, threads: 4)
    for (a, b) in zip(found, again) { #expect(a.map(\.isNaN) == b.map(\.isNaN)) }
  }
}
