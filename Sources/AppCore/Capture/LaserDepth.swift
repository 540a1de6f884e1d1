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

  private let folder: CaptureFolder
  private let layout: CaptureLayout
  private let maps: TimeIndex<String>

  /// That of a capture.
  ///
  /// - Throws: `CaptureError.noGroundTruth` where its layout has none; what listing it throws.
  package init(of source: any CaptureSource, limits: CaptureLimits = CaptureLimits()) throws(CaptureError) {
    layout = source.layout
    guard [.arkitScenes, .arkitUpsampling, .ca1m].contains(layout) else {
      throw .noGroundTruth(path: source.path, wanted: "\(Self.arkitScenes) or TIME.gt/depth.png")
    }
    folder = try CaptureFolder(path: source.path, limits: limits)
    var entries: [(time: Double, value: String)] = []
    if layout != .ca1m {
      entries = try folder.stems(in: Self.arkitScenes, endings: [".png"]).compactMap { stem, name in
        Self.time(stem).map { ($0, name) }
      }
      guard !entries.isEmpty else {
        throw .noGroundTruth(path: source.path, wanted: Self.arkitScenes)
      }
    }
    maps = TimeIndex(entries)
  }

  /// The depth of a frame; nil where it has none.
  package func map(of frame: FrameReference) throws(CaptureError) -> Plane<Float>? {
    let name =
      layout == .ca1m
      ? CA1MFolder.laserDepth(of: frame.name) : maps.nearest(to: frame.timestamp, within: Self.tolerance)
    guard let name, folder.hasFile(name) else { return nil }
    return try folder.depth(name, namedBy: frame.name)
  }

  /// The time of `VIDEO_TIME`.
  static func time(_ stem: String) -> Double? {
    stem.split(separator: "_").last.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }
}
