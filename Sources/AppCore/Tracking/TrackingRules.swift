/// How objects are followed from picture to picture.
public struct TrackingRules: Sendable, Equatable {
  /// By which published method.
  public enum Method: String, Sendable, CaseIterable {
    /// ByteTrack: two rounds of association, by scores (Zhang et al., 2022).
    case bytetrack
    /// BoT-SORT without appearance (Aharon et al., 2022).
    case botsort
  }

  /// By which method.
  public var method: Method
  /// Detections of at least this score are associated first.
  public var highScore: Float = 0.25
  /// Those of more than this score are associated with what is left of the tracks.
  public var lowScore: Float = 0.1
  /// The least score that begins a track.
  public var newScore: Float = 0.25
  /// How many pictures a track is kept for after its last detection; nil keeps it until it is forgotten.
  public var buffer: Int? = 30
  /// The greatest cost of a pair in the first round: one less intersection over union, times score where scores are fused.
  public var mostCost = 0.8
  /// Whether a pair's overlap is weighted with the detection's score.
  public var fusesScores = true
  /// Whether an object is followed from its first detection on, rather than from its second.
  public var confirmsAtOnce = false
  /// Whether a detection belongs to tracks of its own class alone.
  public var separatesClasses = false
  /// Whether a lost object is expected to keep moving, rather than to stay where it was.
  public var movesLost = true

  /// Whether BoT-SORT moves what it follows with the camera, whose motion it finds in the pictures that it is given.
  public var followsCamera = true

  /// The defaults of Ultralytics' `bytetrack.yaml` and `botsort.yaml`.
  public init(_ method: Method = .bytetrack) { self.method = method }

  /// Rules of the live loop, which sees a picture now and then: what its filter lets through is an object from its first
  /// detection on, an overlap by a half and the same class make it the same, and it stays where it was seen last until
  /// the loop forgets it.
  public static let live = {
    var rules = TrackingRules()
    (rules.highScore, rules.lowScore, rules.newScore) = (0, 0, 0)
    (rules.mostCost, rules.fusesScores) = (0.5, false)
    rules.buffer = nil
    (rules.confirmsAtOnce, rules.separatesClasses, rules.movesLost) = (true, true, false)
    return rules
  }()

  /// How long the live loop remembers an object that it no longer sees, unless its rules state another time.
  public static let liveLifetime = Duration.seconds(30)
}
