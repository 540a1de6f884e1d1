import CSystemShims
import Glibc
import Synchronization

/// A program that runs beside this one, fed through its standard input or read from its standard output.
///
/// It never outlives this process: whatever ends that, SIGKILL too, ends the program, and `endAll` whatever the program has
/// started besides. What it complains of is kept in memory without a name.
///
/// Unsafe where the system's strings and structures are passed.
package struct ChildProcess: ~Copyable {
  private let id: pid_t
  /// Where its input is written; negative once closed.
  private var input: Int32
  /// Where its output is read, for the caller to close; negative where it is dropped.
  package let output: Int32
  private let messages: Int32
  private var isOver = false

  /// Leaders of the process groups that are running.
  private static let running = Mutex<Set<pid_t>>([])

  /// Ends all programs that are running and what they have started, when this process is about to end.
  ///
  /// They are waited for as long as a killed program takes to go: as zombies they would be left to process 1, which in a
  /// container may wait for none.
  package static func endAll() {
    running.withLock { running in
      for id in running { kill(-id, SIGKILL) }
      for id in running {
        for _ in 0..<100 {
          var status: Int32 = 0
          guard unsafe waitpid(id, &status, WNOHANG) == 0 else { break }
          usleep(2000)
        }
      }
    }
  }

  /// Starts a program; what it prints is dropped unless `isRead`.
  ///
  /// - Throws: the system's error number.
  package init(path: String, arguments: [String], isFed: Bool, isRead: Bool = false) throws(SystemError) {
    messages = ardf_nameless_file()
    guard messages >= 0 else { throw SystemError(number: errno) }
    // The program writes to the same open file, at its end though that is cut off meanwhile.
    _ = fcntl(messages, F_SETFL, O_APPEND)
    var (ends, printed): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    do throws(SystemError) {
      if isFed { ends = try Self.makePipe() }
      if isRead { printed = try Self.makePipe() }
      let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
      defer { unsafe words.forEach { unsafe free($0) } }
      var failure: Int32 = 0
      let (read, write, said) = (ends[0], printed[1], messages)
      let child = unsafe words.withUnsafeBufferPointer { words in
        unsafe ardf_spawn(words.baseAddress, read, write, said, &failure)
      }
      guard child > 0 else { throw SystemError(number: failure) }
      id = child
    } catch {
      for end in ends + printed + [messages] where end >= 0 { close(end) }
      throw error
    }
    for end in [ends[0], printed[1]] where end >= 0 { close(end) }
    input = ends[1]
    output = printed[0]
    let child = id
    Self.running.withLock { _ = $0.insert(child) }
  }

  deinit { close(messages) }

  /// The reading and the writing end of a pipe that no other program inherits.
  private static func makePipe() throws(SystemError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    guard unsafe ardf_pipe(&ends) == 0 else { throw SystemError(number: errno) }
    return ends
  }

  /// The last `mostMessages` bytes of its standard error.
  package var complaints: String {
    let size = Int(lseek(messages, 0, SEEK_END))
    let start = max(0, size - Self.mostMessages)
    let bytes = try? POSIX.read(messages, at: start, count: size - start, path: "messages")
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  private static let mostMessages = 1 << 20

  /// Its standard error from byte `start` on.
  package func messages(from start: Int) -> [UInt8] {
    let size = Int(lseek(messages, 0, SEEK_END))
    guard size > start else { return [] }
    return (try? POSIX.read(messages, at: start, count: size - start, path: "messages")) ?? []
  }

  /// Frees the memory of its messages before a position, which are then read as zeros.
  package func forgetMessages(before end: Int) {
    _ = ardf_free_before(messages, end)
  }

  /// Writes all bytes to its input.
  ///
  /// - Throws: the system's error number, EPIPE where the program has ended.
  package func feed(_ bytes: [UInt8]) throws(SystemError) {
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
    guard !isOver else { return nil }
    isOver = true
    var end = unsafe siginfo_t()
    // It is waited for without a lock, and given up with one: its number may be another's right after.
    while unsafe waitid(P_PID, id_t(id), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    let id = id
    return Self.running.withLock { running in
      var status: Int32 = 0
      while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
      running.remove(id)
      return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
  }

  /// Ends it, and what it has started.
  package mutating func abandon() {
    if !isOver { kill(-id, SIGKILL) }
    _ = finish()
  }
}

/// The system's error text.
package struct SystemError: Error, CustomStringConvertible {
  package let number: Int32

  package var description: String { unsafe String(cString: strerror(number)) }
}

extension SystemError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .inputOutput }
}
