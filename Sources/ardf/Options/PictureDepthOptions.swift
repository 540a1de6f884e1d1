import AppCore
import ArgumentParser

/// Depth and camera of a plain picture, which no capture states.
struct PictureDepthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Depth of a plain picture: .npy float32 metres or .png u16 millimetres. Needs --intrinsics.",
      valueName: "file"))
  var depthMap: String?

  @Option(
    help: ArgumentHelp(
      """
      Camera of a plain picture in its pixels, counted from the centre of the upper-left one; width,height where for \
      another size.
      """, valueName: "fx,fy,cx,cy[,w,h]"))
  var intrinsics: String?

  @Option(
    help: ArgumentHelp(
      "Confidence of --depth-map: 0, 1 or 2 for each of its cells, .npy or .png.", valueName: "file"))
  var confidenceMap: String?

  func validate() throws {
    if let intrinsics {
      do throws(CaptureError) {
        _ = try StatedCamera(parsing: intrinsics)
      } catch {
        throw ValidationError(
          "--intrinsics \(intrinsics): give FX,FY,CX,CY or FX,FY,CX,CY,WIDTH,HEIGHT in pixels")
      }
    }
    switch (depthMap, intrinsics) {
    case (nil, .some):
      throw ValidationError("--intrinsics without depth measures nothing; add --depth-map FILE")
    case (.some, nil): throw ValidationError("--depth-map needs the camera; add --intrinsics FX,FY,CX,CY")
    case (nil, nil) where confidenceMap != nil:
      throw ValidationError("--confidence-map belongs to a --depth-map; add one, and --intrinsics")
    default: break
    }
  }

  /// Opens a capture, or the picture at `path` with the depth and camera stated.
  func open(_ path: String, limits: CaptureLimits) throws(CaptureError) -> any CaptureSource {
    guard let depthMap, let intrinsics else { return try CaptureReader.open(path, limits: limits) }
    return try CaptureReader.open(
      image: path, depth: depthMap, confidence: confidenceMap, camera: StatedCamera(parsing: intrinsics),
      limits: limits)
  }
}
