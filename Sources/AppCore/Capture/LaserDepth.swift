import FileFormats
import Imaging

/// Ground-truth depth that a laser scanner gave of the frames of a capture: of ARKitScenes and of CA-1M.
///
/// Planar depth in meters, u16 millimeters as stored, 0 where nothing is known, on a grid that covers the frame's picture.
package struct LaserDepth {
  /// Where ARKitScenes has it.
  static let arkitScenes = "highres_depth"
  /// A map this far in time from a frame is another's, seconds: ARKit gives sixty pictures a second.
  private static let tolerance = 0.008

  private let source: any CaptureSource
  private let folder: CaptureFolder
  private var layout: CaptureLayout { source.layout }
  private let maps: TimeIndex<String>

  /// The laser's depth of a capture.
  ///
  /// - Throws: `CaptureError.noGroundTruth` where its layout has none; what listing it throws.
  package init(of source: any CaptureSource, limits: CaptureLimits = CaptureLimits()) throws(CaptureError) {
    self.source = source
    guard [.arkitScenes, .arkitUpsampling, .ca1m].contains(source.layout) else {
      throw .noGroundTruth(path: source.path, wanted: "\(Self.arkitScenes) or TIME.gt/depth.png")
    }
    (folder, maps) = try source.reading { path throws(CaptureError) in
      let folder = try CaptureFolder(path: path, limits: limits)
      guard source.layout != .ca1m else { return (folder, TimeIndex([])) }
      let entries = try folder.stems(in: Self.arkitScenes, endings: [".png"]).compactMap { stem, name in
        ARKitScenesFolder.time(stem).map { (time: $0, value: name) }
      }
      guard !entries.isEmpty else { throw .noGroundTruth(path: source.path, wanted: Self.arkitScenes) }
      return (folder, TimeIndex(entries))
    }
  }

  /// The depth of a frame; nil where it has none.
  package func map(of frame: FrameReference) throws(CaptureError) -> Plane<Float>? {
    let name =
      layout == .ca1m
      ? CA1MFolder.laserDepth(of: frame.name) : maps.nearest(to: frame.timestamp, within: Self.tolerance)
    guard let name, folder.hasFile(name) else { return nil }
    return try source.reading { _ throws(CaptureError) in try folder.depth(name, namedBy: frame.name) }
  }
}
