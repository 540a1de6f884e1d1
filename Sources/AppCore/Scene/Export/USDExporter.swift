import Archives
import FileFormats
import Geometry
import Imaging

/// Writes scenes as Universal Scene Description: `.usda` text, and `.usdz`, which phones open in AR.
public enum USDExporter {
  /// Side of a point of the cloud, meters.
  static let pointWidth: Float = 0.004
  /// Width of a box's edges, meters.
  static let edgeWidth: Float = 0.006
  /// Width of a camera's sensor in tenths of the scene's unit, as USD counts it: 36 mm.
  static let aperture = 0.36

  /// The scene as a `.usda` file: the same cameras, boxes, points and effects as the GLB has.
  public static func usda(_ scene: SceneModel) -> [UInt8] {
    let origin = scene.localOrigin
    let scene = scene.relative(to: origin)
    var stage = USDStage(origin: origin)
    for camera in scene.cameras { add(camera, to: &stage) }
    for (index, object) in scene.objects.enumerated() {
      add(object, color: ScenePalette.color(index), to: &stage)
    }
    if scene.points.count > 0 { add(scene.points, to: &stage) }
    for effect in scene.effects {
      if let shape = scene.shape(of: effect) { add(effect, shape, name: scene.name(of: effect), to: &stage) }
    }
    return stage.serialized()
  }

  /// The scene as a `.usdz` file: an archive of the stored `.usda`, its data at a multiple of 64 bytes.
  public static func usdz(_ scene: SceneModel) -> [UInt8] {
    ZipWriter.archive([("scene.usda", usda(scene))], alignment: 64)
  }

  private static func add(_ camera: SceneModel.Camera, to stage: inout USDStage) {
    let optics = camera.intrinsics
    let size = camera.orientation.apply(to: optics.imageSize)
    let focal = camera.orientation.transposes ? (x: optics.fy, y: optics.fx) : (x: optics.fx, y: optics.fy)
    let pose = camera.cameraToWorld
    let principal = camera.orientation.upright(optics.principalPoint, stored: optics.imageSize)
    let height = aperture * Double(size.height) / Double(size.width) * focal.x / focal.y
    stage.add("Camera", name: "camera \(camera.name)") { stage in
      stage.set("float focalLength", "\(aperture * focal.x / Double(size.width))")
      stage.set("float horizontalAperture", "\(aperture)")
      // Pixels need not be square: the aperture takes the difference, for USD has one focal length.
      stage.set("float verticalAperture", "\(height)")
      // The picture's middle as seen from the principal point, up and to the right.
      stage.set(
        "float horizontalApertureOffset", "\(aperture * (0.5 - principal.x / Double(size.width)))")
      stage.set("float verticalApertureOffset", "\(height * (principal.y / Double(size.height) - 0.5))")
      stage.set("float2 clippingRange", "(0.01, 100)")
      stage.setTransform(
        columnMajor: RigidTransform<CameraARKit, World>(
          rotation: pose.rotation * camera.orientation.roll, origin: pose.origin
        ).columnMajor)
    }
  }

  private static func add(_ object: SceneModel.Object, color: [Double], to stage: inout USDStage) {
    let transform = RigidTransform<EffectSpace, World>(
      rotation: object.box.rotation, origin: object.box.center)
    let corners = UnitCube.corners(sides: object.box.dimensions)
    stage.add("Xform", name: "\(object.className) \(object.id)") { stage in
      stage.set("custom int ardf:objectId", "\(object.id)")
      stage.set("custom string ardf:className", USDStage.quoted(object.className))
      if let meters = object.distanceMeters, meters.isFinite {
        stage.set("custom double ardf:distanceMeters", "\(meters)")
      }
      stage.set("custom string ardf:distanceSource", USDStage.quoted(object.source.rawValue))
      stage.setTransform(columnMajor: transform.columnMajor)
      stage.add("BasisCurves", name: "edges \(object.id)") { stage in
        stage.set("uniform token type", "\"linear\"")
        stage.set("int[] curveVertexCounts", USDStage.integers(Box3D.edges.map { _ in 2 }))
        let points = Box3D.edges.flatMap { edge in [edge.0, edge.1].flatMap { corners[3 * $0..<3 * $0 + 3] } }
        stage.setPoints(points, width: edgeWidth)
        stage.set("float[] widths", "[\(edgeWidth)]", interpolation: "constant")
        stage.setLook(color, opacity: 1)
      }
      stage.add("Mesh", name: "faces \(object.id)") { stage in
        stage.setMesh(corners, UnitCube.faces, color: color, opacity: SceneExporter.faceOpacity)
      }
    }
  }

