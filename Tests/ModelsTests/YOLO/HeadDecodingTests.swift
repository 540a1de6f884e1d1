import Geometry
import Models
import Testing

@Suite("YOLO11 head decoding")
struct HeadDecodingTests {
  @Test(
    "anchors of the pyramid follow P3, P4, P5, row-major", arguments: [(640, 640, 8400), (480, 640, 6300)])
  func pyramid(height: Int, width: Int, anchors: Int) {
    let levels = PyramidLevel.pyramid(inputHeight: height, inputWidth: width)
    #expect(levels.map(\.stride) == [8, 16, 32])
    #expect(levels.map(\.count).reduce(0, +) == anchors)
    #expect(levels[1].firstAnchor == height * width / 64)
    #expect(levels[2].firstAnchor == height * width / 64 + height * width / 256)
  }

  @Test("a flat distribution expects the middle bin, a sharp one its own")
  func distances() {
    var logits = [Float](repeating: -3, count: BoxCoding.distribution.channels)
    #expect(HeadDecoding.distances(logits.span) == SIMD4(repeating: 7.5))
    for side in 0..<4 { logits[16 * side + 2 + side] = 200 }
    #expect(HeadDecoding.distances(logits.span) == SIMD4(2, 3, 4, 5))
    // Two equal peaks at bins 4 and 5 average to 4.5.
    logits = [Float](repeating: -200, count: BoxCoding.distribution.channels)
    for side in 0..<4 {
      logits[16 * side + 4] = 7
      logits[16 * side + 5] = 7
    }
    #expect(HeadDecoding.distances(logits.span) == SIMD4(repeating: 4.5))
  }

  @Test("a cell decodes to its anchor less left and top, plus right and bottom, times the stride")
  func candidate() throws {
    let head = Head(anchorSides: [5: (1, 2, 3, 4)], logits: [5: [-9, 2, 1]])
    let found = head.candidates(confidence: 0.5)
    let candidate = try #require(found.first)
    #expect(found.count == 1)
    #expect(candidate.anchor == 105)
    #expect(candidate.classIndex == 1)
    #expect(abs(candidate.score - 0.880797) < 1e-6)
    // Anchor (2.5, 1.5) on a grid of 8 pixels.
    #expect(candidate.box == Rect(minX: 12, minY: -4, maxX: 44, maxY: 44))
  }

  @Test("the score must be strictly greater than the threshold")
  func strictness() {
    let head = Head(anchorSides: [:], logits: [0: [0, -1, -1], 3: [-1, -1, 0]])
    #expect(head.candidates(confidence: 0.5).isEmpty)
    #expect(head.candidates(confidence: Float(0.5).nextDown).map(\.anchor) == [100, 103])
    #expect(head.candidates(confidence: 0).count == 6)
    #expect(head.candidates(confidence: 1).isEmpty)
  }

  @Test("a class logit that is not a number is never the best")
  func notANumber() {
    let head = Head(anchorSides: [:], logits: [2: [.nan, 3, .nan], 4: [.nan, .nan, .nan]])
    let found = head.candidates(confidence: 0.5)
    #expect(found.map(\.anchor) == [102])
    #expect(found.map(\.classIndex) == [1])
  }

  @Test("the full output of an anchor holds center, size, probabilities and coefficients")
  func decode() {
    let head = Head(anchorSides: [5: (1, 2, 3, 4)], logits: [5: [0, 2, -2]])
    let coefficients = (0..<6 * 32).map { Float($0) }
    let column = AnchorDecoder(YOLOArchitecture(.n, classCount: 3)).column(
      of: 5, level: head.level, boxes: head.boxes.span, classes: head.classes.span,
      extras: coefficients.span)
    #expect(column.count == 4 + 3 + 32)
    #expect(column[0..<4] == [28, 20, 32, 48])
    #expect(column[4] == 0.5)
    #expect(abs(column[5] + column[6] - 1) < 1e-6)
    #expect(column[7...] == coefficients[160...])
  }

