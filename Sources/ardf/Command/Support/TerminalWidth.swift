import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The width to which `--help` is wrapped; the parser of arguments reads it from the environment.
enum TerminalWidth {
  /// The accepted widths: with fewer columns no text fits, and no terminal has more.
  static let range = 40...1000
  private static let variable = "COLUMNS"

  /// Removes an impossible width from the environment, since the parser would end the process or print nothing.
  ///
  /// Call it before any other thread runs.
  static func checkEnvironment() {
    guard let text = unsafe getenv(variable).map({ unsafe String(cString: $0) }) else { return }
    if integer(of: text, in: range) == nil { _ = unsafe unsetenv(variable) }
  }
}
