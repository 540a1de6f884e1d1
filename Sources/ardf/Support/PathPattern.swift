import Glibc

/// Names with `*`, `?` and `[...]`, for lists too long for a shell's command line.
///
/// Unsafe where the system's `glob` is called.
enum PathPattern {
  /// Whether a text has signs that stand for others.
  static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

  /// The existing paths that a pattern matches, sorted; none where nothing does.
  static func paths(matching pattern: String) -> [String] {
    var matches = unsafe glob_t()
    defer { unsafe globfree(&matches) }
    guard unsafe glob(pattern, 0, nil, &matches) == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(unsafe matches.gl_pathc) {
      if let path = unsafe matches.gl_pathv[index] { unsafe paths.append(String(cString: path)) }
    }
    return paths.sorted()
  }
}
