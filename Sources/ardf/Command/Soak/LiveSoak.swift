import AppCore
import FileFormats
import Geometry
import Imaging
import Synchronization

/// The live loop on one picture, at 60 frames a second of a virtual clock.
struct LiveSoak: Sendable {
  let picture: RGBImage
  let detector: any Detector

  /// Runs a session to its end.
  func run(frames: Int) async throws -> (watch: ResourceWatch, defect: String?) {
    let clock = FrameClock()
    let screen = SoakScreen(watch: ResourceWatch(rounds: frames))
    let report = try await session(frames: frames, clock: clock, screen: screen).run()
    let figures = report.snapshot
    var defect = balance(report)
    if figures.framesSeen != frames {
      defect = "\(counted(figures.framesSeen, "frame was", "frames were")) seen"
    }
    if figures.framesShown + figures.framesDropped + figures.framesPaced != frames {
      defect = "frames got lost: \(figures.framesShown) shown, \(figures.framesDropped) dropped"
    }
    if figures.detections == 0 { defect = "nothing was ever detected" }
    return (screen.watch, defect)
  }

  /// Cancels a session after a while; the names of resources that it did not return.
  func cancelled(after delay: Duration) async throws -> String? {
    let session = session(
      frames: .max, clock: FrameClock(), screen: SoakScreen(watch: ResourceWatch(rounds: 1)))
    let run = Task { try await session.run() }
    try await Task.sleep(for: delay)
    run.cancel()
    do {
      return balance(try await run.value)
    } catch is CancellationError {
      return nil
    }
  }

  private func balance(_ report: LiveReport) -> String? {
    guard report.gate.inFlight == 0 else {
      return "\(counted(report.gate.inFlight, "permit was", "permits were")) not given back"
    }
    guard report.pool.lent == 0, report.pool.leaked == 0 else { return "a buffer was not given back" }
    return nil
  }

  private func session(frames: Int, clock: FrameClock, screen: SoakScreen) -> LiveSession {
    LiveSession(
      source: RepeatedPicture(picture: picture, count: frames, clock: clock), sink: screen,
      detector: detector,
      surroundings: LiveSurroundings(time: clock, memory: ScriptedMemory()))
  }
}

/// A virtual clock that a camera advances frame by frame; waiting on it returns at once.
private final class FrameClock: TimeSource {
  private static let frame = Duration.milliseconds(17)
  private let frames = Mutex(0)

  var now: Duration { Self.frame * frames.withLock { $0 } }
  func sleep(for duration: Duration) async throws { try Task.checkCancellation() }

  /// The number of the frame that begins, from 1.
  func advance() -> Int {
    frames.withLock { frames in
      frames += 1
      return frames
    }
  }
}

private struct RepeatedPicture: FrameSource {
  let picture: RGBImage
  let count: Int
  let clock: FrameClock

  func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
    AsyncThrowingStream {
      let number = clock.advance()
      guard number <= count else { return nil }
      try Task.checkCancellation()
      // Lets the other parts of the loop have their turn.
      await Task.yield()
      return CapturedFrame(name: "\(number)", image: picture, imageSize: picture.size)
    }
  }
}

/// A screen that only counts frames.
private final class SoakScreen: RenderSink {
  private let counted: Mutex<ResourceWatch>

  init(watch: ResourceWatch) { counted = Mutex(watch) }

  var watch: ResourceWatch { counted.withLock { $0 } }

  func present(_ frame: CapturedFrame, state: LiveSnapshot) async throws {
    counted.withLock { $0.roundEnded() }
  }
}

extension RGBImage {
  /// Width and height.
  var size: PixelSize { PixelSize(width: width, height: height) }
}
