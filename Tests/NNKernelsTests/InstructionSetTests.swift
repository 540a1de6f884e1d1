import Foundation
import NNKernelInterface
import NNRuntime
import Testing

@Suite("Instruction sets are detected and named")
struct InstructionSetTests {
  @Test func everyCPUHasThePortableOne() {
    #expect(InstructionSet.available.first == .portable)
  }

  @Test(arguments: InstructionSet.available)
  func tablesCarryTheirNames(_ set: InstructionSet) {
    if let mixed = set.mixedKernels {
      #expect(mixed.name == set.rawValue)
      #expect(set.kernels.name == InstructionSet.avx512.rawValue)
    } else {
      #expect(set.kernels.name == set.rawValue)
    }
  }

  @Test func unknownNamesAreRefused() {
    #expect(throws: InstructionSetError.unknownName("sse9")) { try InstructionSet.named("sse9") }
  }

  @Test(arguments: InstructionSet.allCases.filter { !InstructionSet.available.contains($0) })
  func absentSetsAreRefused(_ set: InstructionSet) {
    let error = InstructionSetError.unavailable(
      set.rawValue, available: InstructionSet.available.map(\.rawValue))
    #expect(throws: error) { try InstructionSet.named(set.rawValue) }
  }

  @Test(.enabled(if: Implementation.hasOpenBLAS, "libopenblas.so.0 is not installed"))
  func openBLASTakesKernelsForThisCPU() throws {
    // What the environment asks for stays; nobody else sets it before the library is opened.
    let asked = ProcessInfo.processInfo.environment["OPENBLAS_CORETYPE"]
    let core = try openBLASCoreName()
    #expect(!core.isEmpty)
    if InstructionSet.available.contains(.avx512) {
      #expect(core.lowercased() == (asked ?? "SkylakeX").lowercased())
    }
  }
}
