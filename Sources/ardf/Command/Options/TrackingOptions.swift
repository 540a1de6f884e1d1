import AppCore
import ArgumentParser
import Sharding

/// How the objects of a film get identities, by the names that Ultralytics' users know.
struct TrackingOptions: ParsableArguments {
  /// The trackers, and none.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    case bytetrack, botsort, off

    /// Accepts the names of Ultralytics' files, too, such as `bytetrack.yaml`.
    init?(argument: String) {
      self.init(rawValue: argument.hasSuffix(".yaml") ? String(argument.dropLast(5)) : argument)
    }
  }

  @Option(
    help: ArgumentHelp(
      """
      Track the objects of a film, camera or sequence, so that each keeps its id from picture to picture: bytetrack, \
      or botsort without appearance and camera motion. Objects without a track are left out. Scores down to 0.1 are \
      used unless --conf is given.
      """, valueName: "tracker"))
  var track = Method.off

  @Option(help: "With --track: objects of at least this score are associated first, and begin tracks.")
  var trackHighThresh: Float = 0.25

  @Option(help: "With --track: objects of more than this score are associated with the tracks left over.")
  var trackLowThresh: Float = 0.1

  @Option(help: "With --track: pictures that a track outlives its object's last detection.")
  var trackBuffer = 30

  @Option(help: "With --track: greatest cost of a match between track and object, 1 - IoU x score.")
  var matchThresh = 0.8

  func validate() throws {
    guard isOn || isDefault else {
      throw ValidationError(
        "--track-high-thresh, --track-low-thresh, --track-buffer and --match-thresh go with --track")
    }
    guard trackLowThresh <= trackHighThresh else {
      throw ValidationError(
        "--track-low-thresh \(trackLowThresh): is above --track-high-thresh \(trackHighThresh)")
    }
    for (name, value) in [("--track-high-thresh", trackHighThresh), ("--track-low-thresh", trackLowThresh)]
    where !(0...1).contains(value) {
      throw ValidationError("\(name) \(value): give a number from 0 to 1")
    }
    guard (0...1).contains(matchThresh) else {
      throw ValidationError("--match-thresh \(matchThresh): give a number from 0 to 1")
    }
    guard (0...100_000).contains(trackBuffer) else {
      throw ValidationError("--track-buffer \(trackBuffer): give a number of pictures from 0 to 100000")
    }
  }

  private var isDefault: Bool {
    let rules = TrackingRules()
    return trackHighThresh == rules.highScore && trackLowThresh == rules.lowScore
      && trackBuffer == rules.buffer
      && matchThresh == rules.mostCost
  }

  /// Refuses inputs without consecutive pictures.
  func check(_ inputs: RunInputs) throws {
    guard !isOn || inputs.frames.contains(where: { $0.siblings > 1 }) else {
      throw CommandError.usage(
        "--track follows objects from picture to picture: give a film, camera or sequence")
    }
  }

  /// The detector's options with the score that the tracker needs, unless `--conf` is given.
  func scored(_ detector: DetectorOptions) -> DetectorOptions {
    var detector = detector
    if isOn, detector.conf == nil { detector.conf = Double(trackLowThresh) }
    return detector
  }

  /// Whether objects get identities.
  var isOn: Bool { track != .off }

  /// A tracker for the objects of one film; nil where none is asked for.
  func tracker() -> MultiObjectTracker? {
    guard let method = TrackingRules.Method(rawValue: track.rawValue) else { return nil }
    var rules = TrackingRules(method)
    (rules.highScore, rules.newScore, rules.lowScore) = (trackHighThresh, trackHighThresh, trackLowThresh)
    (rules.buffer, rules.mostCost) = (trackBuffer, matchThresh)
    return MultiObjectTracker(rules)
  }
}
