import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Boxes of exactly cast scenes, noise-free: every side that is seen is found, whatever the view.
@Suite struct SurfaceBoxTests {
  /// Bars of docs/explanation/measuring.md, as shares.
  static let worstSide = 0.03
  static let medianSide = 0.01
  /// Degrees.
  static let worstYaw = 1.0
  /// Largest error of a center, as a share of the distance.
  static let worstCenter = 0.01
  static let rounding = 1e-9

  static func scene(
    _ size: (x: Double, y: Double, z: Double), distance: Double, pitch: Double, yaw: Double = 0.5
  ) -> TableScene {
    var scene = TableScene()
    scene.size = size
    scene.distance = distance
    scene.pitchDown = pitch * .pi / 180
    scene.yaw = yaw
    return scene
  }

  /// With the mask's exact outline, or as a detector's grid of 160 cells has it.
  ///
  /// - `blind`: So many rows at the top and the bottom of the stored picture have no reading.
  static func measured(_ scene: TableScene, noise: Double = 0, hasExactMask: Bool = true, blind: Int = 0)
    -> ObjectExtent
  {
    var sensor = scene.sensor(width: 256, 192).depth
    for row in [0..<blind, 192 - blind..<192].joined() { for column in 0..<256 { sensor[column, row] = 0 } }
    var random = SplitMix64(seed: 7)
    let noisy = sensor.map { meters -> Float in
      let millimeters: Double = Double(meters) * (1 + noise * random.gaussian()) * 1000
      return Float(millimeters.rounded() / 1000)
    }
    let depth = noise > 0 ? noisy : sensor
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: depth,
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return ExtentEstimator(scene: DepthScene(frame: frame))
      .extent(of: hasExactMask ? scene.exactDetection() : scene.detection())
  }

  static func errors(_ box: Box3D, _ scene: TableScene) -> [Double] {
    [
      box.dimensions.x / scene.size.x - 1, box.dimensions.y / scene.size.y - 1,
      box.dimensions.z / scene.size.z - 1,
    ].map(abs)
  }

  static let solids: [(size: (x: Double, y: Double, z: Double), distance: Double)] = [
    ((0.36, 0.19, 0.24), 1.2), ((1.9, 0.5, 1.5), 3.2), ((0.6, 0.03, 0.4), 1.5),
  ]

  @Test(arguments: [15.0, 25, 30, 40, 50]) func exactBoxesAreExact(pitch: Double) throws {
    var sides: [Double] = []
    for solid in Self.solids {
      let scene = Self.scene(solid.size, distance: solid.distance, pitch: pitch)
      let extent = Self.measured(scene)
      let box = try #require(extent.box3D)
      let errors = Self.errors(box, scene)
      #expect(errors.allSatisfy { $0 < Self.worstSide }, "\(solid.size) \(errors)")
      #expect(Box3DTests.halfTurnDifference(box.yaw, scene.yaw) < Self.worstYaw * .pi / 180)
      #expect(box.center.distance(to: scene.center) < Self.worstCenter * solid.distance)
      #expect(box.method == .surfaces)
      #expect(extent.sides?.minY == .floor && extent.sides?.maxY == .observed)
      sides += errors
    }
    #expect(sides.sorted()[sides.count / 2] < Self.medianSide)
  }

  @Test(arguments: [20.0, 40]) func noiseCostsLittle(pitch: Double) throws {
    for solid in Self.solids {
      let scene = Self.scene(solid.size, distance: solid.distance, pitch: pitch)
      let box = try #require(Self.measured(scene, noise: 0.003).box3D)
      let errors = Self.errors(box, scene)
      #expect(errors.allSatisfy { $0 < 0.08 }, "\(solid.size) \(errors)")
      #expect(Box3DTests.halfTurnDifference(box.yaw, scene.yaw) < 4 * .pi / 180)
    }
  }

