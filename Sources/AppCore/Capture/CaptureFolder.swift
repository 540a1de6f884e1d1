import FileFormats
import Geometry
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Access to the files of one capture that never leaves its folder.
struct CaptureFolder: Sendable {
  /// The path as the caller wrote it.
  let path: String
  let limits: CaptureLimits

  private let resolvedRoot: [UInt8]
  /// Whether files may be links that lead out of the folder: those of pictures that a user chose, never a capture's.
  private var followsLinks = false

  /// - Throws: `CaptureError.notFound`, `.notARegularFile` when the path is not a folder.
  init(path: String, limits: CaptureLimits) throws(CaptureError) {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .notFound(path: path)
    }
    guard isFolder else { throw .notADirectory(path: path) }
    self.path = path
    self.limits = limits
    resolvedRoot = POSIX.resolvedBytes(path) ?? []
  }

  /// The same, of whose files links may lead anywhere.
  var followingLinks: CaptureFolder {
    var folder = self
    folder.followsLinks = true
    return folder
  }

  /// The names directly in the folder, or in one beneath it, in their natural order; hidden ones left out.
  func names(in subfolder: String? = nil) throws(CaptureError) -> [String] {
    let folder =
      try subfolder.map { name throws(CaptureError) in try checkedPath(name, namedBy: name) } ?? path
    do {
      return try folderNames(of: folder).filter { !$0.startsWithBytes(of: ".") }.sortedNaturally()
    } catch {
      throw .unreadable(file: subfolder ?? path, reason: "the folder cannot be listed")
    }
  }

  /// Entries directly in the folder, or in one beneath it, that cannot be opened, since their names are not UTF-8.
  func skippedNames(in subfolder: String? = nil) -> [SkippedFrame] {
    let folder = subfolder.map { "\(path)/\($0)" } ?? path
    let names = ((try? namesThatAreNotText(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
    return names.map { SkippedFrame(notText: (subfolder.map { "\($0)/" } ?? "") + $0) }
  }

  /// Whether a folder lies at a relative name.
  func hasSubfolder(_ name: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) && isFolder
  }

  /// Whether anything lies at a relative name.
  func hasFile(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

  /// The path of a regular file beneath the root.
  ///
  /// - `name`: Relative name as found in the capture.
  /// - `file`: The file that mentions it, for messages.
  /// - Throws: `.nameEscapesCapture`, `.missingFile`, `.notARegularFile`, `.fileTooLarge`.
  func location(of name: String, namedBy file: String, limit: Int) throws(CaptureError) -> String {
    let full = try checkedPath(name, namedBy: file)
    // A size that cannot be read must not pass for a small one.
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: full),
      let bytes = (attributes[.size] as? any BinaryInteger).map({ Int(clamping: $0) })
        ?? attributes[.size] as? Int
    else { throw .unreadable(file: name, reason: "its kind and size are hidden") }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw .notARegularFile(file: file, name: name)
    }
    guard bytes <= limit else { throw .fileTooLarge(file: name, bytes: bytes, limit: limit) }
    return full
  }

  /// Whether something other than a folder lies at a relative name.
  func hasPlainFile(_ name: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) && !isFolder
  }

  /// Refuses a name that by its words alone leads out of the capture.
  func check(_ name: String, namedBy file: String) throws(CaptureError) {
    let components = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !name.isEmpty, !name.utf8.contains(0),
      !components.contains(where: { $0.isEmpty || $0.elementsEqual("..".utf8) })
    else {
      throw .nameEscapesCapture(file: file, name: name)
    }
  }

  /// Parses a JSON file of the capture, of one frame's size unless another limit is given.
  func metadata(_ name: String, limit: Int? = nil) throws(CaptureError) -> FrameFields {
    let full = try location(of: name, namedBy: name, limit: limit ?? limits.metadataBytes)
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.contents(of: full)
    } catch {
      throw CaptureError(error, of: name)
    }
    return try FrameFields(file: name, json: bytes, limits: limits.json)
  }

  /// The link-free path of a name, which must exist beneath the root.
  private func checkedPath(_ name: String, namedBy file: String) throws(CaptureError) -> String {
    try check(name, namedBy: file)
    let full = "\(path)/\(name)"
    guard FileManager.default.fileExists(atPath: full) else { throw .missingFile(file: file, name: name) }
    guard !followsLinks else { return POSIX.resolved(full) ?? full }
    let slash = UInt8(ascii: "/")
    let prefix = resolvedRoot.last == slash ? resolvedRoot : resolvedRoot + [slash]
    guard let resolved = POSIX.resolvedBytes(full), resolved.starts(with: prefix) else {
      throw .nameEscapesCapture(file: file, name: name)
    }
    // A folder whose name is not text can be named by the path that led to it alone.
    return String(validating: resolved, as: UTF8.self) ?? full
  }
}
