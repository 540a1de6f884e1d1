import AppCore
import FileFormats
import Geometry
import HTTPServing
import Synchronization

/// The pictures of a stream, handed out one at a time.
struct StreamedPictures: Sendable {
  let source: StreamSource
  let rawSize: PixelSize?
  /// Whether only the newest picture is used, and those that arrive during processing are dropped.
  let isLive: Bool
  let limits: CaptureLimits
  /// Number of kept pictures after which the stream ends; nil for no limit.
  let most: Int?
  /// The filter that leaves out pictures in which no object came or went; nil where all are wanted.
  let change: SeenChange?
  /// How long to wait for a picture before the source counts as stalled; nil for ever.
  let stall: Duration?
  /// Whether the source is opened again where it stalls, ends or fails.
  let reconnects: Bool

  /// A picture and when it came.
  struct Arrival: Sendable {
    let picture: StreamedPicture
    /// Live: seconds since the stream was opened.
    ///
    /// Otherwise the presentation time in seconds where the source has one, else the picture's position.
    let time: Double
    /// The time of day at which it arrived; nil for a film.
    let wallClock: String?
    /// Pictures left out since the one before.
    let dropped: Int
  }

  /// Processes pictures until the stream ends or standard output has no reader.
  ///
  /// - Returns: the error of a source that stalled; nil otherwise.
  func forEach(_ work: (Arrival) async throws -> Void) async throws -> CommandError? {
    var count = 0
    return try await arrivals { arrival in
      guard count - (change?.unchanged ?? 0) < most ?? .max else {
        Console.note(
          "\(source.name): stopped after \(counted(count, "picture")); raise --max-frames for more in a folder"
        )
        return false
      }
      count += 1
      try await work(arrival)
      return !StandardStream.output.isClosed
    }
  }

  /// Hands out pictures while `work` returns true, and until a signal ends the stream.
  private func arrivals(_ work: (Arrival) async throws -> Bool) async throws -> CommandError? {
    let dropped = Count()
    let (pictures, inbox) = AsyncThrowingStream.makeStream(
      of: (StreamedPicture, ContinuousClock.Instant, String?).self,
      bufferingPolicy: isLive ? .bufferingNewest(1) : .unbounded)
    // Live, pictures are read as they come; else each when the one before it is done.
    let (requests, asking) = AsyncStream.makeStream(of: Void.self)
    let began = ContinuousClock.now
    let watch = StallWatch(limit: stall)
    Interruption.endFirst { inbox.finish() }
    // Waiting for a picture must keep no thread from the networks, nor a signal from ending the stream.
    let reader = Task(executorPreference: DedicatedExecutor(name: "stream", count: 1)) {
      var asked = requests.makeAsyncIterator()
      var connection = Connection()
      // A picture that was asked for before the source was opened again.
      var isDue = false
      repeat {
        do {
          watch.begin()
          let stream = try open()
          while true {
            watch.end()
            if !isDue { guard await isWanted(&asked) else { return inbox.finish() } }
            isDue = true
            watch.begin()
            guard let picture = try stream.next() else { break }
            watch.end()
            isDue = false
            connection.succeeded()
            switch inbox.yield((connection.numbered(picture), .now, hasTimeOfDay ? WallClock.now : nil)) {
            case .dropped: dropped.add()
            case .terminated: return
            default: break
            }
          }
          watch.end()
          guard reconnects else { return inbox.finish() }
          connection.failed(source.name, watch.hasStalled ? nil : "has ended")
        } catch {
          watch.end()
          guard reconnects else { return inbox.finish(throwing: error) }
          connection.failed(source.name, watch.hasStalled ? nil : "\(error)")
        }
        try? await Task.sleep(for: connection.pause)
      } while !Task.isCancelled
    }
    let watching = Task {
      try await watch.run(source.name, reconnects: reconnects) { inbox.finish() }
    }
    defer { watching.cancel() }
    asking.yield()
    for try await (picture, time, wallClock) in pictures {
      let (seconds, attoseconds) = (time - began).components
      let arrival = Arrival(
        picture: picture,
        time: isLive
          ? Double(seconds) + Double(attoseconds) / 1e18 : picture.time ?? Double(picture.number),
        wallClock: wallClock, dropped: dropped.take())
      guard try await work(arrival) else { break }
      asking.yield()
    }
    asking.finish()
    reader.cancel()
    // The reader's end also ends what it holds (ffmpeg, a file of its messages). A live stream is not waited
    // for, nor one that has stalled: its next picture may never come.
    if !isLive, watch.failure == nil, Interruption.endingSignal == nil { await reader.value }
    return watch.failure
  }

