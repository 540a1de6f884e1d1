import FileFormats
import Foundation
import Geometry
import Testing

@Suite struct TransformTests {
  static let rounding = 1e-12

  typealias Pose = RigidTransform<CameraARKit, World>

  static func randomPose(_ random: inout SplitMix64) -> Pose {
    var component: Double { Double.random(in: -1...1, using: &random) }
    let rotation = Quaternion(x: component, y: component, z: component, w: component) ?? .identity
    return Pose(rotation: rotation, origin: Point3(component * 5, component * 5, component * 5))
  }

  @Test func inverseUndoes() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<200 {
      let pose = Self.randomPose(&random)
      let p = Point3<CameraARKit>(0.3, -2, 1.5)
      #expect(pose.inverse.apply(pose.apply(p)).distance(to: p) < Self.rounding * 100)
    }
  }

  @Test func compositionIsApplicationInTurn() {
    var random = SplitMix64(seed: 3)
    let first = Self.randomPose(&random)
    let second = RigidTransform<World, World>(rotation: Quaternion(yaw: 1), origin: Point3(1, 2, 3))
    let p = Point3<CameraARKit>(0.3, -2, 1.5)
    #expect(second.after(first).apply(p).distance(to: second.apply(first.apply(p))) < Self.rounding * 100)
  }

  @Test func matricesRoundTripInBothOrders() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<50 {
      let pose = Self.randomPose(&random)
      let columns = pose.columnMajor
      let rows = (0..<16).map { columns[($0 % 4) * 4 + $0 / 4] }
      let a = try Pose(columnMajor: columns)
      let b = try Pose(rowMajor: rows)
      #expect(a == b)
      #expect(zip(a.columnMajor, columns).allSatisfy { abs($0 - $1) < Self.rounding })
    }
  }

  @Test func rotationRoundTripsThroughTheQuaternion() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let pose = Self.randomPose(&random)
      let again = Pose(rotation: pose.rotation, origin: pose.origin)
      #expect(zip(again.columnMajor, pose.columnMajor).allSatisfy { abs($0 - $1) < Self.rounding })
    }
  }

  @Test func halfTurnsHaveQuaternions() {
    for axis in [Vector3<World>(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)] {
      let q = Quaternion(axis: axis, angle: .pi)!
      let pose = Pose(rotation: q, origin: .origin)
      let v = pose.rotation.rotate(Vector3<World>(0.1, 0.2, 0.3))
      #expect((v - q.rotate(Vector3(0.1, 0.2, 0.3))).length < Self.rounding)
    }
  }

  @Test func roundedPosesAreMadeOrthonormal() throws {
    let pose = Pose(rotation: Quaternion(yaw: 0.7), origin: Point3(1, 2, 3))
    let rounded = pose.columnMajor.map { ($0 * 1e4).rounded() / 1e4 }
    let read = try Pose(columnMajor: rounded)
    #expect(abs(read.xAxis.length - 1) < Self.rounding && abs(read.xAxis.dot(read.zAxis)) < Self.rounding)
  }

  @Test func wrongMatricesAreRefused() {
    var scaled = Pose.identity.columnMajor
    scaled[0] = 2
    #expect(throws: GeometryError.self) { try Pose(columnMajor: scaled) }
    var mirrored = Pose.identity.columnMajor
    mirrored[0] = -1
    #expect(throws: GeometryError.notRigid(deviation: 2)) { try Pose(columnMajor: mirrored) }
    var translated = Pose.identity.columnMajor
    translated[12] = 3
    #expect(throws: GeometryError.notAffine) { try Pose(rowMajor: translated) }
    translated[13] = .nan
    #expect(throws: GeometryError.notFinite) { try Pose(columnMajor: translated) }
    #expect(throws: GeometryError.badElementCount(expected: 16, found: 9)) {
      try Pose(columnMajor: Array(repeating: 0, count: 9))
    }
  }

  @Test func yawTurnsZTowardsX() {
    let v = Quaternion(yaw: .pi / 2).rotate(Vector3<World>(0, 0, 1))
    #expect((v - Vector3(1, 0, 0)).length < Self.rounding)
  }

  @Test func theCameraLooksAlongMinusZ() {
    #expect(Pose.identity.forward == Vector3(0, 0, -1))
  }
}
