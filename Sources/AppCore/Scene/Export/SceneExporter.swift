import FileFormats
import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes scenes as binary glTF 2.0: meters, +y up, nodes named after what they show.
public enum SceneExporter {
  /// Distance at which a camera's frustum is cut off, meters.
  static let frustumDepth = 0.2
  /// A view through a camera begins beyond its picture, which would hide all else: nothing is nearer than this.
  static let nearPlane = 1.25 * frustumDepth
  /// Opacity of the faces of an object's box.
  static let faceOpacity = 0.15
  /// Opacity of the debug cube.
  static let cubeOpacity = 0.5
  /// Opacity of the plane that stands for an effect's film.
  static let effectOpacity = 0.6

  /// Longer side that pictures in the file have at most, pixels.
  static let pictureSide = 640
  static let pictureQuality = 85

  /// The scene as a `.glb` file.
  ///
  /// - Throws: `ImageError` if a camera's picture cannot be encoded.
  public static func glb(_ scene: SceneModel) throws(ImageError) -> [UInt8] {
    let origin = scene.localOrigin
    let scene = scene.relative(to: origin)
    var builder = GLBBuilder(origin: origin)
    var shapes = SceneShapes()
    for camera in scene.cameras { try add(camera, to: &builder) }
    for (index, object) in scene.objects.enumerated() {
      add(object, color: ScenePalette.color(index), to: &builder, &shapes)
    }
    if scene.points.count > 0 { add(scene.points, to: &builder) }
    for effect in scene.effects { add(effect, of: scene, to: &builder, &shapes) }
    return builder.serialized()
  }

  // MARK: - Cameras

  private static func add(
    _ camera: SceneModel.Camera, to builder: inout GLBBuilder
  ) throws(ImageError) {
    let size = camera.orientation.apply(to: camera.intrinsics.imageSize)
    let focal = camera.orientation.transposes ? camera.intrinsics.fx : camera.intrinsics.fy
    let optics = builder.addCamera(
      verticalFieldOfView: 2 * atan(Double(size.height) / (2 * focal)),
      aspectRatio: Double(size.width) / Double(size.height), nearest: nearPlane)
    let pose = camera.cameraToWorld
    builder.addNode(
      name: "camera \(camera.name)",
      [
        "camera": .integer(optics), "translation": triple(pose.origin),
        "rotation": .array((pose.rotation * camera.orientation.roll).xyzw.map(JSONValue.number)),
      ])
    try addFrustum(of: camera, to: &builder)
  }

  /// Lines from the camera's center to the picture's corners, the picture's outline and the picture itself.
  private static func addFrustum(
    of camera: SceneModel.Camera, to builder: inout GLBBuilder
  ) throws(ImageError) {
    let bounds = camera.intrinsics.imageSize.bounds(in: ImagePixels.self)
    let corners = [
      Point2<ImagePixels>(bounds.minX, bounds.minY), Point2(bounds.maxX, bounds.minY),
      Point2(bounds.maxX, bounds.maxY), Point2(bounds.minX, bounds.maxY),
    ].map { camera.cameraToWorld.apply(camera.intrinsics.unproject($0, depth: frustumDepth)) }
    let positions = builder.addPositions(floats([camera.cameraToWorld.origin] + corners))
    let indices = builder.addIndices([0, 1, 0, 2, 0, 3, 0, 4, 1, 2, 2, 3, 3, 4, 4, 1])
    let material = builder.add(.init(name: "camera", baseColor: [0.8, 0.8, 0.8, 1]))
    let lines = builder.primitive(.lines, positions: positions, indices: indices, material: material)
    let name = "frustum \(camera.name)"
    var primitives = [lines]
    if let picture = camera.picture {
      let texture = builder.addTexture(
        jpeg: try ImageCodec.encodeJPEG(reduced(picture), quality: pictureQuality),
        name: "picture \(camera.name)")
      primitives.append(
        builder.primitive(
          .triangles, positions: builder.addPositions(floats(corners)),
          textureCoordinates: builder.addTextureCoordinates([0, 0, 1, 0, 1, 1, 0, 1]),
          indices: builder.addIndices([0, 3, 2, 0, 2, 1]),
          material: builder.add(
            .init(
              name: "picture \(camera.name)", baseColor: [1, 1, 1, 1], isDoubleSided: true, texture: texture))
        ))
    }
    let mesh = builder.addMesh(name: name, primitives)
    builder.addNode(name: name, ["mesh": .integer(mesh)])
  }

  /// The picture halved, which averages 2x2 pixels, until it is small enough.
  private static func reduced(_ picture: RGBImage) -> RGBImage {
    var reduced = picture
    while max(reduced.width, reduced.height) > pictureSide, min(reduced.width, reduced.height) > 1 {
      reduced = reduced.resizedBilinear8(width: reduced.width / 2, height: reduced.height / 2)
    }
    return reduced
  }

