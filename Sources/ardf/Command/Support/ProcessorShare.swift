import FileFormats
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The processors that fall to this process, where a scheduler or a container gives it a part of the machine's.
///
/// A team of more threads than that spins away the time of those with work, and the system stops all of them when the
/// quota of a moment is used up.
package enum ProcessorShare {
  /// The variable with the value of Slurm's `--cpus-per-task`.
  static let slurm = "SLURM_CPUS_PER_TASK"

  /// Threads that a command takes where none are given.
  package static let threads = share(
    of: ThreadPool.processors, environment: ProcessInfo.processInfo.environment)

  /// Threads for a process that may run on `available` processors, of which a container's quota is taken off.
  package static func share(of available: Int, environment: [String: String]) -> Int {
    max(1, min(available, environment[slurm].flatMap { integer(of: $0, in: 1...1 << 20) } ?? available))
  }
}
