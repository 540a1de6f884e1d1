import FileFormats

/// Tells single files that `ardf` wrote from those of others, by what they say of themselves.
package enum WrittenFile {
  /// The mark in the first lines of pages and drawings that `ardf` writes.
  package static let mark = "name=\"generator\" content=\"ardf\""

  /// Refuses a file that may not be written: one that is there, without `force`; one that `ardf` did not write; and
  /// one in a folder that is not there or may not be written to.
  ///
  /// `isOurs`: Tells files that hold no other sign by their first line, without its end.
  ///
  /// - Throws: `FileError.alreadyExists`, `.foreign`, `.isDirectory`, `.notARegularFile` for a device or a link,
  ///   `.missing`, `.notADirectory` and `.permissionDenied` of the folder.
  package static func checkReplaceable(
    _ path: String, force: Bool, isOurs: (_ firstLine: [UInt8]) -> Bool = { _ in false }
  ) throws(FileError) {
    let (folder, _) = AtomicOutputs.split(path)
    guard let kind = try? POSIX.kind(of: path) else {
      try OutputPlace.checkParents(of: path)
      guard POSIX.identity(of: folder) != nil else { throw .missing(path: folder) }
      guard POSIX.isWritableFolder(folder) else { throw .permissionDenied(path: folder) }
      return
    }
    if kind == .directory { throw .isDirectory(path: path) }
    guard force else { throw .alreadyExists(path: path) }
    switch kind {
    case .link, .other: throw .notARegularFile(path: path)
    case .file, .directory: break
    }
    let bytes = try FileBytes(path: path)
    guard bytes.count == 0 || holdsSign(bytes) || isOurs(firstLine(of: bytes)) else {
      throw .foreign(path: path, entry: nil)
    }
  }

  /// Schemas of documents that people write and `ardf` only reads.
  private static let readOnly = ["ardf.simulation/1"]

  private static func firstLine(of bytes: FileBytes) -> [UInt8] {
    let end = bytes.withBytes { bytes in bytes.indices.first { bytes[$0] == UInt8(ascii: "\n") } }
    return bytes.slice(0..<(end ?? bytes.count)).array()
  }

  private static func holdsSign(_ bytes: FileBytes) -> Bool {
    let start = String(decoding: bytes.slice(0..<min(bytes.count, 2048)).array(), as: UTF8.self)
    if start.contains(mark) { return true }
    if let metadata = metadata(ofWeights: bytes) {
      return metadata["library"]?.string == "ardf"
        || metadata.object?.values.contains {
          $0.string.map { $0.hasPrefix("ardf.") || $0.contains("\"schema\":\"ardf.") } ?? false
        } == true
    }
    let limits = JSONLimits(bytes: max(bytes.count, JSONLimits.standard.bytes))
    let document = try? JSONValue.parse(bytes.array(), limits: limits)
    return document?["schema"]?.string.map { $0.hasPrefix("ardf.") && !readOnly.contains($0) } == true
  }

  /// Metadata of a safetensors file.
  private static func metadata(ofWeights bytes: FileBytes) -> JSONValue? {
    guard bytes.count > 8 else { return nil }
    let length = bytes.slice(0..<8).elements(of: UInt64.self)[0].littleEndian
    guard length <= min(16 << 20, bytes.count - 8) else { return nil }
    return try? JSONValue.parse(bytes.slice(8..<8 + Int(length)).array())["__metadata__"]
  }
}
