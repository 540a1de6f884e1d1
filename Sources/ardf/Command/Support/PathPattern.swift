import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Names with `*`, `?` and `[...]`, for lists too long for a shell's command line.
///
/// Unsafe where the system's `glob` is called.
enum PathPattern {
  /// Whether a text has wildcards.
  static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

  /// The existing paths that a pattern matches, sorted; none where nothing does.
  ///
  /// Names that are not UTF-8 are reported and left out.
  static func paths(matching pattern: String) -> [String] {
    var matches = unsafe glob_t()
    defer { unsafe globfree(&matches) }
    guard unsafe glob(pattern, 0, nil, &matches) == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(unsafe matches.gl_pathc) {
      guard let path = unsafe matches.gl_pathv[index] else { continue }
      if let text = unsafe String(validatingCString: path) {
        paths.append(text)
      } else {
        Console.note(
          "\(pattern): left out: \(unsafe String(cString: path)): its name is not UTF-8; rename it")
      }
    }
    return paths.sortedNaturally()
  }
}
