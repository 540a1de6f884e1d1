import FileFormats
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SIGINT, SIGTERM and SIGHUP end the process and the programs that it has started without leaving temporary files, and so does a mapped file that is cut
/// short; a reader that goes away is not a signal.
///
/// A stream ends only by them: the first signal ends the stream, not the process.
///
/// Unsafe where the system's signal sets are passed.
enum Interruption {
  /// The signal that the handler of SIGBUS sends.
  private static let fault = SIGUSR2

  /// The action that the first signal takes in place of ending the process, and the signal that took it.
  private static let first = Mutex<(end: (@Sendable () -> Void)?, signal: Int32?)>((nil, nil))

  /// Makes the next SIGINT, SIGTERM or SIGHUP call `end`, from another thread; a second one ends the process.
  static func endFirst(_ end: @escaping @Sendable () -> Void) { first.withLock { $0.end = end } }

  /// The signal that called the action of `endFirst`.
  static var endingSignal: Int32? { first.withLock { $0.signal } }

  /// Blocks these signals in all threads started from now on; `handle` receives them.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    MappedFileFaults.install(status: ExitStatus.inputOutput.rawValue, notifying: fault)
  }

  /// Waits for signals for as long as the process lives, and ends it.
  static func handle() -> Never {
    var set = Self.set
    var number: Int32 = 0
    while true {
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if number == fault {
        if MappedFileFaults.wereSeen { break }
      } else if !endsFirst(by: number) {
        break
      }
    }
    ChildProcess.endAll()
    AtomicOutputs.removeTemporaries()
    _exit(number == fault ? ExitStatus.inputOutput.rawValue : 128 + number)
  }

  /// Calls the action of `endFirst`; false if there is none, or it was called before.
  private static func endsFirst(by signal: Int32) -> Bool {
    let end = first.withLock { first in
      let end = first.end
      if end != nil { first = (nil, signal) }
      return end
    }
    end?()
    return end != nil
  }

  /// The signals that end the process; a terminal that goes away does so unless the process is to outlive it (`nohup`).
  private static let ending = [SIGINT, SIGTERM] + (POSIX.isIgnored(SIGHUP) ? [] : [SIGHUP])

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in ending + [fault] { unsafe sigaddset(&set, number) }
    return set
  }
}
