import Glibc

/// A file operation that the system refused, named after what the user can do about it.
public enum FileError: Error, Equatable, CustomStringConvertible {
  /// Nothing exists at the path.
  case missing(path: String)
  /// A file was expected and the path is a directory.
  case isDirectory(path: String)
  /// A directory was expected along the path and something else is there.
  case notADirectory(path: String)
  /// A Git LFS pointer in place of a file's content.
  case pointer(path: String)
  /// The file holds no bytes.
  case empty(path: String)
  /// Something other than a regular file (a pipe, a device, a socket).
  case notARegularFile(path: String)
  /// The final name is taken and replacing was not asked for.
  case alreadyExists(path: String)
  /// A folder or file that `ardf` did not write, or that holds `entry`, which it did not write.
  case foreign(path: String, entry: String?)
  /// A folder with a file that `ardf` wrote and that was changed since then.
  case edited(path: String, entry: String)
  /// The system denied access.
  case permissionDenied(path: String)
  /// The file was written to while it was being read.
  case changed(path: String)
  /// The disk, or the user's quota of it, is full.
  case noSpace(path: String)
  /// Any other failure, with the system's error number.
  case io(path: String, errno: Int32)

  /// The path that the operation was about.
  public var path: String {
    switch self {
    case .missing(let path), .isDirectory(let path), .notADirectory(let path), .empty(let path),
      .notARegularFile(let path), .alreadyExists(let path), .permissionDenied(let path), .changed(let path),
      .noSpace(let path), .io(let path, _), .foreign(let path, _), .pointer(let path), .edited(let path, _):
      path
    }
  }

  /// One line: the path, the defect and the remedy.
  public var description: String { "\(path): \(reason)" }

  /// The defect and the remedy, without the path.
  package var reason: String {
    switch self {
    case .missing: "no such file or directory"
    case .isDirectory: "is a directory, a file is needed"
    case .notADirectory: "not a directory"
    case .pointer: "is a Git LFS pointer in place of the file; fetch the file itself with git lfs pull"
    case .empty: "the file is empty"
    case .notARegularFile: "not a regular file"
    case .alreadyExists: "already exists; pass --force to replace it"
    case .foreign(_, nil):
      "was not written by ardf, and is not replaced; remove it yourself, or choose another name"
    case .foreign(_, .some(let entry)):
      "holds \(printableName(entry)), which ardf did not write, and is not replaced; move that away, or choose another "
        + "name"
    case .edited(_, let entry):
      "holds \(printableName(entry)), which was changed since ardf wrote it, and is not replaced; move that away, or "
        + "choose another name"
    case .permissionDenied: "permission denied"
    case .changed: "was written to while it was being read; replace files by renaming, never in place"
    case .noSpace: "no space left on the device"
    case .io(_, let code): POSIX.message(for: code)
    }
  }

  static func from(errno code: Int32, path: String) -> FileError {
    switch code {
    case ENOENT: .missing(path: path)
    case EISDIR: .isDirectory(path: path)
    case ENOTDIR: .notADirectory(path: path)
    case EEXIST, ENOTEMPTY: .alreadyExists(path: path)
    // A named pipe without a reader, a socket, a device without a driver.
    case ENXIO: .notARegularFile(path: path)
    case EACCES, EPERM, EROFS: .permissionDenied(path: path)
    case ENOSPC, EDQUOT: .noSpace(path: path)
    default: .io(path: path, errno: code)
    }
  }
}

extension FileError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .missing, .permissionDenied: .missingInput
    case .io, .noSpace, .changed: .inputOutput
    case .isDirectory, .notADirectory, .pointer, .empty, .notARegularFile, .alreadyExists, .foreign, .edited:
      .malformedInput
    }
  }

  /// The kind of fault where the file is a result.
  package var faultOfOutput: Fault {
    switch self {
    case .io, .noSpace, .changed: .inputOutput
    case .missing, .isDirectory, .notADirectory, .pointer, .empty, .notARegularFile, .alreadyExists, .foreign,
      .edited, .permissionDenied:
      .cannotCreate
    }
  }
}
