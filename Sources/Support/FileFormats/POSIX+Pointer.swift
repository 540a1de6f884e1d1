extension POSIX {
  /// Whether a file is what Git LFS keeps in place of one that was not fetched.
  static func isPointer(_ descriptor: Int32, size: Int) -> Bool {
    let mark = "version https://git-lfs.github.com/spec/"
    guard (mark.utf8.count...1024).contains(size) else { return false }
    let start = try? read(descriptor, at: 0, count: mark.utf8.count, path: "")
    return start?.elementsEqual(mark.utf8) ?? false
  }
}
