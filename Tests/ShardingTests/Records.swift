import FileFormats
import Foundation
import Sharding

/// Made-up records.
enum Records {
  static let settings = String(repeating: "a", count: 64)

  static func record(
    _ capture: Int, frame: Int = 0, frames: Int = 1, digest: String = "d", settings: String = Self.settings,
    failure: PartRecord.Failure? = nil
  ) -> PartRecord {
    PartRecord(
      position: FramePosition(capture: capture, frame: frame), id: "photo \(capture)", frames: frames,
      digest: digest, settings: settings, failure: failure,
      content: ["summary": ["objects": [.integer(capture)]]])
  }

  static func text(_ records: [PartRecord]) -> String {
    String(decoding: records.flatMap(\.line), as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  static func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
