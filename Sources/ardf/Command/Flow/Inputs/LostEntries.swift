import AppCore
import FileFormats

/// Pictures and frames in a source's folder that cannot be opened: their names are not UTF-8, or are links that lead
/// nowhere.
///
/// They count as bad inputs in every command.
enum LostEntries {
  /// The entries, by their paths, and why.
  static func of(_ source: any CaptureSource) -> [SkippedFrame] {
    source.skipped.filter { entry in
      guard source.layout == .images else { return entry.isUnnamed }
      return hasPictureEnding(entry.name) && pathKind("\(source.path)/\(entry.name)") != .folder
    }.map { SkippedFrame(name: "\(source.path)/\($0.name)", reason: $0.reason) }
  }
}

extension LeftOutInputs {
  /// Leaves out what a source's folder holds that may be a frame and cannot be opened, and pictures of kinds that are not
  /// read.
  ///
  /// - Returns: how many entries cannot be opened.
  @discardableResult
  mutating func add(lostOf source: any CaptureSource) -> Int {
    let lost = LostEntries.of(source)
    for entry in lost { add(entry.name, of: source.path, reason: entry.reason) }
    add(unread: UnreadPictures.names(of: source), of: source.path)
    return lost.count
  }
}
