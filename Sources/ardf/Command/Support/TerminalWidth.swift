import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The columns that texts of `--help` are broken for, which the parser of arguments takes from the environment.
enum TerminalWidth {
  /// With fewer no text is left, and no terminal has more.
  static let range = 40...1000
  private static let variable = "COLUMNS"

  /// Takes a number out of the environment that no terminal has, before any other thread runs: the parser would end the
  /// process, or print nothing.
  static func checkEnvironment() {
    guard let text = unsafe getenv(variable).map({ unsafe String(cString: $0) }) else { return }
    if integer(of: text, in: range) == nil { _ = unsafe unsetenv(variable) }
  }
}
