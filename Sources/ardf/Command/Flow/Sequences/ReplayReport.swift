import AppCore
import FileFormats
import Geometry

/// The content of `replay.json`.
struct ReplayReport {
  static let schema = "ardf.replay/1"

  let live: LiveReport
  let shown: [ReplayScreen.Shown]
  let placements: [LiveDirector.Placement]
  let openWishes: [EffectWish]
  let layout: CaptureLayout
  let isMaxSpeed: Bool
  /// Time from reading the first frame to the end of the last one.
  let wall: Duration
  let decoding: Duration
  let writing: Duration
  let peakBytes: Int?
  /// Frames that could not be read.
  var unreadable: [SkippedFrame] = []

  /// Time of the loop itself, without reading and writing pictures.
  var loop: Duration { max(wall - decoding - writing, .nanoseconds(1)) }

  /// Frames a second that the loop could have shown; on a paced replay it mostly waits.
  var loopFramesPerSecond: Double { Double(live.snapshot.framesShown) / loop.inSeconds }

  var json: JSONValue {
    let state = live.snapshot
    return [
      "schema": .string(Self.schema), "layout": .string(layout.rawValue),
      "pacing": .string(isMaxSpeed ? "max-speed" : "timestamps"),
      "loop": [
        "framesSeen": .integer(state.framesSeen), "framesShown": .integer(state.framesShown),
        "framesDropped": .integer(state.framesDropped), "framesPaced": .integer(state.framesPaced),
        "framesFailed": .integer(state.framesFailed), "detections": .integer(state.detections),
        "detectionFailures": .integer(state.detectionFailures),
        "detectionsRefused": .integer(state.detectionsRefused),
        "detectionsBroken": .integer(state.detectionsBroken),
        "heldMB": live.endurance.peakBytes.map { .rounded(Double($0) / 1e6, decimals: 1) } ?? .null,
        "visionReplaced": .integer(live.visionReplaced), "jitterMilliseconds": live.jitter?.json ?? .null,
      ],
      "speed": [
        "wallSeconds": seconds(wall), "decodeSeconds": seconds(decoding), "writeSeconds": seconds(writing),
        "loopFramesPerSecond": .rounded(loopFramesPerSecond, decimals: 2),
        "drawMilliseconds": JitterReport(intervals: shown.map(\.drawing))?.json ?? .null,
        "peakResidentMB": peakBytes.map { .rounded(Double($0) / 1e6, decimals: 1) } ?? .null,
      ],
      "unreadable": .array(unreadable.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
      "frames": .array(
        shown.map { frame in
          [
            "name": .string(frame.name), "timestamp": .number(frame.timestamp),
            "file": frame.file.map(JSONValue.string) ?? .null,
          ]
        }),
      "effects": .array(placements.enumerated().map { effect($0, $1) }),
      "unplaced": .array(openWishes.map { .string($0.text) }),
    ]
  }

  private func effect(_ index: Int, _ placement: LiveDirector.Placement) -> JSONValue {
    let frames = shown.compactMap { frame -> (name: String, drift: AnchorDrift, noise: Double?)? in
      guard index < frame.drift.count, let drift = frame.drift[index] else { return nil }
      return (frame.name, drift, frame.noise[index])
    }
    return [
      "type": .string(placement.staged.effect.type.rawValue), "object": .string(placement.className),
      "objectId": placement.staged.effect.objectId.map { .integer($0) } ?? .null,
      "frame": .string(placement.frame),
      "drift": frames.isEmpty ? .null : drift(frames),
    ]
  }

  private func drift(_ frames: [(name: String, drift: AnchorDrift, noise: Double?)]) -> JSONValue {
    func meters(_ value: Double?) -> JSONValue { value.map { .rounded($0, decimals: 5) } ?? .null }
    let summary = DriftSummary(frames.map(\.drift), noise: frames.compactMap(\.noise))
    return [
      "medianMeters": meters(summary.median), "maxMeters": meters(summary.worst),
      "medianLateralMeters": meters(summary.lateral), "medianDepthMeters": meters(summary.depth),
      "medianPixels": .rounded(summary.pixels, decimals: 2),
      "lidarNoiseMedianMeters": meters(summary.noise),
      "frames": .array(
        frames.map { frame in
          [
            "name": .string(frame.name), "meters": meters(frame.drift.meters),
            "lateralMeters": meters(frame.drift.lateralMeters),
            "depthMeters": meters(frame.drift.depthMeters),
            "pixels": [
              .rounded(frame.drift.shift.x, decimals: 2), .rounded(frame.drift.shift.y, decimals: 2),
            ],
            "correlation": .rounded(frame.drift.correlation, decimals: 3),
            "points": .integer(frame.drift.points), "objectNoiseMeters": meters(frame.drift.depthNoiseMeters),
            "lidarNoiseMeters": meters(frame.noise),
          ]
        }),
    ]
  }

  /// Lines for people.
  var lines: [String] {
    let state = live.snapshot
    var lines = [
      "\(state.framesShown) of \(counted(state.framesSeen, "frame")) shown, \(state.framesDropped) dropped, "
        + counted(state.detections, "detection")
    ]
    for (index, placement) in placements.enumerated() {
      var line =
        "\(placement.staged.effect.type.rawValue) on \(placement.className) since frame \(placement.frame)"
      let drifts = shown.compactMap { index < $0.drift.count ? $0.drift[index] : nil }
      if !drifts.isEmpty {
        let summary = DriftSummary(
          drifts, noise: shown.compactMap { index < $0.noise.count ? $0.noise[index] : nil })
        line +=
          ": drift \(millimeters(summary.lateral)) mm across (\(decimal(summary.pixels, 1)) pixels), "
          + "\(millimeters(summary.depth)) mm in depth, \(millimeters(summary.median)) mm together (medians of "
          + "\(counted(drifts.count, "frame")); worst \(millimeters(summary.worst)) mm)"
        if let noise = summary.noise { line += "; sensor noise \(millimeters(noise)) mm" }
      }
      lines.append(line)
    }
    lines += openWishes.map { "not placed: \($0.text)" }
    return lines
  }

  /// Detections that the loop refused or left out, and why; nil without any.
  func refusalLine(budget: Int) -> String? {
    let state = live.snapshot
    var parts: [String] = []
    if state.detectionsRefused > 0 {
      let held = decimal(Double(live.endurance.peakBytes ?? 0) / 1e6, 0)
      parts.append(
        "\(state.detectionsRefused) of \(counted(offered, "detection")) refused under heat or memory pressure "
          + "(the loop held up to \(held) MB of \(budget / 1_000_000)): detect less often, or in smaller pictures"
      )
    }
    if state.detectionsBroken > 0 {
      parts.append(
        "\(state.detectionsBroken) of \(counted(offered, "detection")) left out after failures: see the errors above"
      )
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The number of detections that were due.
  private var offered: Int {
    let state = live.snapshot
    return state.detections + state.detectionFailures + state.detectionsRefused
  }

  /// The last line of the command.
  var speedLine: String {
    let draw = JitterReport(intervals: shown.map(\.drawing))
    let middle = draw.map { decimal($0.p50.inSeconds * 1000, 1) } ?? "-"
    return
      "Speed: \(middle)ms draw (median), \(decimal(loopFramesPerSecond, 1)) frames/s without reading and writing"
      + (peakBytes.map { ", \(decimal(Double($0) / 1e6, 0)) MB at most" } ?? "")
  }

  private func millimeters(_ meters: Double) -> String { decimal(meters * 1000, 1) }

  private func seconds(_ duration: Duration) -> JSONValue { .rounded(duration.inSeconds, decimals: 4) }
}

/// Drifts of one effect in many frames.
struct DriftSummary {
  let median: Double
  let lateral: Double
  /// Median absolute drift in depth, meters.
  let depth: Double
  let worst: Double
  let pixels: Double
  let noise: Double?

  init(_ drifts: [AnchorDrift], noise: [Double]) {
    func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    median = middle(drifts.map(\.meters))
    lateral = middle(drifts.map(\.lateralMeters))
    depth = middle(drifts.map { abs($0.depthMeters) })
    worst = drifts.map(\.meters).max() ?? 0
    pixels = middle(drifts.map { ($0.shift.x * $0.shift.x + $0.shift.y * $0.shift.y).squareRoot() })
    self.noise = noise.isEmpty ? nil : middle(noise)
  }
}

extension EffectWish {
  /// A pixel's coordinate as it is typed: a whole one without decimals.
  private static func typed(_ coordinate: Double) -> String {
    Int(exactly: coordinate).map(String.init) ?? "\(coordinate)"
  }

  /// The effect as it was requested.
  var text: String {
    switch target {
    case .object(let id): "\(id)=\(type.rawValue)"
    case .className(let name): "\(name)=\(type.rawValue)"
    case .point(let point): "\(Self.typed(point.x)),\(Self.typed(point.y))=\(type.rawValue)"
    }
  }
}
