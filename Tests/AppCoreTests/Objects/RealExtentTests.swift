import AppCore
import Geometry
import Imaging
import TestSupport
import Testing

@Suite(
  .enabled(if: SharedData.exists("data/captures/bedroom"), "real captures are not present beside the package")
)
struct RealExtentTests {
  /// Median disagreement of two shots of a room, metres; the capture's own figure is 8 mm.
  static let reprojection = 0.02
  static let rounding = 1e-6

  static func frames() throws -> [CapturedFrame] {
    let source = try CaptureReader.open(SharedData.path("data/captures/bedroom"))
    return try source.frames.indices.map { try source.frame(at: $0, decodingImage: false) }
  }

  /// The middle of the picture, as a detection without a mask.
  static func middle(_ frame: CapturedFrame) -> Detection {
    let size = frame.imageSize
    return Detection(
      id: 0, classId: 59, className: "bed", confidence: 0.9,
      box: Rect(
        x: Double(size.width) * 0.3, y: Double(size.height) * 0.3, width: Double(size.width) * 0.4,
        height: Double(size.height) * 0.4))
  }

  @Test func cloudsProjectBackIntoTheirBoxes() throws {
    for frame in try Self.frames() {
      let scene = DepthScene(frame: frame)
      let detection = Self.middle(frame)
      let extent = ExtentEstimator(scene: scene).extent(of: detection)
      guard let box = extent.box3D, let intrinsics = frame.intrinsics else { continue }
      let toCamera = frame.cameraToWorld.inverse
      #expect(box.dimensions.x > 0.05 && box.dimensions.x < 8)
      for point in extent.cloud {
        let seen = try #require(intrinsics.project(toCamera.apply(point)))
        #expect(detection.box.clipped(to: frame.imageSize.bounds()).minX - 8 < seen.x)
        #expect(seen.x < detection.box.maxX + 8)
        let d = point - box.center
        #expect(abs(d.dot(box.xAxis)) <= box.dimensions.x / 2 + Self.rounding)
        #expect(abs(d.y) <= box.dimensions.y / 2 + Self.rounding)
      }
    }
  }

  @Test func twoShotsAgreeOnTheRoom() throws {
    let frames = try Self.frames()
    let first = try #require(frames.first { $0.name.contains("00030") })
    let second = try #require(frames.first { $0.name.contains("00045") })
    let cloud = ExtentEstimator(scene: DepthScene(frame: first)).extent(of: Self.middle(first)).cloud
    try #require(cloud.count > 500)
    let intrinsics = try #require(second.intrinsics)
    let sensor = try #require(DepthScene(frame: second).sensor)
    let toCamera = second.cameraToWorld.inverse
    let differences = cloud.compactMap { point -> Double? in
      let inCamera = toCamera.apply(point)
      guard let pixel = intrinsics.project(inCamera),
        let seen = sensor.meters(at: pixel, imageSize: second.imageSize)
      else { return nil }
      return abs(seen + inCamera.z)
    }.sorted()
    try #require(differences.count > 100)
    #expect(differences[differences.count / 2] < Self.reprojection)
  }
}
