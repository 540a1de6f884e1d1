import AppCore
import Geometry
import Imaging
import Testing

@Suite struct DepthEstimatorTests {
  /// Adds a meter to the sensor's depth, as a prompted network, or gives four meters without one.
  struct OneMeterMore: DepthEstimator {
    let needsNoSensor: Bool

    func depth(of picture: RGBImage, sensor: Plane<Float>?) -> EstimatedDepth {
      let meters = needsNoSensor ? nil : sensor?.map { $0 + 1 }
      let found = meters ?? Plane(width: picture.width / 4, height: picture.height / 4, fill: 4)
      // A prompt lies as the picture does.
      #expect(found.width * picture.height == found.height * picture.width)
      return EstimatedDepth(
        relative: RelativeDepth(found.map { 1 / $0 }), metric: MetricDepth(fitted: found),
        isPrompted: !needsNoSensor)
    }
  }

  static func frame(_ orientation: Orientation, depth: Plane<Float>?, confidence: UInt8) -> CapturedFrame {
    CapturedFrame(
      name: "f", image: RGBImage(width: 64, height: 48), imageSize: PixelSize(width: 64, height: 48),
      depth: depth, confidence: depth.map { Plane(width: $0.width, height: $0.height, fill: confidence) },
      orientation: orientation)
  }

  static let readings = Plane(
    width: 16, height: 12,
    elements: (0..<192).map { cell in
      let (row, column) = cell.quotientAndRemainder(dividingBy: 16)
      return Float(1 + column) / 8 + Float(row) / 10
    })

  @Test(arguments: Orientation.allCases, [UInt8(0), 2])
  func aPromptIsTurnedAsThePictureAndItsDepthBack(_ orientation: Orientation, confidence: UInt8) async throws
  {
    let frame = Self.frame(orientation, depth: Self.readings, confidence: confidence)
    let estimate = try await OneMeterMore(needsNoSensor: false).depth(of: frame)
    let known = FrameDepth(estimate, frame: frame)
    #expect(known.metric?.values == Self.readings.map { $0 + 1 }, "it goes before what the fit makes of it")
    #expect(known.estimated == nil)
    #expect((known.fusion?.status == .ok) == (confidence == 2))
  }

  @Test func withoutASensorOnlyMetersFromThePictureAreOfUse() async throws {
    let frame = Self.frame(.right, depth: nil, confidence: 0)
    #expect(try await OneMeterMore(needsNoSensor: false).depth(of: frame) == nil)
    let estimate = try await OneMeterMore(needsNoSensor: true).depth(of: frame)
    let known = FrameDepth(estimate, frame: frame)
    #expect(known.metric == nil && known.fusion == nil)
    #expect(known.estimated?.values == Plane(width: 16, height: 12, fill: 4))
  }

  @Test func aSensorGoesBeforeMetersFromThePicture() async throws {
    let frame = Self.frame(.up, depth: Self.readings, confidence: 2)
    let answer = EstimatedDepth(
      relative: RelativeDepth(Self.readings.map { 3 / $0 - 0.5 }),
      metric: MetricDepth(fitted: Self.readings.map { 9 * $0 }))
    let known = FrameDepth(answer, frame: frame)
    #expect(known.fusion?.status == .ok && known.estimated == nil)
    let meters = try #require(known.metric)
    #expect(zip(meters.values.elements, Self.readings.elements).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test func depthTurnsBackWithThePicture() {
    let upright = Plane<Float>(width: 2, height: 3, elements: [1, 2, 3, 4, 5, 6])
    let stored = EstimatedDepth(relative: RelativeDepth(upright), metric: MetricDepth(fitted: upright))
      .turnedBack(from: .right)
    // Stored (x, y) shows at upright (H - y, x): the stored top row is the upright right column.
    let turned = Plane<Float>(width: 3, height: 2, elements: [2, 4, 6, 1, 3, 5])
    #expect(stored.relative.values == turned && stored.metric?.values == turned)
  }
}
