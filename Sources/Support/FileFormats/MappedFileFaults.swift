import CSystemShims
import Glibc

/// The handler of faults of mapped files: one was cut short, or its disk failed, while it was being read.
///
/// The system then has nothing to put in the page and sends SIGBUS to the thread that reads. Copying every file would cost
/// memory and time for a rare mistake, so files stay mapped. A program installs the handler once: on a fault it writes one
/// line to standard error that names the file, then ends in order.
///
/// Unsafe by nature.
package enum MappedFileFaults {
  /// Installs the handler of SIGBUS for the whole process.
  ///
  /// - Parameters:
  ///   - status: what the process ends with, where no signal is named.
  ///   - signal: sent to the process in place of its end. Its receiver, in normal context, cleans up; the
  ///     thread that faulted sleeps.
  package static func install(status: Int32, notifying signal: Int32? = nil) {
    _ = ardf_install_fault_handler(status, signal ?? 0)
  }

  /// Whether a fault occurred, so that the signal was caused by one.
  package static var wereSeen: Bool { ardf_fault_was_seen() != 0 }

  /// A mapping as the handler knows it, for as long as the object lives.
  final class Entry: Sendable {
    private let slot: Int32
    private let path: UInt

    init(start: UInt, count: Int, path: String) {
      let name = unsafe strdup(printableName(path))
      self.path = UInt(bitPattern: name)
      slot = unsafe ardf_enter_mapping(start, start + UInt(count), name)
    }

    deinit {
      if slot >= 0 { ardf_leave_mapping(slot) }
      unsafe free(UnsafeMutableRawPointer(bitPattern: path))
    }
  }
}
