import FileFormats
import Glibc

/// SIGINT and SIGTERM end the process without leaving temporary files, and so does a mapped file that is cut
/// short; a reader that goes away is no signal.
///
/// Unsafe where the system's signal sets are passed.
enum Interruption {
  /// Told by the handler of SIGBUS.
  private static let fault = SIGUSR2

  /// Lets no thread started from now on take these signals: they wait for `handle`.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    MappedFileFaults.install(status: ExitStatus.inputOutput.rawValue, notifying: fault)
  }

  /// Waits for a signal for as long as the process lives, and ends it.
  static func handle() -> Never {
    var set = Self.set
    var number: Int32 = 0
    repeat {
      while unsafe sigwait(&set, &number) != 0 {}
    } while number == fault && !MappedFileFaults.wereSeen
    AtomicOutputs.removeTemporaries()
    _exit(number == fault ? ExitStatus.inputOutput.rawValue : 128 + number)
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, fault] { unsafe sigaddset(&set, number) }
    return set
  }
}
