import Digests
import FileFormats

/// A part that is worked on in a folder of this machine and copied in one piece in the end.
///
/// It is written once, under a name that its bytes give it, so that a store of objects, which can neither append nor
/// rename nor replace, will do, and whoever reads it sees whether it is whole.
package enum StagedPart {
  private static let blockSize = 1 << 20

  /// Copies a part into `folder`, unless it is there.
  ///
  /// - Returns: its name there.
  @discardableResult
  package static func publish(_ path: String, of shard: Shard, to folder: String) throws(FileError)
    -> PartName
  {
    let digest = try sha256Hex(path: path)
    let name = PartName(.part, of: shard, digest: digest)
    let target = "\(folder)/\(name)"
    if POSIX.exists(target) {
      if try sha256Hex(path: target) == digest { return name }
      // Left by a copy that was cut short.
      POSIX.unlink(target)
    }
    let (source, _) = try POSIX.openRegularFile(path)
    defer { POSIX.closeDescriptor(source) }
    let copy = try POSIX.create(target)
    var isOpen = true
    defer { if isOpen { POSIX.closeDescriptor(copy) } }
    while true {
      let block = try POSIX.readSome(source, atMost: blockSize, path: path)
      guard !block.isEmpty else { break }
      try POSIX.write(block.span, to: copy, path: target)
    }
    try POSIX.synchronize(copy, path: target)
    // A store may take the bytes no earlier than now.
    isOpen = false
    try POSIX.closeWritten(copy, path: target)
    return name
  }

  /// Puts the records that earlier processes published into a part to be gone on with; those of the part come last.
  package static func gather(_ names: [PartName], from folder: String, into part: PartFile) throws {
    for name in names {
      _ = try PartReader.forEach(in: "\(folder)/\(name)") { record, _, _ in
        guard !part.holds(record.position, mark: record.mark) else { return }
        try part.append(record)
      }
    }
  }
}
