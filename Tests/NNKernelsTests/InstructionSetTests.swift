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
  func cataloguesCarryTheirNames(_ set: InstructionSet) throws {
    let catalogue = try #require(set.catalogue)
    #expect(catalogue.name == set.rawValue)
    let isOwn = catalogue.convolutions.contains { $0.set == set.rawValue && $0.products == .float32 }
    let exact: InstructionSet = isOwn ? set : set.rawValue.hasPrefix("neon") ? .neon : .avx512
    #expect(catalogue.floats == exact.rawValue)
    let names = catalogue.convolutions.map(\.fullName)
    #expect(Set(names).count == names.count, "packed weights are kept by these names")
  }

  @Test(
    "a processor without the instructions has no kernels that use them", arguments: InstructionSet.allCases)
  func absentKernels(_ set: InstructionSet) {
    #expect((set.catalogue(of: .plain) != nil) == (set == .portable))
    #expect(Permit(.avx512, of: .plain) == nil)
    for kernel in set.catalogue?.convolutions ?? [] {
      #expect(Processor.current.features.isSuperset(of: kernel.needs), "\(kernel.fullName)")
    }
  }

  @Test("only sets of this architecture have kernels, and are offered")
  func compiled() {
    #expect(Set(InstructionSet.available).isSubset(of: InstructionSet.compiled))
    #expect(InstructionSet.compiled.allSatisfy { InstructionSet.names.contains($0.rawValue) })
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
    // A value in the environment stays; nothing else sets it before the library is opened.
    let asked = ProcessInfo.processInfo.environment["OPENBLAS_CORETYPE"]
    let core = try openBLASCoreName()
    #expect(!core.isEmpty)
    if InstructionSet.available.contains(.avx512) {
      #expect(core.lowercased() == (asked ?? "SkylakeX").lowercased())
    }
  }
}
