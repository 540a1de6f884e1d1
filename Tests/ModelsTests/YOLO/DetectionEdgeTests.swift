import Geometry
import Imaging
import Models
import NNRuntime
import Testing

/// Pictures and thresholds at their edges.
@Suite("YOLO11 edges")
struct DetectionEdgeTests {
  private func model(threads: Int = 2) throws -> YOLODetector {
    try YOLODetector(
      weights: Golden.store("yolo11-tiny-n"), input: .fixed(height: 64, width: 96),
      pool: ThreadPool(threads: threads))
  }

  private func picture(_ width: Int, _ height: Int) -> RGBImage {
    RGBImage(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) })
  }

  @Test("a score next to nothing is no candidate, and another tells the threshold that shows it")
  func surest() {
    #expect(SurestCandidate(classIndex: 5, className: "bus", confidence: 0.04) == nil)
    #expect(SurestCandidate(classIndex: 5, className: "bus", confidence: 0.3125)?.threshold == 0.31)
    #expect(
      SurestCandidate(classIndex: 73, className: "book", confidence: 0.198)?.description
        == "the surest is a book of 0.20, which a threshold (--conf) of 0.19 shows")
  }

  @Test(
    "any shape of picture is taken, and objects lie inside it",
    arguments: [(1, 1), (1, 2), (3, 1), (20_000, 1), (1, 20_000), (20_000, 3), (2, 9999)])
  func shapes(width: Int, height: Int) throws {
    let thresholds = DetectionThresholds(confidence: 0.01, overlap: 0.7, limit: 5)
    let found = try model().detect(picture(width, height), thresholds: thresholds).objects
    for object in found {
      #expect(object.box.minX >= 0 && object.box.maxX <= Double(width))
      #expect(object.box.minY >= 0 && object.box.maxY <= Double(height))
      #expect(object.mask?.rasterWidth == width && object.mask?.rasterHeight == height)
    }
  }

  @Test("without a threshold every anchor is a candidate, and the limit holds")
  func everything() throws {
    let thresholds = DetectionThresholds(confidence: 0, overlap: 1, limit: 10_000)
    let one = try model().detect(picture(96, 64), thresholds: thresholds).objects
    #expect(one.count <= 126)
    #expect(one.map(\.confidence) == one.map(\.confidence).sorted(by: >))
    let none = DetectionThresholds(confidence: 1, overlap: 0, limit: 300)
    #expect(try model().detect(picture(96, 64), thresholds: none).objects.isEmpty)
  }

  @Test("a picture of one color gives the same objects on 64 threads")
  func flat() throws {
    let flat = RGBImage(width: 90, height: 61, pixels: [UInt8](repeating: 114, count: 90 * 61 * 3))
    let thresholds = DetectionThresholds(confidence: 0.001, overlap: 0.7, limit: 400)
    let one = try model(threads: 1).detect(flat, thresholds: thresholds).objects
    let many = try model(threads: 64).detect(flat, thresholds: thresholds).objects
    #expect(one.map(\.confidence) == many.map(\.confidence))
    #expect(one.map(\.box) == many.map(\.box))
  }

  @Test("equal scores everywhere: the first anchors stay, whatever the number")
  func equalScores() {
    let candidates = (0..<8400).map { anchor in
      Candidate(
        anchor: anchor, classIndex: 0, score: 0.5,
        box: Rect(minX: 10, minY: 10, maxX: 20 + Double(anchor % 3), maxY: 20))
    }
    let kept = NonMaximumSuppression.survivors(of: candidates.reversed(), overlap: 0.9, limit: 300)
    #expect(kept.map(\.anchor) == [0, 2])
    let points = candidates.map { candidate in
      Candidate(
        anchor: candidate.anchor, classIndex: 0, score: 0.5, box: Rect(minX: 5, minY: 5, maxX: 5, maxY: 5))
    }
    #expect(NonMaximumSuppression.survivors(of: points, overlap: 0, limit: 300).count == 300)
  }
}
