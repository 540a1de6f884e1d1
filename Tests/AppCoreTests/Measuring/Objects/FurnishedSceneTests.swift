import AppCore
import Foundation
import Geometry
import Imaging
import Testing

/// Boxes of things that are not boxes, and of things among furniture, as a phone reads them.
@Suite struct FurnishedSceneTests {
  private static func blurred(_ scene: TableScene) -> Plane<Float> {
    SensorSizesTests.blurred(scene.sensor(width: 256, 192).depth, cells: 0.8)
  }

  private static func ball() -> TableScene {
    var scene = SurfaceBoxTests.scene((0.24, 0.24, 0.24), distance: 0.9, pitch: 30)
    scene.isBall = true
    scene.wall = 0.6
    return scene
  }

  /// The cells within so many of one that sees another thing than it.
  private static func atEdges(_ isBox: Plane<UInt8>, _ reach: Int) -> [Bool] {
    (0..<256 * 192).map { cell in
      let (x, y) = (cell % 256, cell / 256)
      guard x >= reach, y >= reach, x < 256 - reach, y < 192 - reach else { return false }
      return (-reach...reach).contains { dy in
        (-reach...reach).contains { isBox[x + $0, y + dy] != isBox[x, y] }
      }
    }
  }

  /// A frame whose sensor is unsure of the cells beside every step.
  private static func unsure(_ scene: TableScene, _ depth: Plane<Float>) -> CapturedFrame {
    let edges = atEdges(scene.sensor(width: 256, 192).isBox, 3)
    return CapturedFrame(
      name: "unsure", image: nil, imageSize: TableScene.imageSize, depth: depth,
      confidence: Plane(width: 256, height: 192, elements: edges.map { $0 ? 1 : 2 }),
      sensor: SensorModel(.lidar), intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose,
      orientation: .right)
  }

  /// Beside a surface that curves away no plane ends at a step: it is carried on as it curves.
  @Test func aCurvedSurfaceReachesItsOutline() throws {
    let scene = Self.ball()
    let isBox = scene.sensor(width: 256, 192).isBox
    let readings = try #require(DepthScene(frame: Self.unsure(scene, Self.blurred(scene))).readings)
    let edges = Self.atEdges(isBox, 3)
    let cells = edges.indices.filter { edges[$0] && isBox.elements[$0] == 1 }
    let read = cells.count { readings.states.elements[$0] == .measured }
    #expect(Double(read) > 0.25 * Double(cells.count), "\(read) of \(cells.count)")
  }

  /// A chair's thin back that the sensor does not read: its seat is not its top.
  @Test func anUnreadBackGoesOnAboveASeat() throws {
    var scene = SurfaceBoxTests.scene((0.5, 0.9, 0.5), distance: 2, pitch: 25, yaw: 0.2)
    scene.parts = [
      TableScene.Part(from: (0, 0, 0), to: (1, 0.5, 1)), TableScene.Part(from: (0, 0, 0), to: (1, 1, 0.1)),
    ]
    var low = scene
    low.parts = [scene.parts[0]]
    let (whole, seat) = (scene.sensor(width: 256, 192), low.sensor(width: 256, 192).depth)
    var values = whole.depth.elements
    for cell in values.indices where whole.isBox.elements[cell] == 1 && values[cell] != seat.elements[cell] {
      values[cell] = 0
    }
    let map = Plane(width: 256, height: 192, elements: values)
    let extent = SensorSizesTests.measured(scene, map, .lidar)
    #expect(try #require(extent.sides).maxY == .inferred)
  }

  /// The underside of a board above is not what an object stands on.
  @Test func aBoardAboveIsNotASupport() throws {
    var scene = SurfaceBoxTests.scene((0.4, 0.2, 0.2), distance: 1, pitch: -12)
    scene.board = 0.26
    scene.wall = 0.4
    let extent = SensorSizesTests.measured(scene, Self.blurred(scene), .lidar)
    #expect(extent.errors != nil && extent.warnings.contains(.noSupport))
  }
}
