import AppCore
import Synchronization

/// The process's memory, and the most that was read.
final class PeakMemory: MemoryProbe {
  private let probe = ProcessMemory()
  private let most = Mutex<Int?>(nil)

  /// The most resident bytes that were read.
  var peak: Int? { most.withLock { $0 } }

  func residentBytes() -> Int? {
    let bytes = probe.residentBytes()
    most.withLock { most in
      if let bytes { most = max(bytes, most ?? 0) }
    }
    return bytes
  }
}
