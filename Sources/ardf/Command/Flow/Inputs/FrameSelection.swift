import FileFormats
import AppCore

/// The frames of a source that a command works on.
struct FrameSelection {
  let source: any CaptureSource
  /// Positions in `source.frames`.
  let indices: [Int]

  /// The frames named, by name or position from 0; all of them if none is named.
  init(
    _ path: String, frames: [String], limits: CaptureLimits = CaptureLimits()
  ) throws {
    try self.init(path, frames: frames) {
      try CaptureReader.open($0, limits: limits, photographs: .exif)
    }
  }

  /// The named frames of the source that `open` gives for a path.
  init(_ path: String, frames: [String], open: (String) throws -> any CaptureSource) throws {
    try MistakenInput.refuseAsSource(path)
    try self.init(open(path), frames: frames)
  }

  /// The frames named, by name or position from 0; all of them if none is named.
  init(_ source: any CaptureSource, frames: [String]) throws {
    self.source = source
    let unit = source.layout == .images ? "file" : "frame"
    for line in SkippedFrame.lines(source.skipped, besides: source.frames.count, unit: unit) {
      Console.note("\(source.path): \(line)")
    }
    for note in source.notes { Console.inform("\(source.path): \(note)") }
    // A frame that is named twice is done once.
    indices =
      frames.isEmpty
      ? Array(source.frames.indices)
      : try Self.positions(of: frames, in: source).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The positions of frames given by name or position from 0.
  static func positions(
    of frames: [String], in source: any CaptureSource, option: String = "--frame"
  ) throws -> [Int] {
    let known = source.frames
    return try frames.map { wanted in
      if let index = known.firstIndex(where: { $0.name == wanted }) { return index }
      if let index = integer(of: wanted, in: 0...known.count - 1) { return index }
      let all =
        known.count == 1
        ? "one frame, \(known[0].name)"
        : "\(counted(known.count, "frame")), \(known[0].name) to \(known[known.count - 1].name)"
      throw CommandError.usage(
        "\(option) \(wanted): \(source.path) has \(all); give a name or a position from 0")
    }
  }

  /// Whether results go into one folder, not into one per frame.
  var isSingle: Bool { indices.count == 1 }

  /// The folder of a frame's results among those of others: its position, five digits.
  static func folderName(_ index: Int) -> String {
    zeroPadded(index, 5)
  }

  /// The name of the only frame, by which other stages' files of it are known; nil for the frame of a native capture of one,
  /// whose name is that of its folder, which may be moved.
  var onlyName: String? {
    source.layout == .native && source.frames.count == 1 ? nil : source.frames[indices[0]].name
  }

  /// The only frame that is selected.
  func onlyFrame() throws -> CapturedFrame {
    guard isSingle else {
      throw CommandError.usage(
        "\(source.path) has \(counted(indices.count, "frame")); choose one with --frame")
    }
    return try source.frame(at: indices[0])
  }
}
