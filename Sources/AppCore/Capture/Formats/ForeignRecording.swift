import FileFormats

/// Recordings that are known by their first bytes and not read.
enum ForeignRecording {
  private static let marks: [(text: String, layout: CaptureError.ForeignLayout)] = [
    ("#ROSBAG V", .ros1Bag), ("SQLite format 3\0", .rtabMapDatabase),
  ]

  /// Whether a file of that name is one of rosbag2 that was compressed as a whole.
  static func isCompressedBag(_ name: String) -> Bool {
    BagRecording.endings.contains { hasEnding(name, $0 + ".zstd") }
  }

  /// The layout of a file; nil for any other, and for one that cannot be read.
  static func layout(of path: String) -> CaptureError.ForeignLayout? {
    if isCompressedBag(path) { return .compressedBag }
    guard pathKind(path) == .file, let bytes = try? FileBytes(path: path) else { return nil }
    return marks.first { mark in
      let text = Array(mark.text.utf8)
      return bytes.count >= text.count && bytes.slice(0..<text.count).array() == text
    }?.layout
  }
}

/// A recording of Spectacular AI's SDK: `data.jsonl`, `calibration.json` and videos, without the poses that its tools compute
/// (spectacularai.github.io/docs/sdk/recording.html).
enum SpectacularAI {
  private static let marks = ["data.jsonl", "calibration.json"]

  static func recognizes(_ folder: CaptureFolder) -> Bool { marks.allSatisfy(folder.hasPlainFile) }
}