  @Test(
    "the matrix holds the outputs of every anchor",
    arguments: [
      YOLOArchitecture(.n, .v11, .pose, classCount: 2),
      YOLOArchitecture(.n, .v11, .orientedBoxes, classCount: 3),
      YOLOArchitecture(
        .n, .v8, .pose, classCount: 1, keypoints: KeypointShape(count: 3, dimensions: 2)),
      YOLOArchitecture(.n, .v26, .pose, classCount: 1), YOLOArchitecture(.n, .v26, .detect, classCount: 4),
    ])
  func matrix(sizes: YOLOArchitecture) {
    // A level whose cells are no multiple of a block's, among the anchors of others.
    let level = PyramidLevel(height: 5, width: 7, stride: 16, firstAnchor: 11)
    let (anchors, channels) = (50, 4 + sizes.classCount + sizes.extras)
    func numbers(_ count: Int, _ seed: Int) -> [Float] {
      (0..<count * level.count).map { Float(($0 * 37 + seed) % 101) / 20 - 2 }
    }
    let (boxes, classes) = (numbers(sizes.generation == .v26 ? 4 : 64, 1), numbers(sizes.classCount, 2))
    let extras = numbers(sizes.extras, 3)
    let decoder = AnchorDecoder(sizes)
    var output = [Float](repeating: -1, count: channels * anchors)
    decoder.decode(
      level, boxes: boxes.span, classes: classes.span, extras: extras.span, anchorCount: anchors,
      into: &output)
    for anchor in 0..<anchors {
      let found = (0..<channels).map { output[$0 * anchors + anchor] }
      guard (11..<46).contains(anchor) else {
        #expect(found.allSatisfy { $0 == -1 })
        continue
      }
      let cell = anchor - 11
      #expect(
        found
          == decoder.column(
            of: cell, level: level, boxes: boxes.span, classes: classes.span, extras: extras.span))
      // Key points are those of a detected object.
      guard let shape = sizes.keypoints else { continue }
      let own = Array(extras[cell * sizes.extras..<(cell + 1) * sizes.extras])
      let keypoints = ObjectDecoding.keypoints(
        own.span, shape: shape, cell: cell, level: level, isDirect: sizes.generation == .v26)
      let wanted = keypoints.flatMap {
        [Float($0.point.x), Float($0.point.y)] + ($0.confidence.map { [$0] } ?? [])
      }
      #expect(Array(found[(4 + sizes.classCount)...]) == wanted)
    }
  }

  @Test("plain distances are corners in cells from the anchor")
  func direct() throws {
    let level = PyramidLevel(height: 2, width: 3, stride: 8, firstAnchor: 100)
    var boxes = [Float](repeating: 0, count: 24)
    for (side, distance) in [1.5, 0.5, 2, 3].enumerated() { boxes[20 + side] = Float(distance) }
    var classes = [Float](repeating: -9, count: 12)
    (classes[10], classes[11]) = (1, 2)
    let found = HeadDecoding.candidates(
      level: level, boxes: boxes.span, classes: classes.span, classCount: 2, confidence: 0.5,
      everyClass: true, coding: .direct)
    #expect(found.map(\.classIndex) == [0, 1])
    // Anchor (2.5, 1.5).
    #expect(found.allSatisfy { $0.box == Rect(minX: 8, minY: 8, maxX: 36, maxY: 36) && $0.anchor == 105 })
  }
}

/// A 2x3 level of stride 8 and three classes whose first anchor is number 100.
private struct Head {
  let level = PyramidLevel(height: 2, width: 3, stride: 8, firstAnchor: 100)
  var boxes = [Float](repeating: 0, count: 6 * 64)
  var classes = [Float](repeating: -9, count: 6 * 3)

  init(anchorSides: [Int: (Int, Int, Int, Int)], logits: [Int: [Float]]) {
    for (cell, sides) in anchorSides {
      for (side, bin) in [sides.0, sides.1, sides.2, sides.3].enumerated() {
        boxes[cell * 64 + side * 16 + bin] = 200
      }
    }
    for (cell, values) in logits {
      for (index, value) in values.enumerated() { classes[cell * 3 + index] = value }
    }
  }

  func candidates(confidence: Float) -> [Candidate] {
    HeadDecoding.candidates(
      level: level, boxes: boxes.span, classes: classes.span, classCount: 3, confidence: confidence)
  }
}
