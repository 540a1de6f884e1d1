import FileFormats

/// A defect of a zip archive.
public enum ZipError: Error, Equatable, CustomStringConvertible {
  /// No end-of-directory record where the file ends.
  case noDirectory
  /// A directory record lies outside the file or lacks its signature.
  case malformedDirectory(String)
  /// More members than the limit.
  case tooManyMembers(count: Int, limit: Int)
  /// An archive split over several files.
  case multipleDisks
  /// Two members of one name.
  case duplicateName(String)
  /// A name that is not UTF-8.
  case invalidName
  /// An encrypted member.
  case encrypted(String)
  /// A compression method other than stored and deflate.
  case unsupportedMethod(Int, String)
  /// A member's header or data lies outside the file or disagrees with the directory.
  case malformedMember(String, String)
  /// Two members share bytes.
  case overlap(String, String)
  /// A declared size over the limit, or impossible for the compressed size.
  case tooLarge(String, bytes: UInt64)
  /// The data does not have the declared checksum.
  case wrongChecksum(String)
  /// The compressed data is damaged or gives another number of bytes than declared.
  case damagedData(String)
  /// No member of that name.
  case noSuchMember(String)

  /// One line that names the defect and the remedy.
  public var description: String {
    switch self {
    case .noDirectory: "no zip directory at the end of the file: an incomplete download, or not a zip archive"
    case .malformedDirectory(let reason): "malformed zip directory: \(reason)"
    case .tooManyMembers(let count, let limit): "zip archive of \(count) members, over the limit of \(limit)"
    case .multipleDisks: "zip archive split over several files is not supported"
    case .duplicateName(let name): "zip archive holds \"\(printableName(name))\" twice"
    case .invalidName: "zip archive holds a name that is not UTF-8"
    case .encrypted(let name): "zip member \"\(printableName(name))\" is encrypted"
    case .unsupportedMethod(let method, let name):
      "zip member \"\(printableName(name))\" uses compression method \(method); stored and deflate are supported"
    case .malformedMember(let name, let reason): "malformed zip member \"\(printableName(name))\": \(reason)"
    case .overlap(let first, let second):
      "zip members \"\(printableName(first))\" and \"\(printableName(second))\" share bytes"
    case .tooLarge(let name, let bytes):
      "zip member \"\(printableName(name))\" declares \(bytes) bytes, over the limit"
    case .wrongChecksum(let name):
      "zip member \"\(printableName(name))\" has a wrong checksum: the file is damaged"
    case .damagedData(let name): "zip member \"\(printableName(name))\" has damaged compressed data"
    case .noSuchMember(let name): "zip archive has no member \"\(printableName(name))\""
    }
  }
}

extension ZipError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
