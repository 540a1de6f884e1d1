import AppCore
import FileFormats
import Imaging
import Models
import Perception
import Reporting
import Sharding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FrameReport {
  /// The report of a frame's results.
  init(_ outcome: FrameOutcome, perceiver: Perceiver, capture: String, path: [Pose]) {
    self.init(
      frame: outcome.frame, capture: absolutePath(capture), detections: outcome.detections,
      objects: ObjectExtent.json(outcome.scene.extents), effects: outcome.scene.effects,
      relative: outcome.perceived.relative, fusion: outcome.perceived.depth.fusion?.json,
      metric: outcome.perceived.depth.best?.values, metricSource: outcome.perceived.depth.best?.codes,
      path: path,
      notes: outcome.notes, timings: outcome.times.entries(of: perceiver))
  }
}

/// A path that leads to the same file from every folder.
func absolutePath(_ path: String) -> String {
  path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

extension PerceptionTimes {
  fileprivate func entries(of perceiver: Perceiver) -> [FrameReport.Timing] {
    func entry(_ stage: String, _ time: Duration) -> FrameReport.Timing {
      FrameReport.Timing(stage: stage, milliseconds: time / .milliseconds(1))
    }
    var networks = [(perceiver.detector.network.name, detector)]
    if let network = perceiver.depth, let depth { networks.append((network.name, depth.stages)) }
    let stages = networks.flatMap { name, times in
      [
        entry("\(name) preprocess", times.preprocess), entry("\(name) inference", times.inference),
        entry("\(name) postprocess", times.postprocess),
      ]
    }
    return stages + (fusion.map { [entry("fusion", $0)] } ?? []) + [entry("placement", placement)]
  }
}

/// The camera poses of a recording.
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
    guard source.hasPoses else { return [] }
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
