import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The words of the command line as bytes.
///
/// Swift replaces bytes that are not UTF-8, so that a folder of results would get another name than the one given.
///
/// Unsafe where the system's list of words is read.
enum CommandWords {
  /// Refuses a word that is not UTF-8.
  static func check() throws {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = unsafe CommandLine.unsafeArgv[index] else { continue }
      let count = unsafe Int(strlen(word))
      let bytes = (0..<count).map { unsafe UInt8(bitPattern: word[$0]) }
      guard String(validating: bytes, as: UTF8.self) == nil else { continue }
      throw CommandError.usage(
        "argument \(index), \(escapedName(bytes)), is not UTF-8: nothing by that name is read or written; rename the "
          + "file or folder, or choose another name")
    }
  }
}
