import AppCore
import Geometry
import Models

/// Perception of a frame: its objects, their sizes and distances, and its depth.
///
/// Everything is in the frame of the picture as stored; positions are in the world's frame of `CapturedFrame.cameraToWorld`.
public struct Perceived: Sendable {
  /// The objects, best first, in the stored picture's pixels.
  public let detections: [Detection]
  /// The best-scoring candidate where no object was found; nil where one was, or no candidate is of a wanted class.
  public let surest: SurestCandidate?
  /// How large and how far each is in meters, in the detections' order.
  public let extents: [ObjectExtent]
  /// Relative inverse depth of every pixel, without unit; nil without a depth network, and where `noEstimate` says why.
  public let relative: RelativeDepth?
  /// Why the depth network has no estimate of this frame.
  public let noEstimate: NoEstimate?
  /// Meters of every pixel, and how relative depth was fitted to the sensor's.
  public let depth: FrameDepth
  /// Notes on how figures were obtained, for people.
  public let notes: [String]
}

/// How long a step took; `Perceiver` calls back with each.
public enum PerceptionTiming: Sendable {
  /// Turning the picture upright.
  case upright(Duration)
  /// Finding objects: the network's stages, what selecting objects took of the last, and all of it, turning what was found
  /// back included.
  case detection(StageTimings, selection: Duration, whole: Duration)
  /// Estimating depth: the network's stages, the size of its input, and all of it.
  case depth(StageTimings, input: PixelSize, whole: Duration)
  /// Fitting relative depth to the sensor's, and filling in between readings.
  case fusion(Duration)
  /// Measuring the objects.
  case measuring(Duration)
}

extension Perceived {
  /// How the note on a frame begins whose depth no network estimates, as there is none.
  package static let noDepthNetwork = "no depth network"

  /// The note on a picture without objects.
  package static func nothingFound(_ surest: SurestCandidate?) -> String {
    "no objects found" + (surest.map { ": \($0)" } ?? "")
  }

  /// Notes on a frame and its estimate; `estimation` is nil without a depth network, and where nothing was estimated.
  static func notes(
    _ frame: CapturedFrame, _ estimation: Result<FrameEstimate, NoEstimate>?, hasNetwork: Bool,
    _ depth: FrameDepth, objects: Int, surest: SurestCandidate?
  ) -> [String] {
    var notes: [String] = []
    var lacksPrompt = false
    // Of a frame without a sensor's depth there are no such distances either.
    let sensorAlone = frame.depth == nil ? "" : ": distances come from the depth sensor alone"
    switch estimation {
    case .success: break
    case .failure(.noPrompt):
      lacksPrompt = true
      notes.append("\(NoEstimate.noPrompt)")
    case .failure(let reason): notes.append("\(reason)\(sensorAlone)")
    case nil where hasNetwork: break
    case nil: notes.append(Self.noDepthNetwork + sensorAlone)
    }
    if depth.estimated != nil {
      notes.append("distances are the depth network's, from the picture alone")
    } else if frame.depth == nil, !lacksPrompt {
      notes.append(
        "no sensor depth: there is nothing to scale relative depth with; meters come from a metric depth network "
          + "(ardf weights get metric-indoor) or a depth map (--depth-map)")
    }
    if frame.depth != nil, frame.confidence == nil {
      notes.append("no confidence: every depth reading counts as sure")
    }
    if let note = frame.rangeNote { notes.append(note) }
    if !frame.isPosed, let doubt = frame.depthDoubt { notes.append(doubt) }
    if frame.intrinsics == nil {
      notes.append(
        depth.estimated != nil
          ? "no camera in EXIF: sizes need --fov or --intrinsics"
          : "no camera: nothing can be measured or placed")
    }
    if frame.intrinsics != nil, !frame.isPosed {
      notes.append("no pose: positions are in the camera's own frame, as if it stood level at the origin")
    }
    if let fusion = depth.fusion, fusion.status != .ok, depth.best == nil {
      notes.append("no fusion (\(fusion.status.rawValue)): distances come from the depth sensor alone")
    }
    if objects == 0 { notes.append(nothingFound(surest)) }
    return notes
  }
}
