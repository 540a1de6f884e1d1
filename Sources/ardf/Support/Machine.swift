import FoundationEssentials
import NNRuntime

/// The machine that networks would run on.
struct Machine {
  let processor: String
  let processors: Int
  /// Instruction sets that there are kernels for, from the slowest to the fastest.
  let instructionSets: [String]
  /// The one that `ARDF_ISA` or the processor gives.
  let inUse: String
  /// The kernels of the OpenBLAS at hand; nil where it is not installed.
  let blas: String?

  /// - Throws: `InstructionSetError`.
  static func current() throws -> Machine {
    Machine(
      processor: processorName ?? "unknown", processors: ThreadPool.processors,
      instructionSets: InstructionSet.available.map(\.rawValue),
      inUse: try InstructionSet.selected().rawValue,
      blas: try? openBLASCoreName())
  }

  private static var processorName: String? {
    guard let data = FileManager.default.contents(atPath: "/proc/cpuinfo") else { return nil }
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("model name")
    }
    return line?.split(separator: ":").last.map { $0.drop { $0 == " " }.description }
  }
}
