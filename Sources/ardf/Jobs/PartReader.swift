import Digests
import FileFormats

/// Damage of a part: bytes that are no whole records.
package struct PartDamage: Equatable, Sendable {
  /// Bytes after the last line that a process finished writing.
  package var torn = 0
  /// Lines before it that are not records: of two processes that wrote at once, or a disk that failed.
  package var lines = 0

  package init() {}
}

/// A part whose bytes are not those that its name promises.
package struct TornObject: Error, Equatable, CustomStringConvertible {
  package let path: String

  package init(path: String) { self.path = path }

  package var description: String {
    "\(path): is not whole, as the digest in its name says: copying it was cut short; run its shard again, or remove it"
  }
}

/// Reads the records of a part, whether or not the process that wrote it came to its end.
package enum PartReader {
  /// Calls `body` with every whole record, the bytes before it, and its own, line end included.
  ///
  /// - Returns: what else there is.
  /// - Throws: `LineReader.Failure`, `TornObject`, and what `body` throws.
  package static func forEach(
    in path: String, _ body: (_ record: PartRecord, _ offset: Int, _ length: Int) throws -> Void
  ) throws -> PartDamage {
    try checkDigest(path)
    let pipe: InputPipe
    do throws(FileError) {
      pipe = try InputPipe(file: path)
    } catch {
      throw LineReader.Failure.file(error)
    }
    var lines = LineReader(pipe, longest: PartRecord.longest)
    var damage = PartDamage()
    while let line = try lines.next() {
      guard line.isEnded else {
        damage.torn = line.length
        break
      }
      guard let record = PartRecord(line: line.bytes) else {
        damage.lines += 1
        continue
      }
      try body(record, line.offset, line.length)
    }
    return damage
  }

  /// Refuses a part written once that is not whole.
  private static func checkDigest(_ path: String) throws {
    guard let digest = PartName(AtomicOutputs.split(path).name)?.digest else { return }
    guard try sha256Hex(path: path).hasPrefix(digest) else { throw TornObject(path: path) }
  }
}

extension TornObject: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
