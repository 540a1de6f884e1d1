import FileFormats
import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A box of a data set's annotations, in the capture's world.
package struct AnnotatedBox: Sendable {
  package let label: String
  package let box: Box3D
}

/// The boxes that the frames of a capture are annotated with: of ARKitScenes and of CA-1M.
///
/// ARKitScenes annotates a video's whole world; of its boxes a frame has those whose middle it sees. CA-1M annotates each
/// frame with those that it sees.
package struct BoxAnnotations {
  private static let ending = "_3dod_annotation.json"
  /// A box is hidden where the sensor reads nearer than its nearest corner by more than this, meters.
  private static let hidden = 0.2

  private let source: any CaptureSource
  private let folder: CaptureFolder
  /// The boxes of the whole video; nil where each frame has its own.
  private let world: [AnnotatedBox]?

  /// Those of a capture.
  ///
  /// - Throws: `CaptureError.noGroundTruth` where there are none; what reading them throws.
  package init(of source: any CaptureSource, limits: CaptureLimits = CaptureLimits()) throws(CaptureError) {
    self.source = source
    guard [.arkitScenes, .ca1m].contains(source.layout) else {
      throw .noGroundTruth(path: source.path, wanted: "VIDEO\(Self.ending) or TIME.wide/instances.json")
    }
    (folder, world) = try source.reading { path throws(CaptureError) in
      let folder = try CaptureFolder(path: path, limits: limits)
      guard source.layout == .arkitScenes else { return (folder, nil) }
      // The data set for detection has the frames in a folder beside the annotation. What lies beside an unpacked archive does
      // not belong to it.
      var found: (folder: CaptureFolder, name: String)?
      for place in path == source.path ? [path, "\(path)/.."] : [path] where found == nil {
        let place = try CaptureFolder(path: place, limits: limits)
        found = try place.names().first { $0.hasSuffix(Self.ending) }.map { (place, $0) }
      }
      guard let found else { throw .noGroundTruth(path: source.path, wanted: "VIDEO\(Self.ending)") }
      return (folder, try Self.world(try found.folder.json(found.name), file: found.name))
    }
  }

  /// The boxes that a frame shows.
  package func boxes(of frame: CapturedFrame) throws(CaptureError) -> [AnnotatedBox] {
    if let world { return world.filter { Self.isSeen($0.box, in: frame) } }
    let name = CA1MFolder.boxes(of: frame.name)
    return try source.reading { _ throws(CaptureError) in
      try Self.instances(try folder.json(name), file: name, pose: frame.cameraToWorld)
    }
  }

  // MARK: ARKitScenes

  private static func world(_ value: JSONValue, file: String) throws(CaptureError) -> [AnnotatedBox] {
    guard let entries = value["data"]?.array else { throw .missingField(file: file, field: "data") }
    var boxes: [AnnotatedBox] = []
    for (position, entry) in entries.enumerated() {
      let place = "\(file), box \(position)"
      guard let label = entry["label"]?.string else { throw .missingField(file: place, field: "label") }
      guard let stated = entry["segments"]?["obbAligned"] ?? entry["segments"]?["obb"] else {
        throw .missingField(file: place, field: "segments.obbAligned")
      }
      let center = try numbers(stated, "centroid", 3, place)
      let sides = try numbers(stated, "axesLengths", 3, place)
      // Its axes are rows.
      let axes = try numbers(stated, "normalizedAxes", 9, place)
      let middle = CameraConventions.yUpFromZUp.apply(Point3<WorldZUp>(center[0], center[1], center[2]))
      let turned = (0..<3).map {
        CameraConventions.yUpFromZUp.apply(
          Vector3<WorldZUp>(axes[3 * $0], axes[3 * $0 + 1], axes[3 * $0 + 2]))
      }
      boxes.append(AnnotatedBox(label: label, box: upright(middle, turned, sides)))
    }
    return boxes
  }

  // MARK: CA-1M

  private static func instances(
    _ value: JSONValue, file: String, pose: RigidTransform<CameraARKit, World>
  ) throws(CaptureError) -> [AnnotatedBox] {
    guard let entries = value.array else {
      throw .badField(file: file, field: "instances", expected: "an array of objects")
    }
    var boxes: [AnnotatedBox] = []
    for (position, entry) in entries.enumerated() {
      let place = "\(file), box \(position)"
      guard let label = entry["category"]?.string else { throw .missingField(file: place, field: "category") }
      let center = try numbers(entry, "position", 3, place)
      let sides = try numbers(entry, "scale", 3, place)
      guard let rows = entry["R"]?.array?.compactMap(\.numbers), rows.count == 3,
        rows.allSatisfy({ $0.count == 3 && $0.allSatisfy(\.isFinite) })
      else { throw .badField(file: place, field: "R", expected: "3 rows of 3 numbers") }
      // The camera's y and z axes are OpenCV's; the box's axes are columns.
      let middle = pose.apply(Point3<CameraARKit>(center[0], -center[1], -center[2]))
      let axes = (0..<3).map { pose.apply(Vector3<CameraARKit>(rows[0][$0], -rows[1][$0], -rows[2][$0])) }
      boxes.append(AnnotatedBox(label: label, box: upright(middle, axes, sides)))
    }
    return boxes
  }

  private static func numbers(
    _ value: JSONValue, _ field: String, _ count: Int, _ file: String
  ) throws(CaptureError) -> [Double] {
    guard let stated = value[field] else { throw .missingField(file: file, field: field) }
    let numbers = stated.numbers ?? stated.array?.compactMap(\.numbers).flatMap(\.self) ?? []
    guard numbers.count == count, numbers.allSatisfy(\.isFinite) else {
      throw .badField(file: file, field: field, expected: "\(count) numbers")
    }
    return numbers
  }

  /// The upright box whose height lies along the axis nearest to vertical.
  private static func upright(_ center: Point3<World>, _ axes: [Vector3<World>], _ sides: [Double]) -> Box3D {
    let up = axes.indices.max { abs(axes[$0].y) < abs(axes[$1].y) } ?? 1
    let level = axes.indices.filter { $0 != up }
    return Box3D(
      center: center,
      dimensions: BoxDimensions(x: sides[level[0]], y: sides[up], z: sides[level[1]]),
      yaw: atan2(-axes[level[0]].z, axes[level[0]].x), method: .surfaces)
  }

  /// Whether a box's middle lies in the picture, and nothing much nearer before it.
  private static func isSeen(_ box: Box3D, in frame: CapturedFrame) -> Bool {
    guard let intrinsics = frame.intrinsics else { return false }
    let toCamera = frame.cameraToWorld.inverse
    guard let pixel = intrinsics.project(toCamera.apply(box.center)),
      frame.imageSize.bounds().contains(pixel)
    else { return false }
    let nearest = box.corners.map { -toCamera.apply($0).z }.min() ?? 0
    guard let read = frame.readings?.meters(at: pixel, imageSize: frame.imageSize) else { return true }
    return read > nearest - hidden
  }
}
