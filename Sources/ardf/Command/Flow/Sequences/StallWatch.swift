import AppCore
import FileFormats
import Synchronization

/// Measures how long a picture of a camera or an address is awaited.
final class StallWatch: Sendable {
  private struct State {
    var since: ContinuousClock.Instant?
    var hasStalled = false
    var failure: CommandError?
  }

  private let limit: Duration?
  private let state = Mutex(State())

  /// - `limit`: how long a picture may take; nil for ever.
  init(limit: Duration?) { self.limit = limit }

  /// Starts waiting for a picture.
  func begin() { state.withLock { ($0.since, $0.hasStalled) = (.now, false) } }

  /// Stops waiting.
  func end() { state.withLock { $0.since = nil } }

  /// Whether the last picture did not arrive in time.
  var hasStalled: Bool { state.withLock { $0.hasStalled } }

  /// The error of a source that has stalled and is not opened again.
  var failure: CommandError? { state.withLock { $0.failure } }

  /// Watches until the task is cancelled.
  ///
  /// When the source stalls, it ends `ffmpeg`, so that the reader opens the source again, or the whole stream.
  ///
  /// - `reconnects`: whether only `ffmpeg` is ended.
  /// - `end`: called to end the stream; `failure` then holds the error.
  func run(_ name: String, reconnects: Bool, end: () -> Void) async throws {
    guard let limit else { return }
    let seconds = decimal(limit / .seconds(1), 1)
    while true {
      try await Task.sleep(for: min(limit / 4, .milliseconds(250)))
      let isLate = state.withLock { state in
        guard let since = state.since, ContinuousClock.now - since > limit else { return false }
        (state.since, state.hasStalled) = (nil, true)
        return true
      }
      guard isLate else { continue }
      guard reconnects else {
        let failure = CommandError.stalled(
          "\(name): no picture for \(seconds) s; check the camera and the network, give --reconnect to open it again, or "
            + "--stall to wait longer")
        state.withLock { $0.failure = failure }
        return end()
      }
      Console.note("\(name): no picture for \(seconds) s: connecting again")
      ChildProcess.endAll()
    }
  }
}

/// The state of a source that is opened repeatedly.
struct Connection {
  private static let (shortest, longest) = (Duration.milliseconds(500), Duration.seconds(30))

  /// The wait before the next attempt, which grows with each attempt without a picture.
  private(set) var pause = shortest
  private var pictures = 0
  private var begin: ContinuousClock.Instant?
  /// Seconds from the stream's beginning to that of the source as it was opened last.
  private var offset = 0.0
  private var isOpenedAgain = false
  /// The last message since the last picture, so that no message is repeated at every attempt.
  private var told: String?

  /// Records that a picture arrived.
  mutating func succeeded() { (pause, told) = (Self.shortest, nil) }

  /// A picture with its number and its time among all, however often the source was opened.
  mutating func numbered(_ picture: StreamedPicture) -> StreamedPicture {
    defer { pictures += 1 }
    let start = begin ?? .now
    begin = start
    if isOpenedAgain, let time = picture.time {
      offset = (ContinuousClock.now - start) / .seconds(1) - time
      isOpenedAgain = false
    }
    return StreamedPicture(
      number: pictures, content: picture.content, time: picture.time.map { $0 + offset })
  }

  /// Records that opening the source failed, or that it ended.
  ///
  /// - `reason`: nil where it was reported before.
  mutating func failed(_ name: String, _ reason: String?) {
    isOpenedAgain = pictures > 0
    if let reason, reason != told {
      told = reason
      Console.note("\(reason.contains(name) ? reason : "\(name): \(reason)"): connecting again")
    }
    pause = min(pause * 2, Self.longest)
  }
}
