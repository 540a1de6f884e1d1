/// A camera or a recording.
public protocol FrameSource: Sendable {
  /// The frames from now on; each call starts a stream of its own, and no stream holds up another.
  func frames() -> AsyncThrowingStream<CapturedFrame, any Error>
}

/// A recording as a camera: frames at their recorded times, or as fast as they are taken.
package struct RecordedFrameSource: FrameSource {
  /// When frames come.
  package enum Pacing: Sendable {
    /// At the distances of their timestamps, the first one at once.
    case timestamps
    /// Whenever the next one is asked for.
    case asFastAsPossible
  }

  private let capture: any CaptureSource
  private let pacing: Pacing
  private let time: any TimeSource
  private let decodingImages: Bool

  /// A source over the usable frames of `capture`.
  package init(
    _ capture: any CaptureSource, pacing: Pacing = .timestamps, time: any TimeSource = SystemTime(),
    decodingImages: Bool = true
  ) {
    self.capture = capture
    self.pacing = pacing
    self.time = time
    self.decodingImages = decodingImages
  }

  /// The recording from its first frame; ends with `CaptureError` at a frame that cannot be read.
  package func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
    let position = Position(start: time.now)
    return AsyncThrowingStream { try await next(position) }
  }

  private actor Position {
    let start: Duration
    private var next = 0

    init(start: Duration) { self.start = start }

    func take() -> Int {
      defer { next += 1 }
      return next
    }
  }

  private func next(_ position: Position) async throws -> CapturedFrame? {
    let index = await position.take()
    guard index < capture.frames.count else { return nil }
    let frame = try capture.frame(at: index, decodingImage: decodingImages)
    if pacing == .timestamps {
      let offset = capture.frames[index].timestamp - capture.frames[0].timestamp
      let due = position.start + .nearest(seconds: min(max(offset, 0), Self.longestRecording))
      try await time.sleep(for: max(due - time.now, .zero))
    }
    return frame
  }

  /// Seconds; later timestamps count as this.
  private static let longestRecording = 86_400.0
}
