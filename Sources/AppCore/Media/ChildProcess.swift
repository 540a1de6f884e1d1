import FoundationEssentials
import Glibc

/// A program that runs beside this one, fed through its standard input or read from its standard output.
///
/// Unsafe where the system's strings and structures are passed.
package struct ChildProcess: ~Copyable {
  private let id: pid_t
  /// Where its input is written; negative once closed.
  private var input: Int32
  /// Where its output is read, for the caller to close; negative where it is dropped.
  package let output: Int32

  /// Starts a program; what it prints is dropped unless `isRead`, what it complains goes to the file `messages`.
  ///
  /// - Throws: the system's error number.
  package init(
    path: String, arguments: [String], isFed: Bool, isRead: Bool = false, messages: String
  ) throws(SystemError) {
    let ends = isFed ? try Self.makePipe() : [-1, -1]
    defer { if ends[0] >= 0 { close(ends[0]) } }
    let printed = isRead ? try Self.makePipe() : [-1, -1]
    defer { if printed[1] >= 0 { close(printed[1]) } }

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if isFed {
      unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if isRead {
      unsafe posix_spawn_file_actions_adddup2(&actions, printed[1], STDOUT_FILENO)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)

    // Signals that this process waits for in a thread of its own are the child's to take as usual.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    // A pipe whose reader is gone ends it, although this process ignores that signal.
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe sigaddset(&usual, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = unsafe ([path] + arguments).map { unsafe strdup($0) }
    let settings = unsafe ProcessInfo.processInfo.environment.map { unsafe strdup("\($0.key)=\($0.value)") }
    defer { unsafe (words + settings).forEach { unsafe free($0) } }
    var child: pid_t = 0
    let failure = unsafe posix_spawn(&child, path, &actions, &attributes, words + [nil], settings + [nil])
    guard failure == 0 else {
      if isFed { close(ends[1]) }
      if isRead { close(printed[0]) }
      throw SystemError(number: failure)
    }
    id = child
    input = ends[1]
    output = printed[0]
  }

  /// The reading and the writing end of a pipe that no other program inherits.
  private static func makePipe() throws(SystemError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  /// Forgets what it complained so far, once that is more than `most` bytes.
  static func trim(messages: String, most: Int) {
    var status = stat()
    guard unsafe stat(messages, &status) == 0, Int(status.st_size) > most else { return }
    _ = unsafe truncate(messages, 0)
  }

  /// Writes all bytes to its input.
  ///
  /// - Throws: the system's error number, EPIPE where the program has ended.
  func feed(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { throw SystemError(number: errno) }
      written += max(count, 0)
    }
  }

  /// Closes its input and waits for its end; nil where a signal ended it.
  package mutating func finish() -> Int32? {
    if input >= 0 { close(input) }
    input = -1
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  /// Ends it; one that prints may be waiting for its reader, and would not hear of it.
  mutating func abandon() {
    kill(id, output < 0 ? SIGTERM : SIGKILL)
    _ = finish()
  }
}

/// What the system says went wrong.
package struct SystemError: Error, CustomStringConvertible {
  package let number: Int32

  package var description: String { unsafe String(cString: strerror(number)) }
}
