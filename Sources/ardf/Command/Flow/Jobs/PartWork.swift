import AppCore
import FileFormats
import Sharding

/// The frames of a shard, one at a time: memory holds no more of a manifest than the current capture, and what tells
/// whether a later one is given again.
struct PartWork {
  /// A frame, or a capture that cannot be opened.
  struct Piece: Sendable {
    let position: FramePosition
    /// The capture's id in records.
    let id: String
    /// The capture as it was given.
    let source: String
    /// Frames of the capture.
    let frames: Int
    let frame: Result<RunFrame, FrameDefect>
  }

  private enum Captures {
    case frames(ArraySlice<RunFrame>)
    case manifest(Manifest, open: (ManifestEntry) throws -> any CaptureSource)
  }

  /// The amount of work for the event log, in frames or in captures of a manifest; nil where it is not known.
  let total: (unit: String, count: Int)?
  private var captures: Captures
  /// The remaining frames of the current capture, in reverse order.
  private var waiting: [Piece] = []

  /// A range of frames listed beforehand.
  init(_ frames: ArraySlice<RunFrame>) {
    captures = .frames(frames)
    total = ("frames", frames.count)
  }

  /// The captures of a manifest that a shard takes.
  ///
  /// - `path`: `-` for standard input.
  /// - `open`: Opens a capture.
  init(manifest path: String, shard: Shard, open: @escaping (ManifestEntry) throws -> any CaptureSource)
    throws
  {
    captures = .manifest(Manifest(try InputPipe.list(path), shard: shard), open: open)
    total =
      pathKind(path) == .file ? ("captures", try Manifest.count(path, shard: shard)) : nil
  }

  /// Says which captures the list gives twice; nil where it gives none.
  var repeats: String? {
    guard case .manifest(let manifest, _) = captures, let first = manifest.firstRepeat else { return nil }
    let isOne = manifest.repeats == 1
    return counted(manifest.repeats, "line gives a capture", "lines give captures")
      + " of the list again, which \(isOne ? "is" : "are") done once: \(first)\(isOne ? "" : ", ...")"
  }

  /// Whether the work is a list that names no captures, for any shard.
  var isOfEmptyList: Bool {
    if case .manifest(let manifest, _) = captures { manifest.count == 0 } else { false }
  }

  /// The next frame; nil at the end.
  mutating func next() throws -> Piece? {
    if let piece = waiting.popLast() { return piece }
    switch captures {
    case .frames(var frames):
      let frame = frames.popFirst()
      captures = .frames(frames)
      return frame.map {
        Piece(
          position: FramePosition(capture: $0.place.source, frame: $0.place.frame), id: $0.source.path,
          source: $0.source.path, frames: $0.siblings, frame: .success($0))
      }
    case .manifest(var manifest, let open):
      // What is known of the list is held once, so that it is changed in place.
      captures = .frames([])
      defer { captures = .manifest(manifest, open: open) }
      guard let capture = try manifest.next() else { return nil }
      waiting = try Self.pieces(of: capture, open)
      return waiting.popLast()
    }
  }

  /// The frames of a capture in reverse order; or its error.
  private static func pieces(
    of capture: Manifest.Capture, _ open: (ManifestEntry) throws -> any CaptureSource
  ) throws -> [Piece] {
    func piece(_ frame: Int, of count: Int, _ entry: ManifestEntry?, _ result: Result<RunFrame, FrameDefect>)
      -> Piece
    {
      Piece(
        position: FramePosition(capture: capture.number, frame: frame), id: entry?.id ?? "",
        source: entry?.path ?? "", frames: count, frame: result)
    }
    switch capture.entry {
    case .failure(let defect):
      return [piece(0, of: 1, nil, .failure(FrameDefect(defect, line: capture.number)))]
    case .success(let entry):
      do {
        let source = try open(entry)
        let count = source.frames.count
        return source.frames.indices.reversed().map { index in
          piece(index, of: count, entry, .success(RunFrame(source: source, index: index, folder: "")))
        }
      } catch {
        guard let defect = FrameDefect(error) else { throw error }
        return [piece(0, of: 1, entry, .failure(defect))]
      }
    }
  }
}
