import FileFormats
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory for requests, within the limits that the system sets for the process.
enum MemoryShare {
  /// Bytes for all requests together where the system sets no limit.
  private static let usual = 1 << 30
  /// The least useful amount.
  private static let least = 64 << 20

  /// Bytes for requests whose bodies have `body` at most, once everything that stays is loaded: half of what is left under
  /// `ulimit -v` and under the control group's limit, as memory is cut into pieces and threads have stacks.
  static func forRequests(body: Int) -> Int {
    bytes(
      wanted: max(usual, 8 * body), limits: [SystemResources.addressSpaceBytes, groupBytes ?? .max],
      used: [pages(0) ?? 0, pages(1) ?? 0])
  }

  /// - `limits`, `used`: of address space, and of memory.
  static func bytes(wanted: Int, limits: [Int], used: [Int]) -> Int {
    zip(limits, used).reduce(wanted) { bytes, bound in
      min(bytes, max(least, max(0, bound.0 - min(bound.0, bound.1)) / 2))
    }
  }

  /// A field of `/proc/self/statm`, in bytes: 0 address space, 1 memory.
  private static func pages(_ field: Int) -> Int? {
    let words = systemText("/proc/self/statm")?.split(separator: " ") ?? []
    return words.count > field ? integer(of: words[field], in: 0...Int.max >> 12).map { $0 << 12 } : nil
  }

  /// The control group's memory limit in bytes, as a container sees its own.
  private static var groupBytes: Int? {
    ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].compactMap { path in
      systemText(path).flatMap {
        integer(of: $0.split(whereSeparator: \.isWhitespace).first ?? "", in: 0...Int.max)
      }
    }.min()
  }
}

/// The text of a file of `/proc` or `/sys`; nil where it cannot be read.
func systemText(_ path: String) -> String? {
  FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}
