import FileFormats
import Synchronization

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
  public func residentBytes() -> Int? { ResidentMemory.bytes(path: path) }
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
