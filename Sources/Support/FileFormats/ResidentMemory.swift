import Glibc

/// The resident set of this process, as Linux reports it.
package enum ResidentMemory {
  /// Resident bytes by a file such as `/proc/self/statm`; nil where there is none.
  package static func bytes(path: String = "/proc/self/statm") -> Int? {
    guard let (descriptor, _) = try? POSIX.openRegularFile(path) else { return nil }
    defer { close(descriptor) }
    guard let text = try? POSIX.readSome(descriptor, atMost: 1 << 10, path: path) else { return nil }
    return bytes(statm: String(decoding: text, as: UTF8.self), pageSize: sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The second number of statm, in pages; nil if the text is another one or the product overflows.
  package static func bytes(statm: String, pageSize: Int) -> Int? {
    let numbers = statm.split(whereSeparator: \.isWhitespace)
    guard numbers.count >= 2, let pages = CheckedInt(numbers[1]) else { return nil }
    return pages.multiplied(by: CheckedInt(pageSize))?.within(0...Int.max)
  }
}
