import AppCore
import Geometry
import Imaging
import Testing

/// The solid that is taken for the right one where a phone's readings err as if parts of it were missing.
@Suite struct ErringSensorTests {
  /// A box that is as wide in the picture whatever its size, and the seed of its neighborhoods' errors.
  struct View {
    var size = (x: 0.36, y: 0.19, z: 0.24)
    var pitch = 20.0
    var yaw = 0.3
    var seed: UInt64 = 1

    static let larger = (x: 0.6, y: 0.3, z: 0.4)

    var scene: TableScene { SurfaceBoxTests.scene(size, distance: 3 * size.x, pitch: pitch, yaw: yaw) }

    /// The extent of the box, whose neighborhoods err and whose steps are ramps.
    var extent: ObjectExtent {
      let depth = SensorSizesTests.blurred(SensorSizesTests.warped(scene, seed: seed), cells: 0.8)
      return SensorSizesTests.measured(scene, depth, .lidar)
    }
  }

  static func shares(_ extent: ObjectExtent) throws -> [Double] {
    let (sides, errors) = (try #require(extent.box3D).dimensions, try #require(extent.errors).dimensions)
    return [errors.x / sides.x, errors.y / sides.y, errors.z / sides.z].map { BoxErrors.deviations * $0 }
  }

  // MARK: Whole boxes

  /// Errors that neighbors share look like parts that are missing: a box with such parts is 45 % too long or too short.
  @Test(arguments: [
    View(size: View.larger, yaw: 0.8), View(yaw: 0.8, seed: 2), View(pitch: 35, yaw: 0.5, seed: 2),
  ])
  func aWholeBoxIsPreferredToOneWithMissingParts(view: View) throws {
    let extent = view.extent
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), view.scene)
    #expect(errors.allSatisfy { $0 < 0.12 }, "\(errors)")
    // More than strays is left unexplained, and the interval of a side is wide.
    #expect(extent.warnings.contains(.irregular), "\(extent.warnings)")
  }

  /// The same errors leave as much of two boxes unexplained: that matters for the one whose depth is uncertain.
  @Test(arguments: [UInt64(1), 3]) func aSolidIsIrregularOnlyWhereAnIntervalIsWide(seed: UInt64) throws {
    let wide = View(size: View.larger, seed: seed).extent
    #expect(wide.warnings.contains(.uncertainSize) && wide.warnings.contains(.irregular))
    let narrow = View(seed: seed).extent
    #expect(try Self.shares(narrow).allSatisfy { $0 < 0.15 })
    #expect(!narrow.warnings.contains(.irregular), "\(narrow.warnings)")
  }

  /// Nothing of the surface leads to the far side, but the camera would see more of the top if that were larger.
  @Test func aFarSideThatIsShownIsKnown() throws {
    let extent = View(pitch: 50, yaw: 0, seed: 2).extent
    let sides = try #require(extent.sides)
    #expect([sides.minZ, sides.maxZ].contains(.inferred), "\(sides)")
    let shares = try Self.shares(extent)
    #expect(shares[2] < 0.15, "\(shares)")
  }

  // MARK: Displaced edges

  /// Every second band of so many rows lies a cell to one side, the others to the other.
  private static func displaced(_ depth: Plane<Float>, rows: Int) -> Plane<Float> {
    var moved = depth
    for y in 0..<depth.height {
      let step = y / rows % 2 == 0 ? 1 : -1
      for x in 0..<depth.width { moved[x, y] = depth[min(max(x + step, 0), depth.width - 1), y] }
    }
    return moved
  }

  private static func displaced(
    _ size: (x: Double, y: Double, z: Double), distance: Double, pitch: Double, yaw: Double = 0.5, rows: Int,
    blur: Double = 0
  ) -> (scene: TableScene, extent: ObjectExtent) {
    let scene = SurfaceBoxTests.scene(size, distance: distance, pitch: pitch, yaw: yaw)
    let sharp = displaced(scene.sensor(width: 256, 192).depth, rows: rows)
    let depth = blur > 0 ? SensorSizesTests.blurred(sharp, cells: blur) : sharp
    return (scene, SensorSizesTests.measured(scene, depth, .lidar))
  }

  /// A whole box explains all but cells at edges that the sensor displaces: it is taken where nothing explains more.
  @Test(arguments: [(yaw: 0.2, distance: 1.1, rows: 2), (0.5, 0.8, 3), (0.8, 0.8, 6)])
  func displacedEdgesAreNotTheObjects(_ view: (yaw: Double, distance: Double, rows: Int)) throws {
    let (scene, extent) = Self.displaced(
      (0.2, 0.2, 0.15), distance: view.distance, pitch: 15, yaw: view.yaw, rows: view.rows)
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), scene)
    #expect(errors.allSatisfy { $0 < 0.03 }, "\(errors)")
    #expect(try Self.shares(extent).allSatisfy { $0 < 0.15 })
    #expect(extent.warnings.isEmpty, "\(extent.warnings)")
  }

  /// A box with missing parts that explains as little is not taken: it is off by 60 %.
  @Test func onlyAWholeBoxIsTakenForDisplacedEdges() throws {
    let (scene, extent) = Self.displaced((0.36, 0.19, 0.24), distance: 2.16, pitch: 25, rows: 3, blur: 0.8)
    let errors = SurfaceBoxTests.errors(try #require(extent.box3D), scene)
    #expect(errors.allSatisfy { $0 < 0.06 }, "\(errors)")
  }

  /// A solid that explains more is preferred to it, whose turn is off by 8 degrees here.
  @Test func displacedEdgesComeLast() throws {
    let (scene, extent) = Self.displaced((0.2, 0.2, 0.15), distance: 0.8, pitch: 40, rows: 6, blur: 0.8)
    let yaw = try #require(extent.box3D).yaw
    #expect(Box3DTests.halfTurnDifference(yaw, scene.yaw) < 2 * .pi / 180, "\(yaw)")
    #expect(!extent.warnings.contains(.irregular))
  }
}
