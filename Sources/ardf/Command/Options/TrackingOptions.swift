import AppCore
import ArgumentParser
import Sharding

/// How the objects of a film get identities, by the names that Ultralytics' users know.
struct TrackingOptions: ParsableArguments {
  /// The trackers, and none.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    case bytetrack, botsort, off

    /// Also by the names of Ultralytics' files, such as `bytetrack.yaml`.
    init?(argument: String) {
      self.init(rawValue: argument.hasSuffix(".yaml") ? String(argument.dropLast(5)) : argument)
    }
  }

  @Option(
    help: ArgumentHelp(
      """
      Gives the objects of a film, camera or sequence identities that last from picture to picture: bytetrack, or \
      botsort without appearance and camera motion. Objects that are not followed are left out. Scores down to 0.1 \
      count unless --conf says otherwise.
      """, valueName: "tracker"))
  var track = Method.off

  @Option(help: "With --track: objects of at least this score are associated first, and begin tracks.")
  var trackHighThresh: Float = 0.25

  @Option(help: "With --track: objects of more than this score are associated with the tracks left over.")
  var trackLowThresh: Float = 0.1

  @Option(help: "With --track: pictures for which an object that is not seen keeps its identity.")
  var trackBuffer = 30

  @Option(help: "With --track: the greatest cost of a pair, 1 - overlap times score.")
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

  /// Refuses pictures of which none follows another.
  func check(_ inputs: RunInputs) throws {
    guard !isOn || inputs.frames.contains(where: { $0.siblings > 1 }) else {
      throw CommandError.usage(
        "--track follows objects from picture to picture: give a film, camera or sequence")
    }
  }

  /// A detector that finds what a tracker needs, unless it is said how sure it is to be.
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
