import Geometry
import Imaging

/// One detected object.
public struct DetectedObject: Sendable {
  /// Index of the class.
  public let classIndex: Int
  /// Name of the class.
  public let className: String
  /// The class probability, in (threshold, 1].
  public let confidence: Float
  /// In the picture given, clipped to it; around `orientedBox`, where there is one.
  public let box: Rect<UprightPixels>
  /// In the network's input, not clipped.
  public let networkBox: Rect<NetworkPixels>
  /// The pixels in the picture given, as the `MaskMethod` asked for makes them; nil of networks without masks.
  public let mask: ObjectMask?
  /// The pixels in the network's input, not empty; nil but with `MaskMethod.fast`, which starts from them.
  public let networkMask: ObjectMask?
  /// The places of the object's key points in the picture given, clipped to it, in the network's order; empty of
  /// networks without.
  public let keypoints: [Keypoint<UprightPixels>]
  /// The box turned as the object is, in the picture given, not clipped; nil of networks without.
  public let orientedBox: RotatedRect<UprightPixels>?
  /// The key points in the network's input, not clipped.
  package let networkKeypoints: [Keypoint<NetworkPixels>]
  /// The oriented box in the network's input.
  package let networkOrientedBox: OrientedBox?
  /// The probabilities on the prototype grid, which covers the network's input; nil of networks without masks.
  package let probabilities: PrototypeMask?

  /// An object found by a network of another package: its box and optional further results.
  ///
  /// - `confidence`: in (0, 1].
  /// - `box`, `keypoints`, `orientedBox`: in the upright picture's pixels.
  public init(
    classIndex: Int, className: String, confidence: Float, box: Rect<UprightPixels>,
    keypoints: [Keypoint<UprightPixels>] = [], orientedBox: RotatedRect<UprightPixels>? = nil
  ) {
    self.classIndex = classIndex
    self.className = className
    self.confidence = confidence
    self.box = box
    self.keypoints = keypoints
    self.orientedBox = orientedBox
    networkBox = Rect(minX: box.minX, minY: box.minY, maxX: box.maxX, maxY: box.maxY)
    (mask, networkMask, probabilities) = (nil, nil, nil)
    (networkKeypoints, networkOrientedBox) = ([], nil)
  }

  /// An object of a network that finds boxes alone.
  ///
  /// - `networkBox`: in the network's input, not clipped.
  init(
    classIndex: Int, className: String, confidence: Float, box: Rect<UprightPixels>,
    networkBox: Rect<NetworkPixels>
  ) {
    (self.classIndex, self.className, self.confidence) = (classIndex, className, confidence)
    (self.box, self.networkBox) = (box, networkBox)
    (mask, networkMask, probabilities) = (nil, nil, nil)
    (keypoints, networkKeypoints) = ([], [])
    (orientedBox, networkOrientedBox) = (nil, nil)
  }

  init(
    _ candidate: Candidate, className: String, box: Rect<UprightPixels>, mask: ObjectMask? = nil,
    networkMask: ObjectMask? = nil, probabilities: PrototypeMask? = nil,
    keypoints: [Keypoint<UprightPixels>] = [], networkKeypoints: [Keypoint<NetworkPixels>] = [],
    orientedBox: RotatedRect<UprightPixels>? = nil, networkOrientedBox: OrientedBox? = nil
  ) {
    classIndex = candidate.classIndex
    self.className = className
    confidence = candidate.score
    self.box = box
    networkBox = candidate.box
    self.mask = mask
    self.networkMask = networkMask
    self.probabilities = probabilities
    self.keypoints = keypoints
    self.networkKeypoints = networkKeypoints
    self.orientedBox = orientedBox
    self.networkOrientedBox = networkOrientedBox
  }

  /// Bytes that the masks take.
  var maskBytes: Int {
    (mask?.runs.bytes ?? 0) + (networkMask?.runs.bytes ?? 0)
      + (probabilities?.probabilities.count ?? 0) * MemoryLayout<Float>.stride
  }
}

/// The objects of one picture, best first.
public struct DetectedObjects: Sendable {
  /// Ordered by descending confidence.
  public let objects: [DetectedObject]
  /// The candidate with the highest score, where there are no objects; nil where that score is negligible.
  public let surest: SurestCandidate?
  /// How the picture was fitted into the network's input.
  public let letterbox: Letterbox
  /// How long it took.
  public let timings: StageTimings
  /// Time of decoding and suppression within `timings.postprocess`; the rest went into masks.
  public let selection: Duration

  init(
    objects: [DetectedObject], surest: SurestCandidate? = nil, letterbox: Letterbox, timings: StageTimings,
    selection: Duration
  ) {
    self.objects = objects
    self.surest = surest
    self.letterbox = letterbox
    self.timings = timings
    self.selection = selection
  }

  /// Objects of a network of another package, best first, in an upright picture of size `picture`.
  public init(_ objects: [DetectedObject], in picture: PixelSize, timings: StageTimings) {
    self.init(
      objects: objects, letterbox: Letterbox(imageSize: picture, networkSize: picture), timings: timings,
      selection: timings.postprocess)
  }
}

/// Which candidates become objects.
public struct DetectionThresholds: Sendable, Equatable {
  /// A candidate's score must be strictly greater.
  public var confidence: Float
  /// A candidate whose intersection over union with a better one of its class is greater is dropped; heads that give
  /// each object one box, such as YOLO26's, need no such bound.
  public var overlap: Float
  /// The most objects of a picture.
  public var limit: Int
  /// Whether a box is a candidate of every class whose score is high enough, not of the best one alone: what
  /// Ultralytics' `val` does (`multi_label`).
  package var takesEveryClass = false

  /// By default what the phone app uses; Ultralytics' own defaults are 0.25, 0.7 and 300.
  public init(confidence: Float = 0.75, overlap: Float = 0.5, limit: Int = 300) {
    self.confidence = confidence
    self.overlap = overlap
    self.limit = limit
  }
}