  /// The top is seen at 5 degrees: each of its rows of cells is ten times as long as wide.
  @Test(arguments: [0, 0.14, Double.pi / 2]) func aTopAtAGrazingViewIsWhole(yaw: Double) throws {
    let scene = Self.scene((0.2, 0.12, 0.17), distance: 0.64, pitch: 12, yaw: yaw)
    let errors = Self.errors(try #require(Self.measured(scene).box3D), scene)
    #expect(errors.allSatisfy { $0 < Self.worstSide }, "\(errors)")
  }

  /// As the box turns, the camera comes before the plane of its right face: narrower than a cell, the face has no reading,
  /// and the mask holds it.
  @Test(arguments: [0.225, 0.23, 0.24, 0.25, 0.26]) func aFaceSeenEdgeOnAddsNothing(yaw: Double) throws {
    let scene = Self.scene((0.36, 0.19, 0.24), distance: 0.9, pitch: 25, yaw: yaw)
    let box = try #require(Self.measured(scene).box3D)
    #expect(abs(box.dimensions.x / scene.size.x - 1) < 0.002)
  }

  @Test(arguments: [15.0, 35, 55]) func cylindersAreExact(pitch: Double) throws {
    for (width, distance) in [(0.09, 0.5), (0.6, 1.5)] {
      var scene = Self.scene((width, 0.8 * width, width), distance: distance, pitch: pitch)
      scene.isCylinder = true
      let exact = Self.measured(scene)
      let box = try #require(exact.box3D)
      #expect(Self.errors(box, scene).allSatisfy { $0 < 0.003 }, "\(Self.errors(box, scene))")
      #expect(box.center.distance(to: scene.center) < 0.003 * width)
      #expect(exact.warnings.contains(.round))
      let noisy = try #require(Self.measured(scene, noise: 0.003, hasExactMask: false).box3D)
      #expect(Self.errors(noisy, scene).allSatisfy { $0 < 0.01 }, "\(Self.errors(noisy, scene))")
    }
  }

  /// No box explains them: what is missing of one is fitted with it.
  @Test(arguments: [25.0, 40, 55]) func partsOfABoxAreMeasuredAsPreciselyAsBoxes(pitch: Double) throws {
    for parts in [TableScene.corner, TableScene.step] {
      for yaw in [-2.3, -0.7, 0.4, 1.9] {
        var scene = Self.scene((0.5, 0.25, 0.4), distance: 1.4, pitch: pitch, yaw: yaw)
        scene.parts = parts
        for (noise, bar) in [(0.0, 0.01), (0.003, 0.01)] {
          let extent = Self.measured(scene, noise: noise, hasExactMask: noise == 0)
          let box = try #require(extent.box3D)
          let errors = Self.errors(box, scene)
          #expect(errors.allSatisfy { $0 < bar }, "\(parts.count) \(yaw) \(noise) \(errors)")
          #expect(Box3DTests.halfTurnDifference(box.yaw, scene.yaw) < 0.3 * .pi / 180)
        }
      }
    }
  }

  /// Lower than twelve standard deviations of their cells' heights; no cell's own reading says where they end.
  @Test(arguments: [12.0, 20, 40]) func lowSlabsUnderNoiseEndWhereTheyEnd(pitch: Double) throws {
    for (size, distance) in [((x: 0.6, y: 0.03, z: 0.4), 1.5), ((x: 0.28, y: 0.02, z: 0.2), 1)] {
      let scene = Self.scene(size, distance: distance, pitch: pitch)
      let extent = Self.measured(scene, noise: 0.003, hasExactMask: false)
      let errors = Self.errors(try #require(extent.box3D), scene)
      #expect(errors[0] < 0.01 && errors[2] < 0.01 && errors[1] < 0.04, "\(size) \(errors)")
      #expect(!extent.warnings.contains(.uncertainSize))
    }
  }

  /// A row of cells is 0.09 m long on the top: an end along a row may lie anywhere in it, one aslant crosses many.
  @Test func coarseCellsAreSaid() throws {
    func measured(yaw: Double) throws -> (error: Double, isUncertain: Bool) {
      let scene = Self.scene((0.5, 0.2, 0.5), distance: 2.5, pitch: 12, yaw: yaw)
      let extent = Self.measured(scene, noise: 0.003, hasExactMask: false)
      let errors = Self.errors(try #require(extent.box3D), scene)
      return (errors.max() ?? 0, extent.warnings.contains(.uncertainSize))
    }
    let along = try measured(yaw: 0.02)
    #expect(along.isUncertain, "\(along)")
    let aslant = try measured(yaw: 0.2)
    #expect(aslant.error < 0.02 && !aslant.isUncertain, "\(aslant)")
  }

  @Test func readingsBeyondFourMetersCount() throws {
    let scene = Self.scene((1.9, 0.5, 1.5), distance: 5.5, pitch: 30)
    let extent = Self.measured(scene)
    #expect(extent.distance.source == .sensor)
    #expect(Self.errors(try #require(extent.box3D), scene).allSatisfy { $0 < Self.worstSide })
  }

  @Test func theBackOfWhatIsSeenFromTheFrontAloneIsInferred() throws {
    // The camera is lower than the cupboard's top: its depth is not seen.
    let scene = Self.scene((0.8, 1.6, 0.4), distance: 2, pitch: 0, yaw: 0)
    let extent = Self.measured(scene)
    let sides = try #require(extent.sides)
    #expect([sides.minX, sides.maxX, sides.minZ, sides.maxZ].contains(.inferred))
    #expect(extent.warnings.contains(.unseenSide))
    let (box, errors) = (try #require(extent.box3D), try #require(extent.errors))
    #expect(abs(box.dimensions.x - 0.8) < 0.03 * 0.8)
    #expect(box.dimensions.z + BoxErrors.deviations * errors.dimensions.z > 0.4, "\(errors)")
  }

  /// The largest level surface below is the floor, but the box touches another.
  @Test(arguments: [25.0, 40]) func aBoxOnABoxEndsAtItsTop(pitch: Double) throws {
    var scene = Self.scene((0.3, 0.16, 0.22), distance: 1.8, pitch: pitch)
    scene.lower = (0.62, 0.3, 0.5)
    for noise in [0, 0.003] {
      let extent = Self.measured(scene, noise: noise, hasExactMask: noise == 0)
      let errors = Self.errors(try #require(extent.box3D), scene)
      #expect(errors.allSatisfy { $0 < Self.worstSide }, "\(noise) \(errors)")
      #expect(extent.sides?.minY == .floor)
    }
  }

  /// A box's face through a curved one is explained by nothing but noise that is too large.
  @Test func aCurvedFaceIsNone() throws {
    var scene = Self.scene((0.7, 0.38, 0.38), distance: 1.8, pitch: 35)
    #expect(!Self.measured(scene, noise: 0.003).warnings.contains(.irregular))
    scene.isLying = true
    #expect(Self.measured(scene, noise: 0.003).warnings.contains(.irregular))
  }

  /// Where the mask reaches the picture's border the object is cut, even if readings end before.
  @Test func aMaskAtTheBorderIsCutOff() throws {
    var scene = Self.scene((0.36, 0.19, 0.24), distance: 1.2, pitch: 40)
    scene.aside = 0.5
    for blind in [0, 8] {
      let warnings = Self.measured(scene, blind: blind).warnings
      #expect(warnings.contains(.cutOff) && warnings.contains(.unseenSide), "\(blind) \(warnings)")
    }
    scene.aside = 0.25
    #expect(!Self.measured(scene).warnings.contains(.cutOff))
  }

  /// Where the sensor reads next to nothing of the object, fused depth takes its place; else it takes no part.
  @Test func gapsAreFilledFromFusedDepth() throws {
    let scene = Self.scene((0.36, 0.19, 0.24), distance: 1.2, pitch: 40)
    let whole = scene.sensor(width: 256, 192)
    let rows = (0..<192).filter { y in (0..<256).contains { whole.isBox[$0, y] != 0 } }
    var holed = whole.depth
    for y in rows.suffix(9 * rows.count / 10) { for x in 0..<256 { holed[x, y] = 0 } }
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: holed,
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    func errors(_ fused: MetricDepth?) -> [Double] {
      ExtentEstimator(scene: DepthScene(frame: frame, fused: fused)).extent(of: scene.detection()).box3D
        .map { Self.errors($0, scene) } ?? [1]
    }
    let guided = try #require(
      MetricDepth(
        values: whole.depth, codes: Plane(width: 256, height: 192, fill: DepthState.guided.rawValue)))
    let (filled, bare) = (errors(guided), errors(nil))
    #expect(filled.allSatisfy { $0 < Self.worstSide }, "\(filled)")
    #expect(bare.contains { $0 > 0.1 }, "\(bare)")
  }

  @Test func sidesAreWritten() throws {
    let scene = Self.scene((0.36, 0.19, 0.24), distance: 1.2, pitch: 40)
    let extent = Self.measured(scene)
    let sides = try #require(extent.json["box3D"]?["sides"]?.object)
    #expect(Set(sides.keys) == ["-x", "+x", "-y", "+y", "-z", "+z"])
    #expect(sides["-y"]?.string == "floor" && sides["+y"]?.string == "observed")
  }
}
