import AppCore
import Geometry
import Imaging
import TestSupport
import Testing

@Suite(
  .enabled(if: SharedData.exists("data/captures/bedroom"), "real captures are not present beside the package")
)
struct RealExtentTests {
  /// Median disagreement of two shots of a room, meters; the capture's own figure is 8 mm.
  static let reprojection = 0.02
  static let rounding = 1e-6
  /// Relative error of an alignment whose pairs are right but for cells at edges.
  static let alignment = 0.01

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
    let sensor = try #require(DepthScene(frame: second).readings)
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

  /// A room's depth turned into relative depth of a finer grid, each cell from the sensor cell under it, so that
  /// object edges disagree; the fit must find the coefficients again.
  @Test func relativeDepthOfARealRoomIsAligned() throws {
    let frame = try #require(try Self.frames().first { $0.name.contains("00030") })
    let depth = try #require(frame.depth)
    let width = 518
    let height = 392
    let cells = (0..<width * height).map { index -> Float in
      let z = depth[index % width * depth.width / width, index / width * depth.height / height]
      return z > 0 ? (1 / z - 0.05) / 0.4 : 0
    }
    let relative = RelativeDepth(Plane(width: width, height: height, elements: cells))
    let sensor = try #require(DepthScene(frame: frame).readings)
    let report = DepthFusion.fit(relative: relative, sensor: sensor)
    let alignment = try #require(report.alignment)
    guard case .inverse(let scale, let shift) = alignment.model else {
      Issue.record("not an inverse fit")
      return
    }
    #expect(abs(scale - 0.4) < 0.4 * Self.alignment)
    #expect(abs(shift - 0.05) < Self.alignment)
    #expect(report.pairs > 10_000)

    let fused = alignment.metric(relative, size: frame.imageSize)
    let measured = ExtentEstimator(
      scene: DepthScene(
        imageSize: frame.imageSize, intrinsics: frame.intrinsics, cameraToWorld: frame.cameraToWorld,
        orientation: frame.orientation, fused: fused)
    ).extent(of: Self.middle(frame))
    // A tenth above the lower edge of the upright box: at the stored box's greatest x.
    let box = Self.middle(frame).box
    let point = Point2<ImagePixels>(box.maxX - box.width / 10, box.center.y)
    let expected = try #require(sensor.meters(at: point, imageSize: frame.imageSize))
    #expect(measured.distance.source == .fusion)
    #expect(abs(try #require(measured.distance.meters) - expected) < expected * Self.alignment)
  }
}
