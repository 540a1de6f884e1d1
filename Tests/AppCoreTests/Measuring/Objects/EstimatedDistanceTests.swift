import AppCore
import Geometry
import Imaging
import Testing

/// Distances by a metric depth network, from the picture alone.
@Suite struct EstimatedDistanceTests {
  private static let size = PixelSize(width: 200, height: 100)
  private static let box = Rect<ImagePixels>(minX: 40, minY: 20, maxX: 140, maxY: 80)

  /// 4 m in the left half of the picture, 30 m in the right one.
  private static let halves = MetricDepth(
    fitted: Plane(width: 20, height: 10, elements: (0..<200).map { $0 % 20 < 10 ? 4 : 30 }))

  private func extent(
    _ scene: DepthScene, maskColumns: Range<Int>? = nil
  ) -> ObjectExtent {
    let mask = maskColumns.map { columns in
      InstanceMask(
        binary: Plane(
          width: 200, height: 100, elements: (0..<20_000).map { columns.contains($0 % 200) ? 1 : 0 }))
    }
    return ExtentEstimator(scene: scene).extent(
      of: Detection(
        id: 0, classId: 0, className: "cup", confidence: 0.9, box: Self.box, mask: mask))
  }

  @Test func theMedianOnTheMaskCounts() throws {
    let scene = DepthScene(imageSize: Self.size, intrinsics: nil, estimated: Self.halves)
    let left = extent(scene, maskColumns: 0..<80)
    #expect(left.distance.source == .network && left.distance.meters == 4)
    #expect(left.distance.samples > 1000 && left.warnings.contains(.noIntrinsics))
    // Beyond the depths that a fit is believed for.
    let right = extent(scene, maskColumns: 110..<200)
    #expect(right.distance.meters == 30 && right.distance.range == 30...30)
    // Six tenths of the box are near.
    #expect(extent(scene).distance.meters == 4)
    // A mask beside the samples: the whole box, and it is said.
    let beside = extent(scene, maskColumns: 0..<10)
    #expect(beside.distance.meters == 4 && beside.warnings.contains(.wholeWindow))
    #expect(!left.warnings.contains(.wholeWindow))
    let without = extent(DepthScene(imageSize: Self.size, intrinsics: nil), maskColumns: 0..<80)
    #expect(without.distance.source == .none)
  }

  @Test func sensorAndFitGoFirst() throws {
    let fused = MetricDepth(fitted: Plane(width: 20, height: 10, fill: 2))
    let scene = DepthScene(imageSize: Self.size, intrinsics: nil, fused: fused, estimated: Self.halves)
    #expect(extent(scene).distance.source == .fusion && extent(scene).distance.meters == 2)
    let sensor = MetricDepth(sensor: Plane(width: 40, height: 20, fill: 1.5))
    let sensed = DepthScene(imageSize: Self.size, intrinsics: nil, readings: sensor, estimated: Self.halves)
    #expect(extent(sensed).distance.source == .sensor && extent(sensed).distance.meters == 1.5)
  }

  @Test func fusedDistancesReachAsFarAsMapsDo() {
    func distance(_ meters: Float) -> ObjectDistance {
      let fused = MetricDepth(fitted: Plane(width: 20, height: 10, fill: meters))
      return extent(DepthScene(imageSize: Self.size, intrinsics: nil, fused: fused)).distance
    }
    #expect(distance(30).source == .fusion && distance(30).meters == 30)
    // Where maps are clamped the distance is not known.
    #expect(distance(100).source == .none)
  }
}
