import AppCore
import Foundation
import Geometry
import Imaging
import Testing

/// A slab on the floor of a room whose walls lie along its sides.
struct SlabRoom {
  var slab = SurfaceBoxTests.scene((0.6, 0.05, 0.6), distance: 1.8, pitch: 40, yaw: 0.45)
  /// From the slab's middle to either wall, meters; nil for none.
  var walls: Double? = 1.0
  /// Half the width of the strip of the slab, along its diagonal, that the mask holds; nil for all of it.
  var strip: Double?

  /// The slab's own axes on the floor.
  private var axes: [(x: Double, z: Double)] {
    [(cos(slab.yaw), -sin(slab.yaw)), (sin(slab.yaw), cos(slab.yaw))]
  }

  var depth: Plane<Float> {
    var depth = slab.sensor(width: 256, 192).depth
    guard let walls else { return depth }
    let pose = slab.pose
    for y in 0..<192 {
      for x in 0..<256 {
        let (u, v) = ((Double(x) + 0.5) * 7.5 - 0.5, (Double(y) + 0.5) * 7.5 - 0.5)
        let ray = pose.apply(
          Vector3<CameraARKit>(
            (u - TableScene.cx) / TableScene.fx, -(v - TableScene.cy) / TableScene.fy, -1))
        let from = pose.origin - slab.center
        for axis in axes {
          // The wall lies on the far side, against the axis.
          let meters = (-walls - axis.x * from.x - axis.z * from.z) / (axis.x * ray.x + axis.z * ray.z)
          if meters > 0 { depth[x, y] = min(depth[x, y], Float(meters)) }
        }
      }
    }
    return depth
  }

  var detection: Detection {
    let detection = slab.exactDetection()
    guard let strip, let whole = detection.mask?.binary() else { return detection }
    let pose = slab.pose
    var mask = whole
    for v in 0..<mask.height {
      for u in 0..<mask.width where mask[u, v] != 0 {
        let hit = slab.cast(Double(u), Double(v), pose)
        let ray = pose.apply(
          Vector3<CameraARKit>(
            (Double(u) - TableScene.cx) / TableScene.fx, -(Double(v) - TableScene.cy) / TableScene.fy, -1))
        let place = pose.origin + ray * hit.z - slab.center
        let along = axes.map { $0.x * place.x + $0.z * place.z }
        if abs(along[0] - along[1]) / 2.0.squareRoot() > strip { mask[u, v] = 0 }
      }
    }
    return Detection(
      id: 0, classId: 0, className: "slab", confidence: 0.9, box: detection.box,
      mask: InstanceMask(binary: mask))
  }

  var depthScene: DepthScene { slab.depthScene(MetricDepth(sensor: depth)) }

  /// How far the measured box is turned from the slab, without whole quarter turns, degrees.
  func turnError() throws -> Double {
    let box = try #require(ExtentEstimator(scene: depthScene).extent(of: detection).box3D)
    return abs((box.yaw - slab.yaw).remainder(dividingBy: .pi / 2)) * 180 / .pi
  }
}

@Suite struct RoomDirectionsTests {
  @Test func wallsShowTheRoom() throws {
    for yaw in [0.1, 0.45, 1.2] {
      var room = SlabRoom()
      room.slab.yaw = yaw
      let found = try #require(RoomDirections(room.depthScene))
      // Turns go from x towards z, yaws from x against it.
      #expect(abs((found.turn + yaw).remainder(dividingBy: .pi / 2)) < 0.2 * .pi / 180)
      #expect(found.distance(from: .pi - yaw) < 0.2 * .pi / 180)
      #expect(abs(found.distance(from: .pi / 4 - yaw) - .pi / 4) < 0.2 * .pi / 180)
    }
  }

  @Test func aFloorAloneShowsNone() {
    var room = SlabRoom()
    room.walls = nil
    #expect(RoomDirections(room.depthScene) == nil)
  }

  /// The mask holds a strip of the slab aslant, whose edges are no sides of it: the faces and the room tell its turn.
  @Test func aStripIsTurnedAsItsFacesAreWithTheRoomAndWithout() throws {
    for walls in [SlabRoom().walls, nil] {
      var room = SlabRoom()
      room.strip = 0.15
      room.walls = walls
      #expect(try room.turnError() < 0.5)
    }
  }

  @Test func anObjectWithClearSidesKeepsItsOwnTurn() throws {
    var empty = SlabRoom()
    empty.slab.size = (1e-6, 1e-6, 1e-6)
    var room = SlabRoom()
    room.slab.yaw += 0.5
    let sensor = room.slab.sensor(width: 256, 192)
    var depth = empty.depth
    for y in 0..<192 {
      for x in 0..<256 where sensor.isBox[x, y] != 0 { depth[x, y] = sensor.depth[x, y] }
    }
    let scene = room.slab.depthScene(MetricDepth(sensor: depth))
    #expect(RoomDirections(scene) != nil)
    let box = try #require(ExtentEstimator(scene: scene).extent(of: room.detection).box3D)
    #expect(abs((box.yaw - room.slab.yaw).remainder(dividingBy: .pi / 2)) < 1 * .pi / 180)
  }
}
