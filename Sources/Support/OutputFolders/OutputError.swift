import FileFormats

/// A result that could not be written.
package struct OutputError: ClassifiedError, CustomStringConvertible {
  package let error: FileError

  package init(error: FileError) { self.error = error }

  package var description: String {
    switch error {
    case .missing(let path): Self.missing(path)
    case .notADirectory(let path):
      "\(path): is \(pathKind(path) == .file ? "a file, not a folder" : "not a folder"); choose another name"
    case .isDirectory(let path): "\(path): is a folder, not a file; choose another name"
    default: "\(error)"
    }
  }

  /// A folder that is not there, or in which nothing can be made.
  private static func missing(_ path: String) -> String {
    // A folder of the system's own, such as /proc.
    guard !fileExists(path) else { return "\(path): nothing can be made in it; choose another name" }
    return
      "\(path): there is no such folder to write into; make it (mkdir -p \(shellWord(path))), or choose another name"
  }

  package var fault: Fault { error.faultOfOutput }

  /// Runs a step that writes.
  package static func mapping<Result>(_ body: () throws(FileError) -> Result) throws(OutputError) -> Result {
    do throws(FileError) {
      return try body()
    } catch {
      throw OutputError(error: error)
    }
  }
}
