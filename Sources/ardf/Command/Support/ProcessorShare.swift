import FileFormats
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The processors of this process, where a scheduler or a container limits them.
///
/// More threads than that would take time from those with work by spinning, and the system would stop all when the
/// quota of a period is used up.
package enum ProcessorShare {
  /// The variable with the value of Slurm's `--cpus-per-task`.
  static let slurm = "SLURM_CPUS_PER_TASK"

  /// The default number of threads.
  package static let threads = share(
    of: ThreadPool.processors, environment: ProcessInfo.processInfo.environment)

  /// Threads for a process that may run on `available` processors, limited by a container's quota.
  package static func share(of available: Int, environment: [String: String]) -> Int {
    max(1, min(available, environment[slurm].flatMap { integer(of: $0, in: 1...1 << 20) } ?? available))
  }
}
