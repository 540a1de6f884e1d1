import Geometry
import Models
import Testing

@Suite("Non-maximum suppression")
struct NonMaximumSuppressionTests {
  private func candidate(
    _ anchor: Int, _ score: Float, _ box: (Double, Double, Double, Double), classIndex: Int = 0
  ) -> Candidate {
    Candidate(
      anchor: anchor, classIndex: classIndex, score: score,
      box: Rect(minX: box.0, minY: box.1, maxX: box.2, maxY: box.3))
  }

  private func survivors(_ candidates: [Candidate], overlap: Float, limit: Int = 300) -> [Int] {
    NonMaximumSuppression.survivors(of: candidates, overlap: overlap, limit: limit).map(\.anchor)
  }

  @Test("an overlap equal to the threshold survives, a greater one does not")
  func equality() {
    // Intersection 1, union 3.
    let pair = [candidate(0, 0.9, (0, 0, 2, 1)), candidate(1, 0.8, (1, 0, 3, 1))]
    #expect(survivors(pair, overlap: Float(1) / 3) == [0, 1])
    #expect(survivors(pair, overlap: (Float(1) / 3).nextDown) == [0])
  }

  @Test("the better one survives, whatever the order given")
  func order() {
    let boxes = [
      candidate(0, 0.5, (0, 0, 10, 10)), candidate(1, 0.9, (1, 0, 11, 10)),
      candidate(2, 0.7, (100, 100, 110, 110)),
    ]
    #expect(survivors(boxes, overlap: 0.5) == [1, 2])
    #expect(survivors(boxes.reversed(), overlap: 0.5) == [1, 2])
  }

  @Test("a suppressed candidate suppresses nothing")
  func chain() {
    // Neighbors overlap by 2/3, the outer two by 3/7.
    let boxes = [
      candidate(0, 0.9, (0, 0, 10, 10)), candidate(1, 0.8, (2, 0, 12, 10)), candidate(2, 0.7, (4, 0, 14, 10)),
    ]
    #expect(survivors(boxes, overlap: 0.5) == [0, 2])
  }

  @Test("classes do not suppress each other")
  func classes() {
    let boxes = [
      candidate(0, 0.9, (0, 0, 10, 10), classIndex: 0), candidate(1, 0.8, (0, 0, 10, 10), classIndex: 79),
    ]
    #expect(survivors(boxes, overlap: 0.1) == [0, 1])
  }

  @Test("equal scores are ordered by anchor")
  func ties() {
    let boxes = (0..<50).map { candidate(49 - $0, 0.5, (Double($0) * 20, 0, Double($0) * 20 + 10, 10)) }
    #expect(survivors(boxes, overlap: 0.5) == Array(0..<50))
  }

  @Test("the number of survivors is limited")
  func limit() {
    let boxes = (0..<400).map { candidate($0, 0.5, (Double($0) * 15, 0, Double($0) * 15 + 10, 10)) }
    #expect(survivors(boxes, overlap: 0.5) == Array(0..<300))
    #expect(survivors(boxes, overlap: 0.5, limit: 7) == Array(0..<7))
  }

  @Test("boxes without area overlap nothing")
  func degenerate() {
    let boxes = [candidate(0, 0.9, (5, 5, 5, 5)), candidate(1, 0.8, (5, 5, 5, 5))]
    #expect(survivors(boxes, overlap: 0) == [0, 1])
  }
}
