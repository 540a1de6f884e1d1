import FileFormats

/// Why a picture could not be read or written, and which one.
public struct ImageError: Error, Equatable, CustomStringConvertible {
  /// The file, or the name the caller gave to bytes in memory.
  public let file: String
  /// The defect.
  public let defect: ImageDefect

  /// Names a defect of a file.
  public init(file: String, defect: ImageDefect) {
    self.file = file
    self.defect = defect
  }

  /// One line: the file, the defect, and where possible what to do.
  public var description: String {
    if case .truncated = defect { return "\(file): \(defect); copy or download it again" }
    return "\(file): \(defect)"
  }
}

/// Defect of a picture.
public enum ImageDefect: Error, Equatable, CustomStringConvertible {
  /// There is no such file.
  case missing
  /// The file exists but the system refuses to read it.
  case unreadable(reason: String)
  /// A named pipe, a device or a socket.
  case notARegularFile
  /// A Git LFS pointer in place of the file's content.
  case pointer
  /// More bytes than the limits allow.
  case fileTooLarge(bytes: Int, limit: Int)
  /// A file of no bytes.
  case empty
  /// The first bytes are of no picture.
  case unknownFormat
  /// The first bytes are those of a format that is known but not read.
  case foreignFormat(String)
  /// The distribution's library that reads the format is not there, or lacks what the picture needs.
  case missingLibrary(ImageFormat, reason: String)
  /// The data end before the picture does.
  case truncated(ImageFormat)
  /// The header gives a width or height of zero.
  case zeroSize(ImageFormat)
  /// More pixels than the limits allow.
  case tooManyPixels(width: Int, height: Int, limit: Int)
  /// The data contradict themselves or their checksums.
  case corrupt(ImageFormat, detail: String)
  /// A valid picture of a kind this reader does not take.
  case unsupported(ImageFormat, detail: String)
  /// A side longer than the format has room for.
  case sideTooLong(ImageFormat, width: Int, height: Int, limit: Int)
  /// The encoder refused.
  case encodingFailed(ImageFormat, detail: String)

  /// The defect in words; what to do about the file is for those to say who name it.
  public var description: String {
    switch self {
    case .missing: "no such file"
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .notARegularFile: "not a regular file"
    case .pointer: "is a Git LFS pointer in place of the file; fetch the file itself with git lfs pull"
    case .fileTooLarge(let bytes, let limit): "file has \(bytes) bytes, the limit is \(limit)"
    case .empty: "file is empty"
    case .unknownFormat: "no picture of a known format (\(pictureFormats))"
    case .foreignFormat(let name): "\(name), which is not read; convert it to JPEG or PNG"
    case .missingLibrary(let format, let reason):
      "a picture in \(format) needs \(format.library) (\(reason)); install the Debian package "
        + "\(format.package), or convert it to JPEG or PNG"
    case .truncated(let format): "\(format) data end too early"
    case .zeroSize(let format): "\(format) header gives a width or height of zero"
    case .tooManyPixels(let width, let height, let limit):
      "picture of \(width)x\(height) pixels exceeds the limit of \(limit) pixels"
    case .corrupt(let format, let detail): "corrupt \(format) data: \(detail)"
    case .unsupported(let format, let detail): "unsupported \(format): \(detail)"
    case .sideTooLong(let format, let width, let height, let limit):
      "\(width)x\(height) pixels, and a side of a \(format) has at most \(limit); write PNG (--picture-format png)"
    case .encodingFailed(let format, let detail): "\(format) encoding failed: \(detail)"
    }
  }
}

extension ImageDefect: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .missing, .unreadable: .missingInput
    case .missingLibrary: .unavailable
    case .encodingFailed: .bug
    case .notARegularFile, .pointer, .fileTooLarge, .empty, .unknownFormat, .foreignFormat, .truncated,
      .zeroSize, .tooManyPixels, .corrupt, .unsupported, .sideTooLong:
      .malformedInput
    }
  }
}

extension ImageError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    defect.fault
  }
}
