import AppCore
import Geometry
import Imaging
import Testing

@Suite struct LiveViewTests {
  static let size = PixelSize(width: 320, height: 240)
  static let intrinsics = try! Intrinsics(
    fx: 250, fy: 250, cx: 159.5, cy: 119.5, imageWidth: 320, imageHeight: 240)
  static let white = RGBAImage(width: 8, height: 8, color: .white)

  static func frame(
    depth: Float? = nil, image: RGBImage = RGBImage(width: 320, height: 240), orientation: Orientation = .up,
    pose: RigidTransform<CameraARKit, World> = .identity, occluder: (columns: Range<Int>, depth: Float)? = nil
  ) -> CapturedFrame {
    var plane = depth.map { Plane(width: 80, height: 60, fill: $0) }
    if let occluder {
      for y in 0..<60 { for x in occluder.columns { plane?[x, y] = occluder.depth } }
    }
    return CapturedFrame(
      name: "f", image: image, imageSize: size, depth: plane, intrinsics: intrinsics, cameraToWorld: pose,
      orientation: orientation)
  }

  /// A white plane 2 * scale wide whose middle is at (0, 0, -z).
  static func plane(_ z: Double, scale: Double = 0.2, opacity: Double = 1, box: Box3D? = nil) -> ShownEffect {
    ShownEffect(
      effect: PlacedEffect(
        type: .smoke, objectId: 0, transform: RigidTransform(rotation: .identity, origin: Point3(0, 0, -z)),
        scale: scale, billboard: true), box: box, picture: white, opacity: opacity)
  }

  static func view(_ frame: CapturedFrame, _ effects: [ShownEffect]) async throws -> RGBImage {
    var overlay = LiveOverlay()
    overlay.effects = effects
    return try #require(await LiveViewCompositor().compose(frame, overlay))
  }

  static func lit(_ image: RGBImage) -> Rect<UprightPixels>? {
    var box: Rect<UprightPixels>?
    for y in 0..<image.height {
      for x in 0..<image.width where image[x, y].red > 127 {
        let cell = Rect<UprightPixels>(x: Double(x), y: Double(y), width: 1, height: 1)
        box =
          box.map {
            Rect(
              minX: min($0.minX, cell.minX), minY: min($0.minY, cell.minY), maxX: max($0.maxX, cell.maxX),
              maxY: max($0.maxY, cell.maxY))
          } ?? cell
      }
    }
    return box
  }

