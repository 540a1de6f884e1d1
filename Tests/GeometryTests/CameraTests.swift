import FileFormats
import Foundation
import Geometry
import Testing

@Suite struct CameraTests {
  /// Meters and pixels after a chain of a few double operations.
  static let rounding = 1e-9

  static let phone = try! Intrinsics(
    fx: 1569.25, fy: 1569.25, cx: 960.1, cy: 723.33, imageWidth: 1920, imageHeight: 1440)

  @Test func principalPointLooksStraightAhead() {
    let camera = Self.phone
    let p = camera.unproject(Point2(camera.cx + 0.5, camera.cy + 0.5), depth: 2)
    #expect(p == Point3(0, 0, -2))
  }

  @Test func downInThePictureIsDownInTheWorld() {
    let camera = Self.phone
    #expect(camera.unproject(Point2(camera.cx, 1400), depth: 1).y < 0)
    #expect(camera.unproject(Point2(camera.cx, 10), depth: 1).y > 0)
    #expect(camera.unproject(Point2(1900, camera.cy), depth: 1).x > 0)
  }

  @Test func projectionUndoesUnprojection() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<1000 {
      let pixel = Point2<ImagePixels>(
        Double.random(in: 0...1920, using: &random), Double.random(in: 0...1440, using: &random))
      let depth = Double.random(in: 0.02...50, using: &random)
      let back = try #require(Self.phone.project(Self.phone.unproject(pixel, depth: depth)))
      #expect((back - pixel).length < Self.rounding)
    }
  }

  @Test func nothingBehindTheCameraProjects() {
    #expect(Self.phone.project(Point3(0, 0, 1)) == nil)
    #expect(Self.phone.project(Point3(0, 0, -0.009)) == nil)
    #expect(Self.phone.project(Point3(0, 0, -0.01)) != nil)
    #expect(Self.phone.project(Point3(0, 0, .nan)) == nil)
  }

  @Test func scaledIntrinsicsSeeTheSameRay() {
    let small = Self.phone.scaled(toWidth: 256, height: 192)
    let pixel = Point2<ImagePixels>(1500, 300)
    let a = Self.phone.unproject(pixel, depth: 1.5)
    let b = small.unproject(Point2(pixel.x * 256 / 1920, pixel.y * 192 / 1440), depth: 1.5)
    #expect(a.distance(to: b) < Self.rounding)
  }

  @Test func unusableIntrinsicsAreRefused() {
    #expect(throws: GeometryError.badIntrinsics(fx: 0, fy: 1, cx: 0, cy: 0)) {
      try Intrinsics(fx: 0, fy: 1, cx: 0, cy: 0, imageWidth: 10, imageHeight: 10)
    }
    #expect(throws: GeometryError.badSize(width: 0, height: 10)) {
      try Intrinsics(fx: 1, fy: 1, cx: 0, cy: 0, imageWidth: 0, imageHeight: 10)
    }
    #expect(throws: GeometryError.badElementCount(expected: 9, found: 8)) {
      try Intrinsics(columnMajor: [1, 0, 0, 0, 1, 0, 0, 0], imageWidth: 10, imageHeight: 10)
    }
  }

  @Test func columnMajorElementsAreReadInTheirOrder() throws {
    let k = try Intrinsics(columnMajor: [11, 0, 0, 0, 12, 0, 13, 14, 1], imageWidth: 20, imageHeight: 30)
    #expect(k.fx == 11 && k.fy == 12 && k.cx == 13 && k.cy == 14)
    #expect(k.columnMajor == [11, 0, 0, 0, 12, 0, 13, 14, 1])
  }
}
