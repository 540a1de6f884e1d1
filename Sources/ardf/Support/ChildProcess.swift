import FileFormats
import Glibc

/// Programs of the user's that commands call on.
///
/// Unsafe where the system starts a process.
enum ChildProcess {
  /// Runs a program that is looked for in `$PATH`, without input, its output going to standard error.
  ///
  /// - Returns: its exit status, 128 and its number for a signal; nil where there is no such program.
  static func run(_ program: String, _ arguments: [String]) throws -> Int32? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
    // This process blocks the signals that end it, which a child would inherit.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var words: [UnsafeMutablePointer<CChar>?] =
      unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var child = pid_t()
    let failure = unsafe posix_spawnp(&child, program, &actions, &attributes, &words, environ)
    if failure == ENOENT { return nil }
    guard failure == 0 else { throw FileError.io(path: program, errno: failure) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw FileError.io(path: program, errno: errno) }
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}
