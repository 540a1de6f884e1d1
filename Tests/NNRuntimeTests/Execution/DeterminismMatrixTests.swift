import NNRuntime
import Testing

/// One network on every instruction set, backend and number of threads: within a row the bits are equal.
@Suite struct DeterminismMatrixTests {
  /// More than there are chunks in most steps, and than there are processors.
  private static let threads = [1, 2, 3, 4, 8, 64]

  struct Row: Sendable, CustomTestStringConvertible {
    let instructionSet: InstructionSet?
    let backend: Backend
    var testDescription: String { instructionSet?.rawValue ?? "openblas" }
  }

  static let rows =
    InstructionSet.available.map { Row(instructionSet: $0, backend: .native) }
    + [Row(instructionSet: nil, backend: .openBLAS)]

  @Test(arguments: rows)
  func bitsAreEqual(_ row: Row) throws {
    let (graph, input) = SampleNetwork.sample()
    var options = PlanOptions(backend: row.backend)
    options.instructionSet = row.instructionSet
    let digests = try Self.threads.flatMap { threads in
      try (0..<2).map { _ in
        try SampleNetwork.run(graph, options, threads: threads, input: input).map { $0.map(\.bitPattern) }
      }
    }
    for digest in digests { #expect(digest == digests[0]) }
  }
}
