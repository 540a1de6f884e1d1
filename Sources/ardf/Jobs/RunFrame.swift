import AppCore
import FileFormats
import Reporting

/// One frame of a run: where it comes from and where its results go.
package struct RunFrame: Sendable {
  package let source: any CaptureSource
  /// Position in the source.
  package let index: Int
  /// Folder of its results below `--out`; empty for the only frame.
  package let folder: String
  /// Its source among all sources, and the frame among those of the source that are wanted, both from 0.
  package let place: (source: Int, frame: Int)
  /// How many of its source are wanted.
  package let siblings: Int
  /// The picture's id in lists of results; no two frames of a run share one.
  package private(set) var pictureId: JSONValue

  package init(
    source: any CaptureSource, index: Int, folder: String, place: (source: Int, frame: Int) = (0, 0),
    siblings: Int = 1
  ) {
    self.source = source
    self.index = index
    self.folder = folder
    self.place = place
    self.siblings = siblings
    pictureId = FileFormats.pictureId(source.frames[index].name)
  }

  /// A picture of a stream that cannot be read, and has no results.
  package init(damaged name: String, of stream: StreamSource, at time: Double) {
    self.init(source: StreamedFrame(damaged: name, of: stream.name, at: time), index: 0, folder: "")
  }

  package var reference: FrameReference { source.frames[index] }

  /// The same frames, each called by an id of its own (`pictureIds`).
  package static func identified(_ frames: [RunFrame]) -> [RunFrame] {
    let isOneSource = frames.allSatisfy { $0.place.source == frames[0].place.source }
    let paths = frames.map { frame in
      let (name, path) = (frame.reference.name, frame.source.path)
      if isOneSource { return name }
      return frame.source.frames.count == 1 && lastComponent(path).isSameName(as: name)
        ? path : "\(path)/\(name)"
    }
    return zip(frames, pictureIds(frames.map(\.reference.name), paths: paths)).map { frame, id in
      var frame = frame
      frame.pictureId = id
      return frame
    }
  }

  /// The page over all frames, seen from this one's folder; nil for the only frame.
  package var indexPage: String? {
    guard !folder.isEmpty else { return nil }
    return folder.split(separator: "/").map { _ in "../" }.joined() + RunIndexPage.file
  }

  /// The folder that holds its folder and those of its source's other frames; nil where that is `--out` itself.
  package var label: String? { folder.lastIndex(of: "/").map { String(folder[..<$0]) } }
}
