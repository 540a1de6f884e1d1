import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

@Suite struct FusionQualityTests {
  private static let scene = CorridorScene(lean: 0.06, waves: 0.02)

  private static func quality(_ sensor: Plane<Float>) throws -> FusionQuality {
    try #require(
      DepthFusion.fuse(relative: scene.relative, sensor: MetricDepth(sensor: sensor)).report.quality)
  }

  /// Hidden in blocks, guided depth is far better than the fit, and at edges better than straight lines.
  @Test func hiddenReadingsTellTheWaysApart() throws {
    let quality = try Self.quality(Self.scene.sensor())
    // One cell in sixteen.
    #expect(quality.cells == 128 * 96 / 16)
    #expect(quality.edgeCells > 30)
    #expect(quality.guided.median < 0.1 * quality.fit.median)
    let edges = try (
      guided: #require(quality.guided.meanAtEdges), bilinear: #require(quality.bilinear.meanAtEdges)
    )
    #expect(edges.guided < 0.5 * edges.bilinear, "\(edges)")
  }

  /// Hidden readings are not used: the error of a wrong one shows in full.
  @Test func hiddenReadingsAreNotSeen() throws {
    var depth = Self.scene.sensor()
    // The lattice's blocks begin where (position + 8) % 16 is 0.
    let block = (8..<12).flatMap { y in (8..<12).map { (x: $0, y: y) } }
    let exact = try Self.quality(depth)
    for cell in block { depth[cell.x, cell.y] += 0.5 }
    let wrong = try Self.quality(depth)
    let added = (wrong.guided.mean - exact.guided.mean) * Double(exact.cells) / Double(block.count)
    #expect(abs(added - 0.5) < 0.01, "\(added)")
  }

  /// Errors that neighbors share do not average out: the sensor's model counts them, hidden readings cannot show them.
  @Test func repeatabilityIsNoAccuracy() throws {
    let depth = Self.scene.sensor().map { 1.02 * $0 }
    func quality(_ kind: SensorModel.Kind) throws -> FusionQuality {
      try #require(
        DepthFusion.fuse(
          relative: Self.scene.relative, sensor: MetricDepth(sensor: depth),
          options: FusionOptions(sensor: SensorModel(kind))
        ).report.quality)
    }
    let phone = try quality(.lidar)
    #expect(phone.guided.median < 0.002)
    #expect(try #require(phone.expectedError) > 5 * phone.guided.median)
    #expect(try quality(.unknown).expectedError == nil)
  }

  @Test func theSameFrameGivesTheSameFigures() throws {
    let depth = Self.scene.sensor(deviation: { 0.003 * $0 })
    #expect(try Self.quality(depth) == Self.quality(depth))
  }

  @Test func fusionFileHoldsThem() throws {
    let report = DepthFusion.fuse(
      relative: Self.scene.relative, sensor: MetricDepth(sensor: Self.scene.sensor()),
      options: FusionOptions(sensor: SensorModel(.stereo, maximumRange: 20))
    ).report
    let json = report.json
    #expect(json["method"]?.string == "guided")
    #expect(json["sensor"]?["kind"]?.string == "stereo")
    #expect(json["sensor"]?["maximumRangeMeters"]?.number == 20)
    let hidden = try #require(json["repeatability"])
    for method in ["bilinear", "guided", "fit"] {
      #expect((hidden[method]?["medianMeters"]?.number ?? -1) >= 0)
      #expect((hidden[method]?["edgeMeanMeters"]?.number ?? -1) >= 0)
    }
    // 2 to 10 m: 3.8 mm * Z^2 and 1.15 % of Z.
    #expect((0.01...0.3).contains(try #require(json["expectedErrorMeters"]?.number)))
    let shares = try #require(json["sources"]?.object)
    #expect(Set(shares.keys) == ["none", "sensor", "guided", "fitted", "extrapolated"])
    #expect(abs(shares.values.compactMap(\.number).reduce(0, +) - 1) < 1e-3)
    #expect(shares["sensor"]?.number ?? 0 > 0.9)
  }
}
