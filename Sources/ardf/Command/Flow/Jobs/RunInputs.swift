import AppCore
import FileFormats
import OutputFolders
import Sharding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The frames of all sources that `run` was given, in order.
struct RunInputs {
  let frames: [RunFrame]
  /// The paths that are read: as given, and as found there.
  let paths: [String]
  /// Pictures in folders whose format is not supported.
  private let unread: [String]
  /// Entries of folders that may be pictures or captures and cannot be opened, with the reason.
  let lost: [String]
  /// Files and folders among several sources that are neither picture nor capture.
  let leftOut: [SkippedFrame]

  /// A stream, whose pictures have not arrived yet.
  init(stream: StreamSource) {
    (frames, unread, lost, leftOut) = ([], [], [], [])
    if case .film(let path) = stream { paths = [path] } else { paths = [] }
  }

  /// Opens each source: a picture, a capture, a sequence, a folder of them, or a pattern for any of these.
  ///
  /// One of several sources that cannot be opened stands as a frame that cannot be read; what is neither a picture nor a
  /// capture is left out, as it is of a folder.
  ///
  /// `names`: Only these frames, by name or position; of one source.
  init(_ paths: [String], names: [String], open: (String) throws -> any CaptureSource) throws {
    let expanded = try paths.flatMap(Self.expand)
    if expanded.count == 1 { try MistakenInput.refuseAsSource(expanded[0]) }
    let given = GivenSources(expanded, open: open)
    var beside = Beside()
    beside.unread = given.unread
    var others = given.others
    let opened = try given.kept.flatMap { path in
      guard given.areSeveral else { return try Self.sources(path, &beside, open) }
      do {
        return try UnopenedSource.standingIn(for: path) { try Self.sources(path, &beside, open) }
      } catch CaptureError.unrecognizedLayout, CaptureError.archive(_, .nothing) {
        others.append(path)
        return []
      }
    }
    try Self.tell(others, unread: given.unread, isAnyLeft: !opened.isEmpty)
    leftOut =
      others.map { SkippedFrame(name: $0, reason: Self.notASource) }
      + given.unread.map { SkippedFrame(name: $0, reason: UnreadPictures.reason($0)) }
    let sources = DistinctSources(opened).kept
    unread = beside.unread + sources.flatMap(UnreadPictures.names)
    lost = beside.lost + sources.flatMap(LostEntries.of).map { "\($0.name) (\($0.reason))" }
    if let first = sources.first as? UnopenedSource, sources.allSatisfy({ $0 is UnopenedSource }) {
      throw first.error
    }
    let known = NameSet(expanded)
    self.paths = expanded + sources.map(\.path).filter { !known.contains($0) }
    guard names.isEmpty || sources.count == 1 else {
      throw CommandError.usage(
        "--frame chooses frames of one SOURCE, there are \(sources.count); leave it out")
    }
    let selections = try sources.map { try FrameSelection($0, frames: names) }
    let count = selections.reduce(0) { $0 + $1.indices.count }
    let labels = sources.count == 1 ? [""] : Self.labels(of: sources)
    let frames = zip(selections, labels).enumerated().flatMap { source, item in
      let (selection, label) = item
      let names = Self.frameFolders(of: selection.source)
      return selection.indices.enumerated().map { place, index in
        let number = selection.isSingle && !label.isEmpty ? "" : names[index]
        let folder = count == 1 ? "" : [label, number].filter { !$0.isEmpty }.joined(separator: "/")
        return RunFrame(
          source: selection.source, index: index, folder: folder, place: (source, place),
          siblings: selection.indices.count)
      }
    }
    self.frames = RunFrame.identified(frames)
  }

  /// Reports what could not be opened, and the pictures of unsupported formats; call it after the others are done.
  ///
  /// - Throws: `CommandError.input` where some cannot be opened, `.overBudget` where some are of a kind that is not read.
  func checkAllRead() throws {
    guard lost.isEmpty else {
      throw CommandError.input(
        "\(counted(lost.count, "entry", "entries")) could not be opened; the others are done: "
          + lost.prefix(Self.mostNamed).joined(separator: ", ") + (lost.count > Self.mostNamed ? ", ..." : "")
      )
    }
    try UnreadPictures.check(unread)
  }

  private static let mostNamed = 20
  private static let notASource = "neither a picture that is read nor a capture"

