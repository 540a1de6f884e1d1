import Geometry
import Imaging
import Models
import NNRuntime
import Testing

@Suite("YOLO11 calls")
struct YOLODeterminismTests {
  private let picture = RGBImage(
    width: 90, height: 61, pixels: (0..<90 * 61 * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) })
  /// Low enough that random weights find something.
  private let thresholds = DetectionThresholds(confidence: 0.01, overlap: 0.7, limit: 12)

  private func model(_ input: YOLODetector.Input, threads: Int) throws -> YOLODetector {
    try YOLODetector(
      weights: Golden.store("yolo11-tiny-n"), input: input, pool: ThreadPool(threads: threads))
  }

  @Test("the same objects come out for any number of threads and in concurrent calls")
  func determinism() async throws {
    let input = YOLODetector.Input.fixed(height: 64, width: 96)
    let expected = try model(input, threads: 1).detect(picture, thresholds: thresholds).objects.map(
      Facts.init)
    #expect(!expected.isEmpty && expected.count <= thresholds.limit)
    let shared = try model(input, threads: 3)
    try await withThrowingTaskGroup(of: [Facts].self) { group in
      for _ in 0..<8 {
        group.addTask { try shared.detect(picture, thresholds: thresholds).objects.map(Facts.init) }
      }
      for try await facts in group { #expect(facts == expected) }
    }
  }

  @Test("one model serves pictures of many sizes by turns")
  func sizes() throws {
    let model = try model(.minimalRectangle(side: 96), threads: 2)
    let turned = picture.oriented(.right)
    let small = RGBImage(width: 7, height: 300, pixels: [UInt8](repeating: 90, count: 6300))
    let first = try [picture, turned, small].map { try model.detect($0, thresholds: thresholds) }
    #expect(first.map(\.letterbox.networkSize) == [96, 96, 32].map { PixelSize(width: $0, height: 96) })
    for (picture, result) in zip([picture, turned, small], first) {
      let again = try model.detect(picture, thresholds: thresholds)
      #expect(again.objects.map(Facts.init) == result.objects.map(Facts.init))
    }
  }

  @Test("objects lie in the picture, best first, with masks in their boxes", arguments: MaskMethod.allCases)
  func invariants(masks: MaskMethod) throws {
    let input = YOLODetector.Input.fixed(height: 64, width: 96)
    let objects = try model(input, threads: 2).detect(picture, thresholds: thresholds, masks: masks).objects
    #expect(!objects.isEmpty)
    #expect(objects.map(\.confidence) == objects.map(\.confidence).sorted(by: >))
    for object in objects {
      #expect(object.confidence > thresholds.confidence)
      #expect(object.box.minX >= 0 && object.box.maxX <= 90 && object.box.minY >= 0 && object.box.maxY <= 61)
      let mask = try #require(object.mask)
      let probabilities = try #require(object.probabilities)
      #expect(mask.rasterWidth == 90 && mask.rasterHeight == 61)
      switch masks {
      case .fast: #expect(object.networkMask.map { $0.rasterWidth == 96 && !$0.isEmpty } == true)
      case .retina:
        #expect(object.networkMask == nil && !mask.isEmpty)
        #expect(Double(mask.columns.lowerBound) >= object.box.minX)
        #expect(Double(mask.columns.upperBound - 1) < object.box.maxX)
        #expect(Double(mask.rows.lowerBound) >= object.box.minY)
        #expect(Double(mask.rows.upperBound - 1) < object.box.maxY)
      }
      #expect(probabilities.gridWidth == 24 && probabilities.gridHeight == 16)
      #expect(probabilities.probabilities.allSatisfy { (0...1).contains($0) })
    }
  }
}

/// The part of a detection that must be equal in two runs.
private struct Facts: Equatable {
  let classIndex: Int
  let confidence: Float
  let box: Rect<UprightPixels>
  let mask: ObjectMask?
  let probabilities: PrototypeMask?

  init(_ object: DetectedObject) {
    classIndex = object.classIndex
    confidence = object.confidence
    box = object.box
    mask = object.mask
    probabilities = object.probabilities
  }
}