  /// Whether the next picture is to be read.
  private func isWanted(_ asked: inout AsyncStream<Void>.Iterator) async -> Bool {
    isLive ? true : await asked.next() != nil
  }

  /// A counter that one thread increments and another takes and resets.
  private final class Count: Sendable {
    private let value = Mutex(0)

    func add() { value.withLock { $0 += 1 } }

    func take() -> Int {
      value.withLock { value in
        defer { value = 0 }
        return value
      }
    }
  }

  /// Whether pictures have the time of day.
  var hasTimeOfDay: Bool { source.hasTimeOfDay(isLive: isLive) }

  private func open() throws -> PictureStream {
    try PictureStream(source, rawSize: rawSize, isLive: isLive, limits: limits)
  }
}

/// Counts of a stream's pictures by outcome.
struct StreamLog {
  private(set) var done = 0
  private(set) var failed = 0
  private(set) var dropped = 0
  private(set) var unchanged = 0
  private let start = ContinuousClock.now

  /// `isUnchanged`: whether it was left out because its objects did not change.
  mutating func add(_ arrival: StreamedPictures.Arrival, isDone: Bool, isUnchanged: Bool = false) {
    dropped += arrival.dropped
    if isUnchanged { unchanged += 1 }
    if isDone { done += 1 } else { failed += 1 }
  }

  /// The line that closes a stream.
  var line: String {
    let (whole, parts) = (ContinuousClock.now - start).components
    let seconds = Double(whole) + Double(parts) / 1e18
    return
      "\(counted(done, "picture")) in \(decimal(seconds, 1)) s, \(decimal(Double(done) / max(seconds, 1e-3), 2)) a second"
      + (unchanged > 0 ? "; \(unchanged) in which nothing came or went" : "")
      + (dropped > 0 ? "; \(dropped) left out" : "") + (failed > 0 ? "; \(failed) damaged" : "")
  }

  /// Ends like a run of captures: damaged pictures are reported, and at least one must be intact; a signal
  /// that ended the stream ends the process too.
  ///
  /// - `stalled`: the error of a source that stalled; results so far are kept.
  func finish(_ name: String, stalled: CommandError?) throws {
    Console.inform(line)
    if let stalled { throw stalled }
    if let signal = Interruption.endingSignal {
      Console.note(
        "\(name): ended by a signal after \(counted(done + failed, "picture")); what was done is kept")
      throw EndedBySignal(signal: signal)
    }
    if failed > 0 {
      throw CommandError.input("\(name): \(failed) of \(counted(done + failed, "picture")) could not be read")
    }
    guard done > 0 || StandardStream.output.isClosed else {
      throw CommandError.input("\(name): holds no picture")
    }
  }
}

/// Bytes of a stream that make no picture.
struct DamagedPicture: Error, CustomStringConvertible {
  let stream: String
  let number: Int
  let reason: String

  var description: String { "\(stream), picture \(number): left out: \(reason)" }
}

extension StreamedPictures.Arrival {
  /// The picture as the only frame of a source.
  func source(of stream: StreamSource, camera: PhotographCamera) throws(DamagedPicture) -> StreamedFrame {
    func damaged(_ reason: String) -> DamagedPicture {
      DamagedPicture(stream: stream.name, number: picture.number, reason: reason)
    }
    switch picture.content {
    case .damaged(let reason): throw damaged(reason)
    case .picture(let image, let orientation, let focalLength):
      do throws(CaptureError) {
        return try StreamedFrame(
          image, orientation, focalLengthIn35mmFilm: focalLength, number: picture.number, time: time,
          of: stream.name, camera: camera)
      } catch {
        throw damaged("\(error)")
      }
    }
  }

  /// The picture as a captured frame.
  func frame(of stream: StreamSource, camera: PhotographCamera) throws(DamagedPicture) -> CapturedFrame {
    let source = try source(of: stream, camera: camera)
    do throws(CaptureError) {
      return try source.frame(at: 0)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension DamagedPicture: ClassifiedError {
  /// The kind of fault.
  var fault: Fault { .malformedInput }
}
