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
      environment[slurm].flatMap { integer(of: $0, in: 1...1 << 20) }, quota(read).map { Int(clamping: $0) },
    ].compactMap(
      \.self)
    return max(1, shares.reduce(available, min))
  }

  /// The smallest quota of the control groups that this process is in, in processors; nil where there is none.
  private static func quota(_ read: (String) -> String?) -> Double? {
    var quotas: [Double] = []
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      if controllers.contains("cpu") {
        quotas += groups(of: fields[2]).compactMap { group in
          let folder = "/sys/fs/cgroup/cpu\(group)"
          return processors(
            quota: read("\(folder)/cpu.cfs_quota_us"), period: read("\(folder)/cpu.cfs_period_us"))
        }
      } else if fields[0] == "0" {
        quotas += groups(of: fields[2]).compactMap { group in
          let words = (read("/sys/fs/cgroup\(group)/cpu.max") ?? "").split { $0.isWhitespace }
          return words.count == 2 ? processors(quota: String(words[0]), period: String(words[1])) : nil
        }
      }
    }
    return quotas.min()
  }

  /// A group and all that hold it; within a container's own view it is the root.
  private static func groups(of path: Substring) -> [String] {
    let names = path.split(separator: "/")
    return (0...names.count).map { count in names.prefix(count).map { "/" + $0 }.joined() }
  }

  /// Quota and period are times; no quota is `max`, or less than 0.
  private static func processors(quota: String?, period: String?) -> Double? {
    func number(_ text: String?) -> Double? { text.flatMap { Double($0.filter { !$0.isWhitespace }) } }
    guard let quota = number(quota), let period = number(period), quota > 0, period > 0 else { return nil }
    return quota / period
  }
}
