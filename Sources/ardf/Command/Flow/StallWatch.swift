import AppCore
import FileFormats
import Synchronization

/// Watches how long a picture of a camera or an address is waited for.
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

  /// A picture is waited for from now on.
  func begin() { state.withLock { ($0.since, $0.hasStalled) = (.now, false) } }

  /// None is waited for.
  func end() { state.withLock { $0.since = nil } }

  /// Whether the picture that was waited for last did not come in time.
  var hasStalled: Bool { state.withLock { $0.hasStalled } }

  /// The error of a source that has stalled and is not opened again.
  var failure: CommandError? { state.withLock { $0.failure } }

  /// Looks until the task is cancelled, and says so where the source stalls: that ends what reads it, to be opened again,
  /// or all.
  ///
  /// - `reconnects`: ends `ffmpeg`, which the reader then finds.
  /// - `end`: called where all ends; `failure` says why.
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

/// A source that is opened again and again.
struct Connection {
  private static let (shortest, longest) = (Duration.milliseconds(500), Duration.seconds(30))

  /// How long to wait before the next attempt: longer with each that gave no picture.
  private(set) var pause = shortest
  private var pictures = 0
  private var begin: ContinuousClock.Instant?
  /// Seconds from the stream's beginning to that of the source as it was opened last.
  private var offset = 0.0
  private var isOpenedAgain = false
  /// The last message since the last picture, so that no message is repeated at every attempt.
  private var told: String?

  /// A picture came.
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

  /// The source was opened in vain, or has ended.
  ///
  /// - `reason`: nil where it was told already.
  mutating func failed(_ name: String, _ reason: String?) {
    isOpenedAgain = pictures > 0
    if let reason, reason != told {
      told = reason
      Console.note("\(reason.contains(name) ? reason : "\(name): \(reason)"): connecting again")
    }
    pause = min(pause * 2, Self.longest)
  }
}
