import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

/// Depth beyond 4 m is depth like any other.
@Suite struct SensorRangeTests {
  private static let scene = CorridorScene(lean: 0.06, waves: 0.02)
  /// The network errs by centimeters, a sensor cell and a pixel on a wall in the corridor by fractions of a millimeter.
  private static let exact = 0.002

  @Test func guidedDepthHoldsTheWholeCorridor() throws {
    let sensor = MetricDepth(sensor: Self.scene.sensor())
    let fused = DepthFusion.fuse(relative: Self.scene.relative, sensor: sensor)
    let fit = DepthFusion.fuse(
      relative: Self.scene.relative, sensor: sensor, options: FusionOptions(method: .fit))
    let guided = try #require(fused.metric)
    let plain = try #require(fit.metric)
    for band in [1..<2.0, 2..<4, 4..<6, 6..<9.5] {
      let error = CorridorScene.median(Self.scene.errors(guided, in: band))
      #expect(error < Self.exact, "\(band): \(error)")
      #expect(error < 0.1 * CorridorScene.median(Self.scene.errors(plain, in: band)))
    }
  }

  /// No more error just beyond 4 m than just before.
  @Test func nothingHappensAtFourMeters() throws {
    let sensor = MetricDepth(sensor: Self.scene.sensor())
    let guided = try #require(DepthFusion.fuse(relative: Self.scene.relative, sensor: sensor).metric)
    for band in [3.7..<4.0, 4.0..<4.3] {
      let errors = Self.scene.errors(guided, in: band)
      #expect(errors.count > 500)
      #expect(CorridorScene.median(errors) < Self.exact)
      #expect(errors.reduce(0, +) / Double(errors.count) < 5 * Self.exact)
    }
    #expect(DepthFusion.fit(relative: Self.scene.relative, sensor: sensor).pairs == 128 * 96)
  }

  /// A stated range cuts, and what lies beyond is the fit's, and said to be.
  @Test func statedRangeCuts() throws {
    let frame = Self.frame(SensorModel(.lidar, maximumRange: 5))
    let readings = try #require(frame.readings)
    let beyond = Self.scene.sensor().elements.count { $0 > 5 }
    #expect(frame.readingsBeyondRange == beyond && beyond > 500)
    #expect(readings.states.elements.count { $0 == .invalid } == beyond)
    let fused = try #require(DepthFusion.fuse(relative: Self.scene.relative, frame: frame))
    #expect(fused.report.sensor == frame.sensor)
    let metric = try #require(fused.metric)
    let end = metric.states[metric.width / 2, metric.height / 2]
    #expect(end == .guided || end == .extrapolated || end == .fitted)
    #expect(Self.frame(SensorModel(.lidar)).readingsBeyondRange == 0)
  }

  private static func frame(_ sensor: SensorModel) -> CapturedFrame {
    CapturedFrame(
      name: "corridor", image: nil, imageSize: PixelSize(width: 1280, height: 960), depth: scene.sensor(),
      sensor: sensor)
  }

  @Test func noiseFollowsTheSensor() {
    func deviation(_ kind: SensorModel.Kind, _ meters: Double, _ cosine: Double = 1) -> Double {
      SensorModel(kind).noise.deviation(at: meters, cosine: cosine)
    }
    #expect(abs(deviation(.lidar, 2) - 0.006) < 1e-12)
    #expect(abs(deviation(.lidar, 2, 0.5) - 0.012) < 1e-12)
    #expect(deviation(.lidar, 2, 0.01) == deviation(.lidar, 2, SensorNoise.leastCosine))
    // Khoshelham and Elberink: 4 cm at 5 m.
    #expect((0.03...0.04).contains(deviation(.structuredLight, 5)))
    #expect(abs(deviation(.stereo, 10) / deviation(.stereo, 5) - 4) < 1e-12)
    #expect(deviation(.stereo, 3, 0.3) == deviation(.stereo, 3))
  }

  @Test func layoutsNameTheirSensor() {
    #expect(CaptureLayout.strayScanner.sensor.kind == .lidar)
    #expect(CaptureLayout.tumRGBD.sensor.kind == .structuredLight)
    #expect(CaptureLayout.redwood.sensor.kind == .structuredLight)
    #expect(CaptureLayout.transforms.sensor.kind == .unknown)
    for layout in CaptureLayout.allCases { #expect(layout.sensor.maximumRange == nil) }
  }

  /// Noise that grows with the square of depth: weighed by it, far readings pull the fit less.
  @Test func fitWeighsByTheSensorsNoise() throws {
    let scene = CorridorScene()
    var errors = (known: 0.0, unknown: 0.0)
    let noise = SensorModel(.stereo).noise
    for seed in 1...8 {
      let depth = scene.sensor(deviation: { 3 * noise.deviation(at: $0) }, seed: UInt64(seed))
      func scale(_ kind: SensorModel.Kind) throws -> Double {
        let report = DepthFusion.fit(
          relative: scene.relative, sensor: MetricDepth(sensor: depth),
          options: FusionOptions(sensor: SensorModel(kind)))
        guard case .inverse(let scale, _) = try #require(report.alignment).model else { return .nan }
        return scale
      }
      errors.known += try abs(scale(.stereo) - 1.0 / 7)
      errors.unknown += try abs(scale(.unknown) - 1.0 / 7)
    }
    #expect(errors.known < errors.unknown, "\(errors)")
  }
}