  private static func add(_ points: PointCloud, to stage: inout USDStage) {
    let light = (0..<256).map { Float(SRGBTransfer.linear(fromStored: Double($0) / 255)) }
    stage.add("Points", name: "points") { stage in
      stage.setPoints(points.coordinates, width: pointWidth)
      stage.set(
        "color3f[] primvars:displayColor", USDStage.triples(points.colors.map { light[Int($0)] }),
        interpolation: "vertex")
      stage.set("float[] widths", "[\(pointWidth)]", interpolation: "constant")
    }
  }

  private static func add(
    _ effect: PlacedEffect, _ shape: EffectShape, name: String, to stage: inout USDStage
  ) {
    let color = ScenePalette.color(of: effect.type)
    switch shape {
    case .points(let cloud):
      stage.add("Points", name: name) { stage in
        stage.setPoints(cloud.flatMap { [Float($0.x), Float($0.y), Float($0.z)] }, width: 2 * pointWidth)
        stage.set("float[] widths", "[\(2 * pointWidth)]", interpolation: "constant")
        stage.setLook(color, opacity: 1)
      }
    case .cube(let transform, let sides):
      stage.add("Mesh", name: name) { stage in
        stage.setTransform(columnMajor: transform.columnMajor)
        stage.setMesh(
          UnitCube.corners(sides: sides), UnitCube.faces, color: color, opacity: SceneExporter.cubeOpacity)
      }
    case .plane(let transform, let width, let height):
      let (x, y) = (Float(width / 2), Float(height / 2))
      stage.add("Mesh", name: name) { stage in
        stage.setTransform(columnMajor: transform.columnMajor)
        stage.setMesh(
          [-x, -y, 0, x, -y, 0, x, y, 0, -x, y, 0], [[0, 1, 2, 3]], color: color,
          opacity: SceneExporter.effectOpacity)
      }
    }
  }
}

extension USDStage {
  fileprivate mutating func setLook(_ color: [Double], opacity: Double) {
    set("color3f[] primvars:displayColor", "[(\(color[0]), \(color[1]), \(color[2]))]")
    set("float[] primvars:displayOpacity", "[\(opacity)]")
  }

  /// Points and the extent of what is drawn at them, in which viewers look for it.
  fileprivate mutating func setPoints(_ points: [Float], width: Float) {
    set("point3f[] points", USDStage.triples(points))
    guard !points.isEmpty else { return }
    var (least, greatest) = (Array(points[..<3]), Array(points[..<3]))
    for (index, value) in points.enumerated() {
      least[index % 3] = min(least[index % 3], value)
      greatest[index % 3] = max(greatest[index % 3], value)
    }
    set("float3[] extent", USDStage.triples(least.map { $0 - width / 2 } + greatest.map { $0 + width / 2 }))
  }

  fileprivate mutating func setMesh(_ points: [Float], _ faces: [[Int]], color: [Double], opacity: Double) {
    set("uniform bool doubleSided", "1")
    set("int[] faceVertexCounts", USDStage.integers(faces.map(\.count)))
    set("int[] faceVertexIndices", USDStage.integers(faces.flatMap(\.self)))
    setPoints(points, width: 0)
    set("uniform token subdivisionScheme", "\"none\"")
    setLook(color, opacity: opacity)
  }
}

/// A cube around the origin, corners in the order of `Box3D.corners`.
private enum UnitCube {
  /// x, y, z of the eight corners.
  static func corners(sides: BoxDimensions) -> [Float] {
    let levels: [Double] = [-0.5, 0.5]
    let around: [(x: Double, z: Double)] = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    return levels.flatMap { level -> [Float] in
      around.flatMap { corner -> [Float] in
        [Float(corner.x * sides.x), Float(level * sides.y), Float(corner.z * sides.z)]
      }
    }
  }

  /// Counter-clockwise seen from outside.
  static let faces = [
    [0, 1, 2, 3], [4, 7, 6, 5], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0],
  ]
}
