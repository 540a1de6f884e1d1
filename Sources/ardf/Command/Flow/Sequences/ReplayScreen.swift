import AppCore
import FileFormats
import Geometry
import Imaging
import OutputFolders
import Synchronization

/// The output of a replay besides its figures.
struct ReplayOutput: Sendable {
  /// How every frame is written.
  enum Pictures: String, CaseIterable, Sendable {
    case jpeg, png, none
  }

  let pictures: Pictures
  /// Whether there is a film of them.
  let hasVideo: Bool
  /// The ffmpeg that makes it; nil for the first in `$PATH`.
  let ffmpeg: String?
}

/// The screen of a replay: composes every frame and writes it.
final class ReplayScreen: RenderSink {
  /// One frame that was shown.
  struct Shown: Sendable {
    let name: String
    let timestamp: Double
    let file: String?
    /// Time to draw it, writing it not counted.
    let drawing: Duration
    let drift: [AnchorDrift?]
    /// Noise of the depth between the frame of each placement and this one.
    let noise: [Double?]
  }

  private struct State {
    var shown: [Shown] = []
    var writing = Duration.zero
    var video: VideoWriter?
    var failure: (any Error)?
    var references: NameTable<CapturedFrame> = [:]
  }

  private let director: LiveDirector
  private let folder: OutputFolder?
  private let output: ReplayOutput
  private let videoPath: String?
  private let framesPerSecond: Double
  private let ffmpeg: FFmpeg?
  private let measuresDrift: Bool
  private let compositor = LiveViewCompositor()
  private let state = Mutex(State())

  init(
    director: LiveDirector, folder: OutputFolder?, output: ReplayOutput, framesPerSecond: Double,
    measuresDrift: Bool
  ) throws {
    self.director = director
    self.folder = folder
    self.output = output
    self.framesPerSecond = framesPerSecond
    self.measuresDrift = measuresDrift
    ffmpeg = output.hasVideo && folder != nil ? try FFmpeg(path: output.ffmpeg) : nil
    videoPath = ffmpeg == nil ? nil : folder?.path("replay.mp4")
  }

  var shown: [Shown] { state.withLock(\.shown) }
  var writing: Duration { state.withLock(\.writing) }

  func present(_ frame: CapturedFrame, state live: LiveSnapshot) async throws {
    // The command ends with the first failure; errors that follow from it are not reported.
    if state.withLock({ $0.failure != nil }) { throw CancellationError() }
    let clock = ContinuousClock()
    let start = clock.now
    let overlay = try await director.overlay(for: frame, state: live)
    guard let picture = await compositor.compose(frame, overlay) else {
      throw CommandError.input("\(frame.name): the frame has no picture")
    }
    let drawn = clock.now
    let number = state.withLock(\.shown.count)
    let file: String?
    do {
      file = try write(picture, number: number)
    } catch {
      // What cannot be written now cannot be written later: the command ends with this.
      state.withLock { $0.failure = $0.failure ?? error }
      throw error
    }
    let measured = measuresDrift ? await drift(in: frame) : []
    state.withLock { state in
      state.shown.append(
        Shown(
          name: frame.name, timestamp: frame.timestamp, file: file, drawing: drawn - start,
          drift: measured.map(\.0), noise: measured.map(\.1)))
      state.writing += clock.now - drawn
    }
  }

  /// Ends the film; fails with the first picture that could not be written.
  func finish() throws {
    try state.withLock { state in
      defer { state.video = nil }
      if let failure = state.failure {
        state.video?.abandon()
        throw failure
      }
      try state.video?.finish()
    }
  }

  private func write(_ picture: RGBImage, number: Int) throws -> String? {
    guard let folder else { return nil }
    if let videoPath, let ffmpeg {
      try state.withLock { state in
        if state.video == nil {
          state.video = try VideoWriter(
            path: videoPath, size: picture.size, framesPerSecond: framesPerSecond, ffmpeg: ffmpeg)
        }
        try state.video?.add(picture)
      }
    }
    let stem = "frames/\(FrameSelection.folderName(number))"
    switch output.pictures {
    case .none: return nil
    case .png:
      try folder.write(ImageCodec.encodePNG(picture), to: "\(stem).png")
      return "\(stem).png"
    case .jpeg:
      try folder.write(ImageCodec.encodeJPEG(picture, quality: 90), to: "\(stem).jpg")
      return "\(stem).jpg"
    }
  }

  /// Each placement's drift in this frame, and the noise of the depth since its own frame.
  private func drift(in frame: CapturedFrame) async -> [(AnchorDrift?, Double?)] {
    let placements = await director.placements
    return placements.map { placement in
      if placement.frame == frame.name {
        state.withLock { $0.references[frame.name] = frame }
        return (nil, nil)
      }
      let origin = state.withLock { $0.references[placement.frame] }
      let noise = origin.flatMap { Reprojection(from: $0, to: frame)?.medianError }
      return (placement.reference?.drift(in: frame), noise)
    }
  }
}
