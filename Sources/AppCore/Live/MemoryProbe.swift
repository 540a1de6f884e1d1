import FileFormats
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How much memory the process uses: a figure for people, on which no decision of the loop depends.
public protocol MemoryProbe: Sendable {
  /// Resident bytes; nil where the platform does not say.
  func residentBytes() -> Int?
}

/// The resident set of this process, from `/proc/self/statm`.
public struct ProcessMemory: MemoryProbe {
  private let path: String

  /// A probe of this process.
  public init() { path = "/proc/self/statm" }

  package init(path: String) { self.path = path }

  /// Resident pages times the page size.
  public func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    return Self.residentBytes(statm: text, pageSize: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The second number of statm, in pages; nil if the text is another one or the product overflows.
  package static func residentBytes(statm: String, pageSize: Int) -> Int? {
    let numbers = statm.split(whereSeparator: \.isWhitespace)
    guard numbers.count >= 2, let pages = CheckedInt(numbers[1]) else { return nil }
    return pages.multiplied(by: CheckedInt(pageSize))?.within(0...Int.max)
  }
}

/// Memory whose amount is set by its owner.
package final class ScriptedMemory: MemoryProbe, MemoryHolder {
  private let stored: Mutex<Int?>

  /// A probe with a first value.
  package init(bytes: Int? = nil) { stored = Mutex(bytes) }

  /// Sets what the probe says next.
  package func set(bytes: Int?) { stored.withLock { $0 = bytes } }

  /// The latest value set.
  package func residentBytes() -> Int? { stored.withLock { $0 } }

  /// The latest value set; 0 without one.
  package func heldBytes() async -> Int { residentBytes() ?? 0 }
}
