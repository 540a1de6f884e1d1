import AppCore
import ArgumentParser
import FileFormats

/// Depth and camera of a plain picture, which no capture states.
struct PictureDepthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Depth of a plain picture, or a folder with the depths of a folder of pictures: .npy float32 meters or .png u16 "
        + "millimeters. Needs the camera.", valueName: "file|folder"))
  var depthMap: String?

  @Option(
    help: ArgumentHelp(
      "Meters of one unit of a .png of --depth-map: 0.001 for millimeters, 0.0002 for 5000 a meter.",
      valueName: "meters"))
  var depthUnit = 0.001

  @Option(
    help: ArgumentHelp(
      """
      Camera of a plain picture, in pixels counted from the center of the upper-left one; width,height where for \
      another size. Or a file that states it: JSON of RealSense or Open3D, ROS camera_info, or these numbers. Without \
      it, and without --fov, the camera is what EXIF says of a plain picture, if anything.
      """, valueName: "fx,fy,cx,cy[,w,h]|file"))
  var intrinsics: String?

  @Option(
    help: ArgumentHelp(
      "Camera of a plain picture by its field of view along the longer side.", valueName: "degrees"))
  var fov: Double?

  @Option(
    help: ArgumentHelp(
      "Confidence of --depth-map: 0, 1 or 2 for each of its cells, .npy or .png, or a folder of them.",
      valueName: "file|folder"))
  var confidenceMap: String?

  func validate() throws {
    guard DepthUnitMeters.range.contains(depthUnit) else {
      throw ValidationError("--depth-unit \(depthUnit): give \(DepthUnitMeters.expected)")
    }
    if let fov, !PhotographCamera.angles.contains(fov) {
      throw ValidationError("--fov \(fov): give degrees from 1 to 170")
    }
    if intrinsics != nil, fov != nil {
      throw ValidationError("--intrinsics and --fov both state the camera; give one")
    }
    if depthMap != nil, intrinsics == nil {
      throw ValidationError(
        "--depth-map needs the camera; \(fov == nil ? "add" : "in place of --fov give") --intrinsics FX,FY,CX,CY or a file"
      )
    }
    if depthMap == nil, confidenceMap != nil {
      throw ValidationError("--confidence-map belongs to a --depth-map; add one, and --intrinsics")
    }
  }

  /// Where the cameras of plain pictures come from.
  func photographs() throws -> PhotographCamera {
    if let fov { return .fieldOfView(fov) }
    return try intrinsics.map { .stated(try Self.camera($0)) } ?? .exif
  }

  /// A camera by its numbers or its file.
  private static func camera(_ text: String) throws -> StatedCamera {
    if !fileExists(text), text.contains(","), (try? StatedCamera(parsing: text)) == nil {
      throw CommandError.usage(
        "--intrinsics \(text): give FX,FY,CX,CY or FX,FY,CX,CY,WIDTH,HEIGHT in pixels, or a file that says so"
      )
    }
    try MistakenInput.refusePicture(
      text, give: "FX,FY,CX,CY in pixels, or a file that says so", taking: [.text])
    return try StatedCamera(textOrFile: text)
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
      image: path, depth: depthMap, confidence: confidenceMap, camera: Self.camera(intrinsics),
      depthUnit: depthUnit, limits: limits)
  }
}
