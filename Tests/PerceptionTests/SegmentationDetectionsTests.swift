import AppCore
import Geometry
import Imaging
import Models
import NNRuntime
import Perception
import TestSupport
import Testing

/// The objects of a segmentation network, as detections of the app core.
@Suite struct SegmentationDetectionsTests {
  private static let upright = PixelSize(width: 96, height: 64)

  private static let found = Result {
    let golden = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors"
    let network = try YOLODetector(
      weights: WeightStore(path: golden), input: .fixed(height: 64, width: 96), pool: ThreadPool(threads: 1))
    let picture = RGBImage(
      width: upright.width, height: upright.height,
      pixels: (0..<96 * 64 * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) })
    return try network.detect(
      picture, thresholds: DetectionThresholds(confidence: 0.01, overlap: 0.7, limit: 5))
  }

  @Test func objectsKeepTheirOrderAndFrame() throws {
    let found = try Self.found.get()
    #expect(found.objects.count > 1)
    #expect(found.detections.map(\.id) == Array(found.objects.indices))
    #expect(found.detections.map(\.classId) == found.objects.map(\.classIndex))
    #expect(found.detections.map(\.className) == found.objects.map(\.className))
    #expect(found.detections.map(\.confidence) == found.objects.map(\.confidence))
    #expect(found.detections.map(\.box) == found.objects.map(\.box))
  }

  /// A picture stored sideways: boxes and pixels go where its own are.
  @Test(arguments: Orientation.allCases) func masksLieOnTheStoredPicture(orientation: Orientation) throws {
    let found = try Self.found.get()
    let stored = orientation.apply(to: Self.upright)
    for (object, detection) in zip(found.objects, found.detections) {
      let turned = detection.turnedBack(from: orientation, stored: stored)
      #expect(turned.box == orientation.stored(object.box, stored: stored))
      let mask = try #require(turned.mask)
      #expect(mask.binary() == (try #require(object.mask)).plane(value: 255).oriented(orientation.inverse))
      #expect(mask.grid == (try #require(object.probabilities)).plane())
    }
  }
}
