import FileFormats

/// How much processor time a container, or another control group, grants this process.
///
/// Threads beyond it would spin away the time of those with work: the system stops all of them when the quota of a moment
/// is used up.
package enum ProcessorQuota {
  /// Whole processors of the quota, at least one; nil where there is none.
  ///
  /// Asked once.
  static let own: Int? = processors { text(of: $0) }

  /// The whole processors of the smallest quota of all control groups that this process is in, at least one; nil where
  /// there is none.
  ///
  /// - `read`: The text of a file; nil where there is none.
  package static func processors(read: (String) -> String?) -> Int? {
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
    return quotas.min().map { max(1, Int(clamping: min($0, most))) }
  }

  /// More processors than any machine has.
  private static let most = 65_536.0

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

  /// A short file of the system's, which says that it has no bytes.
  private static func text(of path: String) -> String? {
    guard let bytes = try? InputPipe(path: path).read(atMost: 16 << 10) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
