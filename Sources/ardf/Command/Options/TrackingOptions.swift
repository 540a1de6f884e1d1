import AppCore
import ArgumentParser
import Sharding

/// How the objects of a film get identities, by the names that Ultralytics' users know.
struct TrackingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Track the objects of a film, camera or sequence, so that each keeps its id from picture to picture: bytetrack, \
      or botsort without appearance, or an edited bytetrack.yaml or botsort.yaml of Ultralytics. Objects without a \
      track are left out. Scores down to 0.1 are used unless --conf is given.
      """, valueName: "tracker"))
  var track = TrackerChoice.off

  @Option(
    help: """
      With --track: objects of at least this score are associated first; 0.25 by default. This option and those below \
      take precedence over a file's settings.
      """)
  var trackHighThresh: Float?

  @Option(
    help: """
      With --track: objects of more than this score are associated with the tracks left over; 0.1 by default.
      """)
  var trackLowThresh: Float?

  @Option(
    help: "With --track: objects of at least this score that match no track begin one; 0.25 by default.")
  var newTrackThresh: Float?

  @Option(help: "With --track: pictures that a track outlives its object's last detection; 30 by default.")
  var trackBuffer: Int?

  @Option(
    help: """
      With --track: greatest cost of a match between track and object, 1 - IoU x score; 0.8 by default.
      """)
  var matchThresh: Double?

  @Flag(
    inversion: .prefixedNo,
    help: "With --track: whether a match's IoU is weighted with the object's score; it is by default.")
  var fuseScore: Bool?

  @Option(
    help: ArgumentHelp(
      """
      With --track botsort: follow objects as the camera moves, whose motion is found by sparse optical flow; off \
      takes the camera to stand still. sparse-flow by default.
      """, valueName: "method"))
  var gmc: MotionCompensation?

  func validate() throws {
    guard isOn || !isChanged else {
      throw ValidationError(
        "--track-high-thresh, --track-low-thresh, --new-track-thresh, --track-buffer, --match-thresh, "
          + "--fuse-score and --gmc go with --track")
    }
    let scores = [
      ("--track-high-thresh", trackHighThresh), ("--track-low-thresh", trackLowThresh),
      ("--new-track-thresh", newTrackThresh),
    ]
    for case (let name, let value?) in scores where !(0...1).contains(value) {
      throw ValidationError("\(name) \(value): give a number from 0 to 1")
    }
    if let matchThresh, !(0...1).contains(matchThresh) {
      throw ValidationError("--match-thresh \(matchThresh): give a number from 0 to 1")
    }
    if let trackBuffer, !TrackerFile.buffers.contains(trackBuffer) {
      throw ValidationError(
        "--track-buffer \(trackBuffer): give pictures from 0 to \(TrackerFile.buffers.upperBound)")
    }
    guard gmc == nil || track != .named(.bytetrack) else {
      throw ValidationError(
        "--gmc: bytetrack does not look at the camera's motion; it goes with --track botsort")
    }
  }

  private var isChanged: Bool {
    let isScored = trackHighThresh != nil || trackLowThresh != nil || newTrackThresh != nil
    return isScored || trackBuffer != nil || matchThresh != nil || fuseScore != nil || gmc != nil
  }

  /// Refuses inputs without consecutive pictures.
  func check(_ inputs: RunInputs) throws {
    _ = try rules()
    guard !isOn || inputs.frames.contains(where: { $0.siblings > 1 }) else {
      throw CommandError.usage(
        "--track follows objects from picture to picture: give a film, camera or sequence, and more than one of its "
          + "pictures")
    }
  }

  /// The detector's options with the score that the tracker needs, unless `--conf` is given.
  func scored(_ detector: DetectorOptions) throws -> DetectorOptions {
    var detector = detector
    if let conf = detector.conf, let trackLowThresh, Double(trackLowThresh) < conf {
      throw CommandError.usage(
        "--track-low-thresh \(trackLowThresh): objects below --conf \(conf) never reach the tracker; leave out one of "
          + "them")
    }
    if detector.conf == nil, let rules = try rules() { detector.conf = Double(rules.lowScore) }
    return detector
  }

  /// Whether objects get identities.
  var isOn: Bool { track != .off }

  /// A tracker for the objects of one film; nil where none is asked for.
  func tracker() throws -> MultiObjectTracker? { try rules().map { MultiObjectTracker($0) } }

  /// The tracker's rules, by its file and by the options; nil where none is asked for.
  ///
  /// - Throws: `CommandError` of a file that is no tracker's, or of options that do not go together; `FileError`.
  func rules() throws -> TrackingRules? {
    guard var rules = try track.rules() else { return nil }
    if let trackHighThresh { rules.highScore = trackHighThresh }
    if let trackLowThresh { rules.lowScore = trackLowThresh }
    if let newTrackThresh { rules.newScore = newTrackThresh }
    if let trackBuffer { rules.buffer = trackBuffer }
    if let matchThresh { rules.mostCost = matchThresh }
    if let fuseScore { rules.fusesScores = fuseScore }
    if let gmc {
      guard rules.method == .botsort else {
        throw CommandError.usage(
          "--gmc: the tracker of \(track.defaultValueDescription) is bytetrack, which does not look at the camera's "
            + "motion; it goes with botsort")
      }
      rules.followsCamera = gmc == .sparseFlow
    }
    guard rules.lowScore <= rules.highScore else {
      throw CommandError.usage(
        "--track-low-thresh \(rules.lowScore): is above --track-high-thresh \(rules.highScore)")
    }
    return rules
  }
}

extension MotionCompensation: ExpressibleByArgument {}
