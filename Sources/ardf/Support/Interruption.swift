import FileFormats
import Glibc

/// SIGINT and SIGTERM end the process without leaving temporary files; a reader that goes away is no signal.
///
/// Unsafe where the system's signal sets are passed.
enum Interruption {
  /// Lets no thread started from now on take these signals: they wait for `handle`.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal for as long as the process lives, and ends it.
  static func handle() -> Never {
    var set = Self.set
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    AtomicOutputs.removeTemporaries()
    _exit(128 + number)
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM] { unsafe sigaddset(&set, number) }
    return set
  }
}
