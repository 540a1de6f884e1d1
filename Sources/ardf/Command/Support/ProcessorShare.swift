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
  /// What Slurm's `--cpus-per-task` asked for.
  static let slurm = "SLURM_CPUS_PER_TASK"

  /// Threads that a command takes where none are given.
  package static let threads = share(
    of: ThreadPool.processors, environment: ProcessInfo.processInfo.environment,
    read: { path in
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    })

  /// Threads for a process that may run on `available` processors.
  ///
  /// - `read`: The text of a file; nil where there is none.
  package static func share(
    of available: Int, environment: [String: String], read: (String) -> String?
  ) -> Int {
    let shares = [
      environment[slurm].flatMap { integer(of: $0, in: 1...1 << 20) }, ProcessorQuota.processors(read: read),
    ].compactMap(\.self)
    return max(1, shares.reduce(available, min))
  }
}
