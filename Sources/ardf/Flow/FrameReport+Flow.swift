import AppCore
import FileFormats
import FoundationEssentials
import Imaging
import Models
import Reporting

extension FrameReport {
  /// The report of what the flow made of a frame.
  init(
    _ outcome: FrameFlow.Outcome, flow: FrameFlow, capture: String, path: [Pose], results: RGBImage? = nil
  ) {
    self.init(
      frame: outcome.frame, capture: absolutePath(capture), detections: outcome.detections,
      objects: ObjectExtent.json(outcome.scene.extents), effects: outcome.scene.effects,
      relative: outcome.relative, fusion: outcome.fusion?.json, metric: outcome.metric?.values,
      metricSource: outcome.metric?.codes, path: path,
      notes: outcome.notes, timings: outcome.timings(flow: flow), results: results)
  }
}

/// A path that leads to the same file from every folder.
func absolutePath(_ path: String) -> String {
  path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

extension FrameFlow.Outcome {
  fileprivate func timings(flow: FrameFlow) -> [FrameReport.Timing] {
    func entry(_ stage: String, _ time: Duration) -> FrameReport.Timing {
      FrameReport.Timing(stage: stage, milliseconds: time / .milliseconds(1))
    }
    var networks = [(flow.detector.name, detectorTimings)]
    if let depth = flow.depth, let depthTimings { networks.append((depth.name, depthTimings.stages)) }
    let stages = networks.flatMap { name, times in
      [
        entry("\(name) preprocess", times.preprocess), entry("\(name) inference", times.inference),
        entry("\(name) postprocess", times.postprocess),
      ]
    }
    return stages + (fusionTime.map { [entry("fusion", $0)] } ?? []) + [entry("placement", placementTime)]
  }
}

/// Where the cameras of a recording stood.
enum CameraPath {
  /// The most cameras that a page shows.
  private static let limit = 400

  /// The poses of the sources of frames, by path.
  static func poses(of frames: some Collection<RunFrame>) throws -> NameTable<[FrameReport.Pose]> {
    let sources = NameTable(frames.map { ($0.source.path, $0.source) })
    return try sources.mapValues { try poses(of: $0) }
  }

  /// The poses of a source, evenly thinned; none where no poses are known.
  ///
  /// Bad frames are left out: the command that works on them says why.
  /// - Throws: `CaptureError.unreadable`, since where the system fails the next run would show more.
  static func poses(of source: any CaptureSource) throws -> [FrameReport.Pose] {
    guard source.layout.hasPoses else { return [] }
    let step = (source.frames.count + limit - 1) / limit
    return try stride(from: 0, to: source.frames.count, by: max(1, step)).compactMap { index in
      let frame: CapturedFrame
      do {
        frame = try source.frame(at: index, decodingImage: false)
      } catch CaptureError.unreadable(let file, let reason) {
        throw CaptureError.unreadable(file: file, reason: reason)
      } catch {
        return nil
      }
      guard frame.intrinsics != nil else { return nil }
      return FrameReport.Pose(name: frame.name, cameraToWorld: frame.cameraToWorld)
    }
  }
}
