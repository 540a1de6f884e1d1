/// A camera or a recording.
public protocol FrameSource: Sendable {
  /// The frames from now on; each call starts a stream of its own, and no stream holds up another.
  func frames() -> AsyncThrowingStream<CapturedFrame, any Error>
}