  /// Names what is left out of several sources.
  ///
  /// - Throws: `CommandError.input` where nothing is left.
  private static func tell(_ others: [String], unread: [String], isAnyLeft: Bool) throws {
    guard isAnyLeft else {
      let all = others + unread
      throw CommandError.input(
        "none of \(counted(all.count, "file or folder", "files and folders")) is a picture that is read "
          + "(\(pictureFormats)) or a capture: nothing was done; \(FileKinds(all).sentence)")
    }
    guard !others.isEmpty else { return }
    Console.note(
      "left out \(counted(others.count, "file or folder that is", "files and folders that are")) no picture "
        + "(\(pictureFormats)) and no known capture: "
        + others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", ..." : ""))
  }

  /// Entries of folders beside sources.
  private struct Beside {
    /// Pictures of a kind that is not read.
    var unread: [String] = []
    /// Entries that cannot be opened, with the reason.
    var lost: [String] = []
  }

  /// Whether results go into one folder, not into one per frame.
  var isSingle: Bool { frames.count == 1 && frames[0].folder.isEmpty }

  private static func expand(_ path: String) throws -> [String] {
    guard PathPattern.isPattern(path), !FileManager.default.fileExists(atPath: path) else { return [path] }
    let paths = PathPattern.paths(matching: path)
    guard !paths.isEmpty else { throw CommandError.missing("\(path): no file or folder has such a name") }
    return paths
  }

  /// The source at a path; for a folder that is not a source itself or holds several, the sources directly in it.
  ///
  /// - `beside`: gets what else is there that may be a picture or a capture.
  private static func sources(
    _ path: String, _ beside: inout Beside, _ open: (String) throws -> any CaptureSource
  ) throws -> [any CaptureSource] {
    do {
      return [try open(path)]
    } catch CaptureError.unrecognizedLayout(let folder) where folder == path {
      return try contained(in: path, &beside, open)
    } catch CaptureError.severalCaptures(let folder, _) where folder == path {
      return try contained(in: path, &beside, open)
    }
  }

  private static func contained(
    in path: String, _ beside: inout Beside, _ open: (String) throws -> any CaptureSource
  ) throws -> [any CaptureSource] {
    let names = try folderNames(of: path).filter { !$0.startsWithBytes(of: ".") }
    var sources: [any CaptureSource] = []
    // Kinds that are not read, and captures of others' making.
    var unread = try namesThatAreNotText(in: path)
    let unnamed = unread.filter { name in
      !name.hasPrefix(".")
        && (hasPictureEnding(name) || CaptureReader.isSourceFile(name) || !name.contains("."))
    }
    for name in names {
      let inner = "\(path)/\(name)"
      guard pathKind(inner) == .folder || CaptureReader.isSourceFile(name) else {
        unread.append(name)
        continue
      }
      do {
        sources += try UnopenedSource.standingIn(for: inner) { [try open(inner)] }
      } catch CaptureError.unrecognizedLayout, CaptureError.archive(_, .nothing) {
        unread.append(name)
      }
    }
    guard !sources.isEmpty else { throw CaptureError.unrecognizedLayout(path: path) }
    // Beside captures a picture is a preview.
    if sources.contains(where: { $0.layout == .images }) {
      beside.unread += unread.filter(hasUnreadPictureEnding).map { "\(path)/\($0)" }
    }
    beside.lost += unnamed.map { "\(path)/\($0) (\(SkippedFrame.notText))" }
    if !unread.isEmpty {
      Console.note(
        "\(path): left out \(counted(unread.count, "file or folder that is", "files and folders that are")) no picture (\(pictureFormats)) and no known capture: "
          + unread.prefix(5).joined(separator: ", ") + (unread.count > 5 ? ", ..." : ""))
    }
    return sources
  }

  /// A folder's name for each frame of a source: a picture's own without its ending, numbered where taken; else the
  /// frame's position.
  private static func frameFolders(of source: any CaptureSource) -> [String] {
    guard source.layout == .images else { return source.frames.indices.map(FrameSelection.folderName) }
    var names = ResultNames()
    return source.frames.enumerated().map { index, frame in
      names.taking(
        fileStem(frame.name, endings: pictureEndings), position: FrameSelection.folderName(index))
    }
  }

  /// A folder's name for each source: its last component without a picture's ending, numbered where taken.
  private static func labels(of sources: [any CaptureSource]) -> [String] {
    var names = ResultNames()
    return sources.enumerated().map { index, source in
      let url = URL(filePath: source.path).standardizedFileURL
      let isPicture = source.layout == .images && source.frames.count == 1
      return names.taking(
        isPicture ? fileStem(url.path, endings: pictureEndings) : lastComponent(url.path),
        position: FrameSelection.folderName(index))
    }
  }
}
