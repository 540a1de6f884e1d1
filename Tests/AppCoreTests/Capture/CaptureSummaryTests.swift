import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

@Suite struct CaptureSummaryTests {
  /// A camera at `x` meters that looks straight at a wall four meters behind the origin.
  private func frame(at x: Double, meters: Float = 4, yaw: Double = 0) throws -> CapturedFrame {
    CapturedFrame(
      name: "\(x)", image: nil, imageSize: PixelSize(width: 64, height: 48),
      depth: Plane(width: 16, height: 12, fill: meters),
      intrinsics: try Intrinsics(fx: 56, fy: 56, cx: 31.5, cy: 23.5, imageWidth: 64, imageHeight: 48),
      cameraToWorld: RigidTransform(rotation: Quaternion(yaw: yaw), origin: Point3(x, 0, 0)))
  }

  @Test func sidewaysMotionAlongAWallReprojectsExactly() throws {
    let tolerance = 1e-9
    let result = try #require(Reprojection(from: try frame(at: 0), to: try frame(at: 0.5)))
    #expect(result.medianError < tolerance)
    #expect(result.pairs < 16 * 12)
  }

  @Test func wrongUnitsShow() throws {
    let result = try #require(Reprojection(from: try frame(at: 0), to: try frame(at: 0, meters: 5)))
    #expect(result.medianError == 1)
  }

  @Test func cellsWithoutConfidenceDoNotCount() throws {
    let sure = try frame(at: 0)
    let unsure = CapturedFrame(
      name: "unsure", image: nil, imageSize: sure.imageSize, depth: sure.depth,
      confidence: Plane(width: 16, height: 12, fill: 1), intrinsics: sure.intrinsics)
    #expect(Reprojection(from: unsure, to: sure) == nil)
    #expect(Reprojection(from: sure, to: unsure) == nil)
  }

  @Test func figures() throws {
    let fixture = try CaptureFixture.native()
    let summary = try CaptureSummary(of: try CaptureReader.open(fixture.path))
    let figures = try #require(summary.frames.first)
    #expect(figures.validShare == 1)
    #expect(figures.depthMeters?.least == 1)
    #expect(figures.confidenceCounts == [0, 0, 48])
    #expect(figures.orientationByGravity == .up)
    #expect(summary.baseline == 0)
    #expect(summary.reprojection == nil)
    #expect(summary.warnings.isEmpty)
    #expect(summary.json["schema"]?.string == "ardf.capture-check/1")
  }

  /// A camera, and where it is known from.
  @Test func camerasAreStatedWithTheirOrigin() throws {
    let fixture = try CaptureFixture.native()
    let capture = try CaptureSummary(of: CaptureReader.open(fixture.path))
    #expect(capture.cameraLines.count == 1)
    #expect(capture.cameraLines.allSatisfy { $0.hasSuffix("pixels, as the capture has it") })
    #expect(capture.json["frames"]?[0]?["camera"]?["source"]?.string == "capture")

    let place = try TemporaryDirectory()
    for name in ["pictures/a.png", "pictures/b.png"] {
      try place.write(ImageCodec.encodePNG(RGBImage(width: 100, height: 60)), to: name)
    }
    func summary(_ camera: PhotographCamera) throws -> CaptureSummary {
      try CaptureSummary(of: CaptureReader.open(place.file("pictures"), photographs: camera))
    }
    let unknown = try summary(.exif)
    #expect(
      unknown.cameraLines == [
        "camera of 2 frames: not known; --fov DEGREES or --intrinsics FX,FY,CX,CY states one"
      ])
    #expect(unknown.json["frames"]?[0]?["camera"] == .null)
    let field = try summary(.fieldOfView(90))
    #expect(
      field.cameraLines == ["camera of 2 frames: fx 50.0, fy 50.0 pixels, from the field of view stated"])
    #expect(field.json["frames"]?[1]?["camera"]?["source"]?.string == "field-of-view")
    let stated = try summary(.stated(StatedCamera(fx: 80, fy: 81.26, cx: 50, cy: 30)))
    #expect(stated.cameraLines == ["camera of 2 frames: fx 80.0, fy 81.3 pixels, as stated"])
  }

  /// Frames without poses do not say how their depths lie to each other.
  @Test func depthOfFramesWithoutPosesIsNotCompared() throws {
    let place = try TemporaryDirectory()
    for isPosed in [false, true] {
      var bag = BagWriter()
      bag.addCamera(at: "/a", depthTimes: [])
      for (index, time) in [0, 100].enumerated() {
        let pixels = Array(repeating: BagWriter.little(2000 + 300 * index, 2), count: 192).flatMap(\.self)
        let nanoseconds = BagWriter.start + time * 1_000_000
        bag.add(
          image: pixels, "/a/depth/image", "16UC1", size: PixelSize(width: 16, height: 12),
          time: nanoseconds, frame: "a_optical")
        guard isPosed else { continue }
        bag.add(
          transform: [0, 0, Double(index) / 1000, 0, 0, 0, 1], "/tf", time: nanoseconds, parent: "map",
          child: "a_optical")
      }
      let path = try place.write(bag.file(), to: "\(isPosed).mcap")
      let summary = try CaptureSummary(of: CaptureReader.open(path))
      #expect(summary.isPosed == isPosed && summary.disagreeing.isEmpty != isPosed)
      let warned = summary.warnings.filter { $0.contains("disagrees") }
      #expect(warned.count == (isPosed ? 1 : 0))
      // Whole millimeters.
      #expect(warned.allSatisfy { $0.contains(" by 0.299 m;") || $0.contains(" by 0.301 m;") }, "\(warned)")
    }
  }

  @Test func depthInMillimetersIsWarnedAbout() throws {
    let fixture = try CaptureFixture.native()
    try fixture.directory.write(
      NPYArray(shape: [6, 8], floats: [Float](repeating: 1500, count: 48)).encoded(), to: "depth.npy")
    let warnings = try CaptureSummary(of: try CaptureReader.open(fixture.path)).warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("are the units meters") == true)
  }

  @Test func orientationAgainstGravityIsWarnedAbout() throws {
    let fixture = try CaptureFixture.native()
    try fixture.changing(["orientation": "portrait"])
    let warnings = try CaptureSummary(of: try CaptureReader.open(fixture.path)).warnings
    #expect(warnings.first?.contains("gravity says up") == true)
  }
}