  static let picture = RGBImage(
    width: 320, height: 240,
    pixels: (0..<320 * 240 * 3).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 331) })

  @Test(arguments: Orientation.allCases) func theViewIsUpright(_ orientation: Orientation) async throws {
    let view = try await Self.view(Self.frame(image: Self.picture, orientation: orientation), [])
    #expect(view == Self.picture.oriented(orientation))
  }

  @Test(arguments: [1.0, 2.0, 4.0]) func sizeFollowsPerspective(_ z: Double) async throws {
    let box = try #require(Self.lit(try await Self.view(Self.frame(), [Self.plane(z)])))
    // 0.4 m at z meters: 250 * 0.4 / z pixels.
    #expect(abs(box.width - 100 / z) <= 2 && abs(box.height - 100 / z) <= 2)
    #expect(abs(box.center.x - 160) <= 1 && abs(box.center.y - 120) <= 1)
  }

  @Test func theEffectStaysWhereItStandsAsTheCameraMoves() async throws {
    let origin = Point3<World>(0.3, 0.1, 0.2)
    let pose = RigidTransform<CameraARKit, World>(rotation: Quaternion(yaw: 0.12), origin: origin)
    let box = try #require(Self.lit(try await Self.view(Self.frame(pose: pose), [Self.plane(2)])))
    let seen = try #require(Self.intrinsics.project(pose.inverse.apply(Point3(0, 0, -2))))
    #expect(abs(box.center.x - seen.x) <= 1 && abs(box.center.y - seen.y) <= 1)
    // Turned towards the viewer: as wide as high but for perspective.
    #expect(abs(box.width - box.height) <= 2)
  }

  @Test(arguments: Orientation.allCases) func effectsAreDrawnUprightToo(_ orientation: Orientation)
    async throws
  {
    var effect = Self.plane(2)
    effect = ShownEffect(
      effect: PlacedEffect(
        type: .smoke, objectId: nil,
        transform: RigidTransform(rotation: .identity, origin: Point3(0.3, 0.1, -2)), scale: 0.2,
        billboard: true), picture: effect.picture)
    let stored = try #require(Self.lit(try await Self.view(Self.frame(), [effect])))
    let turned = try #require(Self.lit(try await Self.view(Self.frame(orientation: orientation), [effect])))
    let expected = orientation.upright(stored.relabeled(as: ImagePixels.self), stored: Self.size)
    #expect(abs(turned.minX - expected.minX) <= 1 && abs(turned.maxY - expected.maxY) <= 1)
  }

  @Test func whatStandsBeforeAnEffectHidesIt() async throws {
    let before = try await Self.view(Self.frame(depth: 3), [Self.plane(2)])
    #expect(Self.lit(before)?.width ?? 0 > 45)
    #expect(Self.lit(try await Self.view(Self.frame(depth: 1), [Self.plane(2)])) == nil)
    // The right half of the picture is nearer than the effect.
    let half = try await Self.view(
      Self.frame(depth: 3, occluder: (40..<80, 1)), [Self.plane(2)])
    let box = try #require(Self.lit(half))
    #expect(abs(box.minX - 135) <= 2 && abs(box.maxX - 160) <= 3)
    #expect(Self.lit(try await Self.view(Self.frame(), [Self.plane(2)])) != nil, "without depth all is seen")
  }

  @Test func theObjectsOwnSurfaceDoesNotHideItsEffect() async throws {
    let box = Box3D(
      center: Point3(0, 0, -2), dimensions: BoxDimensions(x: 1, y: 1, z: 0.6), yaw: 0, method: .minimumArea)
    let frame = Self.frame(depth: 1.75)
    #expect(Self.lit(try await Self.view(frame, [Self.plane(2)])) == nil)
    #expect(Self.lit(try await Self.view(frame, [Self.plane(2, box: box)])) != nil)
    #expect(Self.lit(try await Self.view(Self.frame(depth: 1.5), [Self.plane(2, box: box)])) == nil)
  }

  @Test func fadingEffectsBlendAndFarOnesComeFirst() async throws {
    let faint = try await Self.view(Self.frame(), [Self.plane(2, opacity: 0.5)])
    #expect(abs(Int(faint[160, 120].red) - 128) <= 1)
    let red = ShownEffect(
      effect: Self.plane(3, scale: 1).effect, picture: RGBAImage(width: 4, height: 4, color: .red))
    for effects in [[red, Self.plane(2)], [Self.plane(2), red]] {
      let view = try await Self.view(Self.frame(), effects)
      #expect(view[160, 120].green == 255, "the near one covers the far one")
      #expect(view[100, 120] == .red)
    }
    let behind = Self.plane(-2)
    #expect(Self.lit(try await Self.view(Self.frame(), [behind])) == nil)
  }

  @Test func debugEffectsShowTheMeasuredShape() async throws {
    let box = Box3D(
      center: Point3(0, 0, -2), dimensions: BoxDimensions(x: 0.4, y: 0.4, z: 0.4), yaw: 0,
      method: .minimumArea)
    let placed = PlacedEffect(
      type: .debugCube, objectId: 0, transform: RigidTransform(rotation: box.rotation, origin: box.center),
      scale: 0.4, billboard: false)
    let gray = RGBImage(width: 320, height: 240, color: Color(red: 100, green: 100, blue: 100))
    let cube = try await Self.view(Self.frame(image: gray), [ShownEffect(effect: placed, box: box)])
    // The near face is 1.8 m away: 0.4 m there are 56 pixels.
    #expect(cube[160, 120].green == 50 && cube[160, 120].red > 120)
    #expect(cube[160 - 26, 120].green == 50 && cube[160 - 30, 120].green == 100)
    let dots = PlacedEffect(
      type: .debugMesh, objectId: 0, transform: .identity, scale: 0.4, billboard: false)
    let cloud = [Point3<World>(0, 0, -0.5), Point3(0.4, 0, -2)]
    let mesh = try await Self.view(
      Self.frame(depth: 1, image: gray), [ShownEffect(effect: dots, cloud: cloud)])
    #expect(mesh[160, 120] == Color(red: 255, green: 255, blue: 0))
    #expect(mesh[159, 119].blue == 0 && mesh[162, 120].blue == 100, "5 mm at 0.5 m are 2.5 pixels")
    #expect(mesh[210, 120].green == 100, "hidden")
  }

  @Test func boxesLabelsAndFiguresLieOnTop() async throws {
    var overlay = LiveOverlay()
    overlay.objects = [
      LabeledBox(box: Rect(x: 120, y: 100, width: 80, height: 60), label: "cup 95%\n2.30 m", source: .sensor)
    ]
    overlay.status = ["30.0 fps, 2 dropped"]
    let gray = Self.frame(image: RGBImage(width: 320, height: 240, color: .white))
    let view = try #require(await LiveViewCompositor().compose(gray, overlay))
    let green = ResultsStyle().measuredColor
    #expect(view[120, 140] == green || view[119, 140] == green)
    #expect(view[20, 12] != .white && view[300, 12] == .white, "the figures' panel")
    let again = try #require(await LiveViewCompositor().compose(gray, overlay))
    #expect(view == again)
    #expect(
      await LiveViewCompositor().compose(
        CapturedFrame(name: "n", image: nil, imageSize: Self.size), overlay) == nil)
  }

  /// A box below the figures: its label goes elsewhere, so that both can be read.
  @Test func labelsKeepOffTheFigures() async throws {
    var overlay = LiveOverlay()
    overlay.status = ["30.0 fps, 2 dropped"]
    let white = Self.frame(image: RGBImage(width: 320, height: 240, color: .white))
    let alone = try #require(await LiveViewCompositor().compose(white, overlay))
    overlay.objects = [
      LabeledBox(box: Rect(x: 4, y: 24, width: 150, height: 180), label: "bed 92%\n1.62 m", source: .sensor)
    ]
    let both = try #require(await LiveViewCompositor().compose(white, overlay))
    for y in 10..<20 { for x in 10..<60 { #expect(both[x, y] == alone[x, y]) } }
  }

  @Test func anAnchoredBoxFollowsItsObject() throws {
    let near = Self.frame()
    let box = Rect<ImagePixels>(x: 140, y: 100, width: 40, height: 40)
    let anchored = try #require(AnchoredBox(box, anchor: Point3(0, 0, -2), in: near))
    #expect(anchored.box(in: near) == box)
    // Two meters further back the object is half as large; a step to the right moves it to the left.
    let far = Self.frame(
      pose: RigidTransform(rotation: .identity, origin: Point3(0.4, 0, 2)))
    let moved = try #require(anchored.box(in: far))
    #expect(abs(moved.width - 20) < 1e-9)
    #expect(abs(moved.center.x - (160 - 25)) < 1e-9)
    let behind = Self.frame(pose: RigidTransform(rotation: Quaternion(yaw: .pi), origin: .origin))
    #expect(anchored.box(in: behind) == nil)
  }
}
