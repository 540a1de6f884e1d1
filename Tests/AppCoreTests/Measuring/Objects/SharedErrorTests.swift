import AppCore
import Geometry
import Imaging
import Testing

/// Errors that neighbors share: they make no parts, cancel across an outline, and count more where no solid fits.
@Suite struct SharedErrorTests {
  /// A low slab seen from above, as a phone reads it.
  private static func slab(_ seed: UInt64) -> (scene: TableScene, extent: ObjectExtent) {
    let scene = SurfaceBoxTests.scene((0.6, 0.04, 0.4), distance: 1.6, pitch: 50)
    let depth = SensorSizesTests.blurred(SensorSizesTests.warped(scene, seed: seed), cells: 0.8)
    return (scene, SensorSizesTests.measured(scene, depth, .lidar))
  }

  /// The warp's highest bump is not the top: parts less deep than it are not missing of the slab.
  @Test func aSlabIsAsHighAsItsOutlineSays() throws {
    var sum = 0.0
    for seed in 1...6 {
      let (scene, extent) = Self.slab(UInt64(seed))
      let (box, errors) = (try #require(extent.box3D), try #require(extent.errors))
      let off = abs(box.dimensions.y - scene.size.y)
      sum += off / scene.size.y
      #expect(off < 1.5 * BoxErrors.deviations * errors.dimensions.y, "\(seed): \(box.dimensions)")
    }
    #expect(sum / 6 < 0.2, "\(sum / 6)")
  }

  /// Readings that curve away from a box's faces tell less of where it ends.
  @Test func aMisfitWidensIntervals() throws {
    var scene = SurfaceBoxTests.scene((0.7, 0.38, 0.38), distance: 1.8, pitch: 35)
    func measured() throws -> (reach: Double, warnings: [ExtentWarning]) {
      let extent = SensorSizesTests.measured(scene, SensorSizesTests.warped(scene, seed: 3), .lidar)
      let (box, errors) = (try #require(extent.box3D), try #require(extent.errors))
      return (errors.dimensions.z / box.dimensions.z, extent.warnings)
    }
    let box = try measured()
    scene.isLying = true
    let lying = try measured()
    #expect(lying.reach > box.reach, "\(lying.reach) and \(box.reach)")
    #expect(lying.warnings.contains(.irregular))
  }
}
