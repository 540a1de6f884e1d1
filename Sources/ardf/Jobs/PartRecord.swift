import Digests
import FileFormats

/// The results of one frame: a line of a part, the same bytes wherever and whenever it is made.
package struct PartRecord: Sendable {
  package static let schema = "ardf.record/1"
  /// Bytes that a record may have: masks of a large picture.
  package static let longest = 64 << 20

  /// Why a frame has no results.
  package struct Failure: Equatable, Sendable {
    /// A word by which failures are counted.
    package let kind: String
    /// One line.
    package let reason: String

    package init(kind: String, reason: String) {
      self.kind = kind
      self.reason = reason
    }
  }

  package let position: FramePosition
  /// The capture, by the name that the manifest gives it.
  package let id: String
  /// Frames of the capture.
  package let frames: Int
  /// SHA-256 of all that the results depend on: the frame, the weights, the options.
  package let digest: String
  /// SHA-256 of what all records of a job share of that: weights and options.
  package let settings: String
  package let failure: Failure?
  /// All other fields, by name.
  package let content: NameTable<JSONValue>

  package init(
    position: FramePosition, id: String, frames: Int, digest: String, settings: String,
    failure: Failure? = nil,
    content: NameTable<JSONValue>
  ) {
    self.position = position
    self.id = id
    self.frames = frames
    self.digest = digest
    self.settings = settings
    self.failure = failure
    self.content = content
  }

  /// The line with its end.
  ///
  /// Its first field is the position, so that lines sort as frames do.
  package var line: [UInt8] {
    var fields = content
    fields["at"] = .string(position.description)
    fields["schema"] = .string(Self.schema)
    fields["id"] = .string(id)
    fields["frames"] = .integer(frames)
    fields["digest"] = .string(digest)
    fields["settings"] = .string(settings)
    fields["error"] = failure.map { .string($0.reason) } ?? .null
    fields["errorKind"] = failure.map { .string($0.kind) } ?? .null
    return Array((JSONValue.object(fields).serialized() + "\n").utf8)
  }

  private static let limits = JSONLimits(bytes: longest)

  /// The record of a line; nil where the line is no whole record.
  package init?(line: [UInt8]) {
    // Most of what is not a record is zeros or the end of one.
    guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"),
      var fields = (try? JSONValue.parse(line, limits: Self.limits))?.object,
      fields.removeValue(forKey: "schema")?.string == Self.schema,
      let position = fields.removeValue(forKey: "at")?.string.flatMap(FramePosition.init),
      let id = fields.removeValue(forKey: "id")?.string,
      let frames = fields.removeValue(forKey: "frames")?.integer(in: 1...FramePosition.mostFrames),
      position.frame < frames,
      let digest = fields.removeValue(forKey: "digest")?.string,
      let settings = fields.removeValue(forKey: "settings")?.string
    else { return nil }
    let reason = fields.removeValue(forKey: "error")?.string
    let kind = fields.removeValue(forKey: "errorKind")?.string
    self.init(
      position: position, id: id, frames: frames, digest: digest, settings: settings,
      failure: reason.map { Failure(kind: kind ?? "unknown", reason: $0) }, content: fields)
  }

  /// A hash of this record's inputs and options.
  package var mark: UInt64 { Self.mark(id: id, digest: digest) }

  package static func mark(id: String, digest: String) -> UInt64 {
    sha256Hex(Array("\(digest) \(id)".utf8)).prefix(16)
      .reduce(UInt64(0)) { $0 << 4 | UInt64($1.hexDigitValue ?? 0) }
  }
}
