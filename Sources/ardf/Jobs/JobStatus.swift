import FileFormats

/// How far a job is, by the parts and event logs of all its shards.
package struct JobStatus: Sendable {
  /// A shard as its files tell it.
  package struct Progress: Sendable {
    package let shard: Shard
    package var frames = 0
    /// Captures of which every frame has a record.
    package var captures = 0
    /// The amount of work, where a process has counted it: captures of a manifest, or frames.
    package var total: Int?
    fileprivate var countsFrames = false
    /// The finished part of `total`.
    package var countedDone: Int { countsFrames ? frames : captures }
    /// The unfinished part of `total`; 0 where the total is not known.
    package var left: Int { max(0, (total ?? 0) - countedDone) }
    /// Processes that took it up.
    package var attempts = 0
    /// How the last of them ended: an exit code, or nil if it runs or was killed.
    package var status: Int?
    package var lastTime: Double?
  }

  package struct SlowFrame: Sendable {
    package let position: FramePosition
    package let id: String
    package let seconds: Double
  }

  /// A frame without results.
  package struct FailedFrame: Sendable {
    package let position: FramePosition
    package let id: String
    package let failure: PartRecord.Failure
  }

  /// Seconds that the present rate is taken over.
  static let window = 600.0
  /// Captures or frames that a shard may have to do: with more, nothing is known of what is left.
  static let mostWork = 1_000_000_000_000
  /// Seconds that a frame may have taken: a year.
  static let longest = 31_536_000.0
  static let listed = 5

  package private(set) var shards: [Progress] = []
  package private(set) var missing: [Shard] = []
  package private(set) var done = 0
  package private(set) var failed = 0
  /// Failures by kind.
  package private(set) var kinds: [String: Int] = [:]
  /// Frames that failed, in order.
  package private(set) var failures: [FailedFrame] = []
  /// Frames whose networks were started more than once: in work when a process ended, or of other options.
  package private(set) var repeated = 0
  package private(set) var slowest: [SlowFrame] = []
  package private(set) var damage = PartDamage()
  /// Frames a second over the last minutes of work.
  package private(set) var rate: Double?

  /// Finished and total work, in captures of a manifest or in frames; nil where a shard that has not begun, or has
  /// counted nothing, makes it unknown.
  package var progress: (done: Int, total: Int)? {
    let totals = shards.map(\.total)
    guard missing.isEmpty, !totals.isEmpty, !totals.contains(nil) else { return nil }
    return (shards.reduce(0) { $0 + $1.countedDone }, totals.reduce(0) { $0 + ($1 ?? 0) })
  }

  /// Seconds until the end at the present rate.
  package var secondsLeft: Double? {
    guard let progress, let rate, rate > 0, progress.done > 0 else { return nil }
    let frames = Double(done + failed) / Double(progress.done) * Double(progress.total - progress.done)
    return max(0, frames) / rate
  }

  /// - Throws: `MergeError.noParts`, `TornObject`, `LineReader.Failure`, `FileError`.
  package init(of folder: String) throws {
    let names = try folderNames(of: folder)
    let parts = PartName.names(of: .part, among: names)
    let logs = PartName.names(of: .events, among: names)
    guard !parts.isEmpty || !logs.isEmpty else { throw MergeError.noParts(folder: folder) }
    missing = MergedParts.missingShards(parts)
    var byShard: [Shard: [PartName]] = Dictionary(grouping: parts, by: \.shard)
    for log in logs where byShard[log.shard] == nil { byShard[log.shard] = [] }
    var finished: [Double] = []
    for shard in byShard.keys.sorted(by: { ($0.count, $0.number) < ($1.count, $1.number) }) {
      var progress = Progress(shard: shard)
      try count(byShard[shard] ?? [], in: folder, &progress)
      for log in logs where log.shard == shard { try read("\(folder)/\(log)", &progress, &finished) }
      shards.append(progress)
    }
    rate = Self.rate(finished)
  }

  /// Counts the records of one shard, each frame once.
  private mutating func count(_ parts: [PartName], in folder: String, _ progress: inout Progress) throws {
    var kindOf: [UInt64: String?] = [:]
    var failedAt: [UInt64: FailedFrame] = [:]
    var framesOf: [Int: Int] = [:]
    for part in parts {
      let found = try PartReader.forEach(in: "\(folder)/\(part)") { record, _, _ in
        failedAt[record.position.packed] = record.failure.map {
          FailedFrame(position: record.position, id: record.id, failure: $0)
        }
        if kindOf.updateValue(record.failure?.kind, forKey: record.position.packed) == nil {
          let left = framesOf[record.position.capture, default: record.frames] - 1
          framesOf[record.position.capture] = left
          if left == 0 { progress.captures += 1 }
        }
      }
      damage.torn += found.torn
      damage.lines += found.lines
    }
    progress.frames = kindOf.count
    failures += failedAt.sorted { $0.key < $1.key }.map(\.value)
    for kind in kindOf.values {
      if let kind {
        failed += 1
        kinds[kind, default: 0] += 1
      } else {
        done += 1
      }
    }
  }

  /// Reads the log of one shard.
  private mutating func read(_ path: String, _ progress: inout Progress, _ finished: inout [Double]) throws {
    var starts: [UInt64: Int] = [:]
    try LoggedEvent.forEach(in: path) { event in
      progress.lastTime = event.time
      let position = event.fields["at"]?.string.flatMap(FramePosition.init)
      switch event.event {
      case .began:
        progress.attempts += 1
        progress.status = nil
        if let frames = event.fields["frames"]?.integer(in: 0...Self.mostWork) {
          (progress.total, progress.countsFrames) = (frames, true)
        } else if let captures = event.fields["captures"]?.integer(in: 0...Self.mostWork) {
          (progress.total, progress.countsFrames) = (captures, false)
        }
      case .started:
        if let position { starts[position.packed, default: 0] += 1 }
      case .done, .failed:
        finished.append(event.time)
        guard event.event == .done, let position, let seconds = event.fields["seconds"]?.number,
          (0...Self.longest).contains(seconds)
        else { return }
        note(
          SlowFrame(position: position, id: event.fields["id"]?.string ?? "", seconds: seconds))
      case .ended: progress.status = event.fields["status"]?.integer(in: 0...255)
      }
    }
    repeated += starts.values.reduce(0) { $0 + $1 - 1 }
  }

  private mutating func note(_ frame: SlowFrame) {
    guard slowest.count < Self.listed || frame.seconds > slowest[slowest.count - 1].seconds else { return }
    slowest.append(frame)
    slowest.sort { $0.seconds > $1.seconds }
    if slowest.count > Self.listed { slowest.removeLast() }
  }

  /// Frames a second over the last `window` seconds up to the last frame.
  private static func rate(_ times: [Double]) -> Double? {
    guard let last = times.max() else { return nil }
    let recent = times.filter { last - $0 <= window }
    guard let first = recent.min(), last > first else { return nil }
    return Double(recent.count - 1) / (last - first)
  }
}