  // MARK: - Objects and points

  private static func add(
    _ object: SceneModel.Object, color: [Double], to builder: inout GLBBuilder, _ shapes: inout SceneShapes
  ) {
    let name = "\(object.className) \(object.id)"
    let edges = builder.add(.init(name: "\(name) edges", baseColor: color + [1]))
    let faces = builder.add(
      .init(name: "\(name) faces", baseColor: color + [faceOpacity], isDoubleSided: true))
    let cube = shapes.cube(&builder)
    let mesh = builder.addMesh(
      name: name,
      [
        builder.primitive(.lines, positions: cube.positions, indices: cube.edges, material: edges),
        builder.primitive(.triangles, positions: cube.positions, indices: cube.faces, material: faces),
      ])
    builder.addNode(
      name: name,
      [
        "mesh": .integer(mesh), "translation": triple(object.box.center),
        "rotation": .array(object.box.rotation.xyzw.map(JSONValue.number)),
        "scale": triple(object.box.dimensions),
        "extras": [
          "objectId": .integer(object.id), "className": .string(object.className),
          "distanceMeters": .rounded(object.distanceMeters, decimals: 4),
          "distanceSource": .string(object.source.rawValue), "method": .string(object.box.method.rawValue),
        ],
      ])
  }

  private static func add(_ points: PointCloud, to builder: inout GLBBuilder) {
    let light = (0..<256).map {
      UInt16((SRGBTransfer.linear(fromStored: Double($0) / 255) * Double(UInt16.max)).rounded())
    }
    let positions = builder.addPositions(points.coordinates)
    let colors = builder.addLinearColors(points.colors.map { light[Int($0)] })
    let material = builder.add(.init(name: "points", baseColor: [1, 1, 1, 1]))
    let mesh = builder.addMesh(
      name: "points", [builder.primitive(.points, positions: positions, colors: colors, material: material)])
    builder.addNode(name: "points", ["mesh": .integer(mesh)])
  }

  // MARK: - Effects

  private static func add(
    _ effect: PlacedEffect, of scene: SceneModel, to builder: inout GLBBuilder, _ shapes: inout SceneShapes
  ) {
    let name = scene.name(of: effect)
    var fields: [String: JSONValue] = [
      "extras": [
        "effect": .string(effect.type.rawValue), "objectId": effect.objectId.map(JSONValue.integer) ?? .null,
        "scale": .rounded(effect.scale, decimals: 6), "billboard": .bool(effect.billboard),
      ]
    ]
    guard let shape = scene.shape(of: effect) else { return }
    let color = ScenePalette.color(of: effect.type)
    switch shape {
    case .points(let cloud):
      let material = builder.add(.init(name: "debug points", baseColor: color + [1]))
      let positions = builder.addPositions(floats(cloud))
      fields["mesh"] = .integer(
        builder.addMesh(name: name, [builder.primitive(.points, positions: positions, material: material)]))
    case .cube(let transform, let sides):
      let cube = shapes.cube(&builder)
      let material = builder.add(
        .init(name: "debug cube", baseColor: color + [cubeOpacity], isDoubleSided: true))
      fields["mesh"] = .integer(
        builder.addMesh(
          name: name,
          [builder.primitive(.triangles, positions: cube.positions, indices: cube.faces, material: material)])
      )
      place(transform, &fields)
      fields["scale"] = triple(sides)
    case .plane(let transform, let width, let height):
      let quad = shapes.quad(&builder)
      let material = builder.add(
        .init(name: effect.type.rawValue, baseColor: color + [effectOpacity], isDoubleSided: true))
      fields["mesh"] = .integer(
        builder.addMesh(
          name: name,
          [builder.primitive(.triangles, positions: quad.positions, indices: quad.faces, material: material)])
      )
      place(transform, &fields)
      fields["scale"] = triple(BoxDimensions(x: width, y: height, z: 1))
    }
    builder.addNode(name: name, fields)
  }

  private static func place(
    _ transform: RigidTransform<EffectSpace, World>, _ fields: inout [String: JSONValue]
  ) {
    fields["translation"] = triple(transform.origin)
    fields["rotation"] = .array(transform.rotation.xyzw.map(JSONValue.number))
  }

  // MARK: - Numbers

  private static func triple(_ point: Point3<World>) -> JSONValue {
    [.number(point.x), .number(point.y), .number(point.z)]
  }

  private static func triple(_ sides: BoxDimensions) -> JSONValue {
    [.number(sides.x), .number(sides.y), .number(sides.z)]
  }

  private static func floats(_ points: [Point3<World>]) -> [Float] {
    points.flatMap { [Float($0.x), Float($0.y), Float($0.z)] }
  }
}
