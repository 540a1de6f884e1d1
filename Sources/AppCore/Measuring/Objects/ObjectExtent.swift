import FileFormats
import Geometry

/// A reason to trust an `ObjectExtent` less.
public enum ExtentWarning: String, Sendable, CaseIterable {
  /// The detection's box is empty, not finite or outside the picture.
  case unusableBox = "unusable-box"
  /// The detector gave no mask: everything in the box counts as the object.
  case noMask = "no-mask"
  /// Too few readings lie on the mask: the distance is that of everything in the box.
  case wholeWindow = "whole-window"
  /// Too few points for a box around them: its sides come from the picture.
  case fewPoints = "few-points"
  /// A considerable share of the readings lies on other surfaces and was left out; said where an interval is wide.
  case splitSurface = "split-surface"
  /// The fused reading lies beyond the depths that the fit has seen.
  case extrapolated
  /// The camera looks straight up or down: the box is turned to the picture's top.
  case verticalView = "vertical-view"
  /// The plane on which the object stands is not seen: the lower side ends where the object is last seen; said where an
  /// interval is wide.
  case noSupport = "no-support"
  /// The object rises little above the sensor's noise: its height and its ends on the support are uncertain.
  case thin
  /// No turn about the vertical fits better than others, as for a round object: the box faces the camera.
  case round
  /// No box, box with parts missing or upright cylinder explains all of the object's readings: curved or ragged sides end
  /// where the surface was seen to end; said where an interval is wide.
  case irregular
  /// The object reaches the border of the picture or of the sensor's field.
  case cutOff = "cut-off"
  /// A considerable share of the mask has no reading that counts.
  case unread
  /// Something nearer hides an end of the object.
  case occluded
  /// A side is not seen to end, and its interval is wide: the object may be larger there.
  case unseenSide = "unseen-side"
  /// The interval of a side reaches more than 15 % of it to either side.
  case uncertainSize = "uncertain-size"
  /// The interval of the yaw reaches more than .15 rad, 8.6 degrees, to either side.
  case uncertainYaw = "uncertain-yaw"
  /// The picture has no intrinsics: there are no sizes.
  case noIntrinsics = "no-intrinsics"
}

/// Where a detected object is, how large it is and which way it is turned.
public struct ObjectExtent: Sendable {
  /// The detection's `id`.
  public let id: Int
  /// The detection's class.
  public let className: String
  /// The detection's score.
  public let confidence: Float
  /// The detection's identity from picture to picture; nil where none is given.
  public let track: Int?
  /// Planar depth and its source.
  public let distance: ObjectDistance
  /// The detection box's width at that depth, on the upright picture, meters; nil without distance or intrinsics.
  public let worldWidth: Double?
  /// The detection box's height at that depth, on the upright picture, meters.
  public let worldHeight: Double?
  /// The box in the world; nil without distance or intrinsics.
  public let box3D: Box3D?
  /// How each side of the box is known; nil for boxes that are not put at the object's surfaces.
  public let sides: BoxSides?
  /// How far the box's numbers may be from the truth; nil for boxes that are not put at the object's surfaces.
  public let errors: BoxErrors?
  /// Standard deviation of the distance, meters; nil where it does not rest on a sensor's readings.
  public let distanceError: Double?
  /// The points that the box was put around.
  public let cloud: [Point3<World>]
  /// The detection's key points in the world, in its order; empty without distance or intrinsics.
  public let keypoints: [PlacedKeypoint]
  /// The corners of the detection's oriented box in the plane of the object's distance, which is across the view; empty
  /// without distance, intrinsics or such a box.
  public let orientedCorners: [Point3<World>]
  /// The share of the mask's readings that lie on other surfaces than the object's.
  public let discardedShare: Double
  /// Reasons to trust the numbers less, each at most once.
  public let warnings: [ExtentWarning]

  init(
    detection: Detection, distance: ObjectDistance, worldWidth: Double? = nil, worldHeight: Double? = nil,
    box3D: Box3D? = nil, sides: BoxSides? = nil, errors: BoxErrors? = nil, distanceError: Double? = nil,
    cloud: [Point3<World>] = [], discardedShare: Double = 0, keypoints: [PlacedKeypoint] = [],
    orientedCorners: [Point3<World>] = [], warnings: [ExtentWarning]
  ) {
    id = detection.id
    className = detection.className
    confidence = detection.confidence
    track = detection.track
    self.distance = distance
    self.worldWidth = worldWidth
    self.worldHeight = worldHeight
    self.box3D = box3D
    self.sides = sides
    self.errors = errors
    self.distanceError = distanceError
    self.cloud = cloud
    self.discardedShare = discardedShare
    self.keypoints = keypoints
    self.orientedCorners = orientedCorners
    self.warnings = warnings
  }

  /// Two lines for people: `cup 95%`, or with an identity `#3 cup 95%`, and `2.30 ± .05 m`, `2.30 m` where the distance does
  /// not rest on a sensor's readings, or `-- m`.
  public var label: String {
    (track.map { "#\($0) " } ?? "")
      + Self.label(className, confidence: confidence, meters: distance.meters, error: distanceError)
  }

  /// Class and rounded percentage, then meters with two decimals and their interval, if their error is known, or `-- m`.
  public static func label(
    _ className: String, confidence: Float, meters: Double?, error: Double? = nil
  ) -> String {
    "\(className) \(percent(confidence))%\n\(meters.map { MeasuredNumber($0, error: error).words } ?? "--") m"
  }

  /// A score in percent, rounded.
  public static func percent(_ confidence: Float) -> Int {
    confidence.isFinite ? Int(clamping: (min(max(confidence, 0), 1) * 100).rounded()) : 0
  }

  /// Class and score with two decimals, on one line: `cup (0.87)`, the older live overlay's label.
  public static func scoreLabel(_ className: String, confidence: Float) -> String {
    "\(className) (\(MeasuredNumber.twoDecimals(Double(confidence)) ?? "--"))"
  }
}
