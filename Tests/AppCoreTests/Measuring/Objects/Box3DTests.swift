import AppCore
import FileFormats
import Foundation
import Geometry
import TestSupport
import Testing

@Suite struct Box3DTests {
  static let rounding = 1e-9

  /// Random points that fill a box of 0.6 x 0.3 x 0.2 m, its corners included.
  static func cloud(_ random: inout SplitMix64) -> [Point3<World>] {
    var points = [-1.0, 1].flatMap { x in
      [-1.0, 1].flatMap { y in [-1.0, 1].map { z in Point3<World>(0.3 * x, 0.15 * y, 0.1 * z) } }
    }
    for _ in 0..<200 {
      points.append(
        Point3(
          Double.random(in: -0.3...0.3, using: &random), Double.random(in: -0.15...0.15, using: &random),
          Double.random(in: -0.1...0.1, using: &random)))
    }
    return points
  }

  static func moved(_ points: [Point3<World>], yaw: Double, by shift: Vector3<World>) -> [Point3<World>] {
    let turn = RigidTransform<World, World>(rotation: Quaternion(yaw: yaw), origin: .origin + shift)
    return points.map { turn.apply($0) }
  }

  /// The difference of two turns of a box, which looks the same after half a turn.
  static func halfTurnDifference(_ a: Double, _ b: Double) -> Double {
    let d = (a - b).truncatingRemainder(dividingBy: .pi)
    return min(abs(d), .pi - abs(d))
  }

  @Test(arguments: -12...12) func leastAreaTurnsWithThePoints(_ step: Int) {
    var random = SplitMix64(seed: 17)
    let yaw = Double(step) * .pi / 12 + 0.01
    let shift = Vector3<World>(2, -1, 0.5)
    let box = Box3D(around: Self.moved(Self.cloud(&random), yaw: yaw, by: shift), method: .minimumArea)
    #expect((box.center - (.origin + shift)).length < Self.rounding)
    #expect(abs(box.dimensions.x - 0.6) < Self.rounding)
    #expect(abs(box.dimensions.y - 0.3) < Self.rounding)
    #expect(abs(box.dimensions.z - 0.2) < Self.rounding)
    #expect(Self.halfTurnDifference(box.yaw, yaw) < Self.rounding)
    #expect(box.yaw >= -.pi / 2 && box.yaw < .pi / 2)
  }

  @Test(arguments: -12...12) func principalAxesTurnWithThePoints(_ step: Int) {
    var random = SplitMix64(seed: 18)
    let yaw = Double(step) * .pi / 12 + 0.01
    let cloud = Self.cloud(&random)
    let still = Box3D(around: cloud, method: .principalAxes)
    let turned = Box3D(
      around: Self.moved(cloud, yaw: yaw, by: Vector3(0, 0, 0)), method: .principalAxes)
    #expect(turned.method == .principalAxes)
    #expect(Self.halfTurnDifference(turned.yaw, still.yaw + yaw) < Self.rounding)
    #expect(abs(turned.dimensions.x - still.dimensions.x) < Self.rounding)
    #expect(abs(turned.dimensions.z - still.dimensions.z) < Self.rounding)
    #expect(still.yaw.magnitude < 0.1)
  }

  @Test func boxesHoldTheirPoints() {
    var random = SplitMix64(seed: 19)
    for _ in 0..<100 {
      let points = (0..<Int.random(in: 1...30, using: &random)).map { _ in
        Point3<World>(random.gaussian(), random.gaussian(), random.gaussian())
      }
      for method in [Box3D.Method.minimumArea, .principalAxes] {
        let box = Box3D(around: points, method: method)
        for p in points {
          let d = p - box.center
          #expect(abs(d.dot(box.xAxis)) <= box.dimensions.x / 2 + Self.rounding)
          #expect(abs(d.y) <= box.dimensions.y / 2 + Self.rounding)
          #expect(abs(d.dot(box.zAxis)) <= box.dimensions.z / 2 + Self.rounding)
        }
        #expect(box.dimensions.x >= box.dimensions.z)
      }
    }
  }

  @Test func leastAreaIsLeast() {
    var random = SplitMix64(seed: 20)
    for _ in 0..<50 {
      let points = (0..<12).map { _ in Point3<World>(random.gaussian(), 0, random.gaussian()) }
      let box = Box3D(around: points, method: .minimumArea)
      let least = (0..<3600).map { step -> Double in
        let angle = Double(step) * .pi / 3600
        let along = points.map { cos(angle) * $0.x + sin(angle) * $0.z }
        let across = points.map { cos(angle) * $0.z - sin(angle) * $0.x }
        return (along.max()! - along.min()!) * (across.max()! - across.min()!)
      }.min()!
      #expect(box.dimensions.x * box.dimensions.z <= least * (1 + Self.rounding))
    }
  }

  @Test func squaresTurnAsLittleAsPossible() {
    let square = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { Point3<World>($0.0, 0, $0.1) }
    #expect(abs(Box3D(around: square, method: .minimumArea).yaw) < Self.rounding)
    for degrees in [-40.0, -20, 20, 40] {
      let yaw = degrees * .pi / 180
      let box = Box3D(around: Self.moved(square, yaw: yaw, by: Vector3(0, 0, 0)), method: .minimumArea)
      #expect(abs(box.yaw - yaw) < Self.rounding)
    }
  }

  @Test func degenerateCloudsHaveTheSmallestSides() {
    let one = Box3D(around: [Point3(1, 2, 3)], method: .minimumArea)
    #expect(one.center == Point3(1, 2, 3))
    #expect(one.dimensions == BoxDimensions(x: 0.02, y: 0.02, z: 0.02))
    let same = Box3D(around: Array(repeating: Point3(1, 2, 3), count: 20), method: .principalAxes)
    #expect(same.dimensions == one.dimensions)
    let line = Box3D(
      around: (0..<20).map { Point3(Double($0) / 10, 0, Double($0) / 10) }, method: .minimumArea)
    #expect(abs(line.dimensions.x - 1.9 * 2.0.squareRoot()) < Self.rounding)
    #expect(line.dimensions.z == 0.02 && line.dimensions.y == 0.02)
    #expect(Self.halfTurnDifference(line.yaw, -.pi / 4) < Self.rounding)
  }

  @Test func cornersAndEdgesFollowTheirOrder() {
    let box = Box3D(
      center: Point3(1, 2, 3), dimensions: BoxDimensions(x: 4, y: 6, z: 2), yaw: 0, method: .minimumArea)
    #expect(
      box.corners == [
        Point3(-1, -1, 2), Point3(3, -1, 2), Point3(3, -1, 4), Point3(-1, -1, 4), Point3(-1, 5, 2),
        Point3(3, 5, 2), Point3(3, 5, 4), Point3(-1, 5, 4),
      ])
    let lengths = Box3D.edges.map { box.corners[$0.0].distance(to: box.corners[$0.1]) }
    #expect(lengths == [4, 2, 4, 2, 4, 2, 4, 2, 6, 6, 6, 6])
    #expect(box.bottomCenter == Point3(1, -1, 3))
  }

  @Test func theQuaternionTurnsTheAxes() {
    let box = Box3D(
      center: .origin, dimensions: BoxDimensions(x: 1, y: 1, z: 1), yaw: 0.8, method: .sixPoint)
    #expect((box.rotation.rotate(Vector3(1, 0, 0)) - box.xAxis).length < Self.rounding)
    #expect((box.rotation.rotate(Vector3(0, 0, 1)) - box.zAxis).length < Self.rounding)
  }
}
