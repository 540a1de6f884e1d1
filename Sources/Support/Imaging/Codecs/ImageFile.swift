import FileFormats

/// Reads whole files into memory, their size checked first.
enum ImageFile {
  static func read(path: String, limit: Int) throws(ImageDefect) -> [UInt8] {
    let (descriptor, identity) = try reading { () throws(FileError) in try POSIX.openRegularFile(path) }
    defer { POSIX.closeDescriptor(descriptor) }
    guard identity.size <= limit else { throw .fileTooLarge(bytes: identity.size, limit: limit) }
    guard identity.size > 0 else { throw .empty }
    return try reading { () throws(FileError) in
      try POSIX.read(descriptor, count: identity.size, path: path)
    }
  }

  private static func reading<Result>(
    _ body: () throws(FileError) -> Result
  ) throws(ImageDefect) -> Result {
    do throws(FileError) {
      return try body()
    } catch {
      throw ImageDefect(error)
    }
  }
}

extension ImageDefect {
  /// The defect of a file that the system refused.
  fileprivate init(_ error: FileError) {
    switch error {
    case .missing, .notADirectory: self = .missing
    case .isDirectory: self = .unreadable(reason: "it is a folder")
    case .notARegularFile: self = .notARegularFile
    case .pointer: self = .pointer
    case .empty, .alreadyExists, .foreign, .edited, .permissionDenied, .changed, .noSpace, .io:
      self = .unreadable(reason: error.reason)
    }
  }
}
