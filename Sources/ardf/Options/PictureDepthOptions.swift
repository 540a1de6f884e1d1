import AppCore
import ArgumentParser

/// Depth and camera of a plain picture, which no capture states.
struct PictureDepthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Depth of a plain picture: .npy float32 metres or .png u16 millimetres. Needs the camera.",
      valueName: "file"))
  var depthMap: String?

  @Option(
    help: ArgumentHelp(
      """
      Camera of a plain picture in its pixels, counted from the centre of the upper-left one; width,height where for \
      another size. Without it, and without --fov, the camera is what EXIF says of a plain picture, if anything.
      """, valueName: "fx,fy,cx,cy[,w,h]"))
  var intrinsics: String?

  @Option(
    help: ArgumentHelp(
      "Camera of a plain picture by the angle that its longer side spans.", valueName: "degrees"))
  var fov: Double?

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
    if let fov, !PhotographCamera.angles.contains(fov) {
      throw ValidationError("--fov \(fov): give degrees from 1 to 170")
    }
    if intrinsics != nil, fov != nil {
      throw ValidationError("--intrinsics and --fov both state the camera; give one")
    }
    if depthMap != nil, intrinsics == nil {
      throw ValidationError("--depth-map needs the camera; add --intrinsics FX,FY,CX,CY")
    }
    if depthMap == nil, confidenceMap != nil {
      throw ValidationError("--confidence-map belongs to a --depth-map; add one, and --intrinsics")
    }
  }

  /// Where the cameras of plain pictures come from.
  private func photographs() throws(CaptureError) -> PhotographCamera {
    if let fov { return .fieldOfView(fov) }
    return try intrinsics.map { text throws(CaptureError) in .stated(try StatedCamera(parsing: text)) }
      ?? .exif
  }

  /// Opens a capture, or the picture at `path` with the depth and camera stated.
  func open(_ path: String, limits: CaptureLimits) throws -> any CaptureSource {
    guard let depthMap, let intrinsics else {
      let source = try CaptureReader.open(path, limits: limits, photographs: photographs())
      guard source.layout == .images || intrinsics == nil && fov == nil else {
        throw CommandError.usage(
          "\(path): its cameras are its own; \(fov == nil ? "--intrinsics" : "--fov") belongs to plain pictures"
        )
      }
      return source
    }
    return try CaptureReader.open(
      image: path, depth: depthMap, confidence: confidenceMap, camera: StatedCamera(parsing: intrinsics),
      limits: limits)
  }
}
