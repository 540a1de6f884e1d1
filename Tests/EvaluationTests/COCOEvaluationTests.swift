import Evaluation
import FileFormats
import Testing

@Suite("COCO's average precision")
struct COCOEvaluationTests {
  @Test("an outline has the pixels that pycocotools gives it, beyond the picture's borders too")
  func outlines() throws {
    let golden = try EvaluationGolden.read()
    let size = try #require(golden["size"]?.numbers?.map { Int($0) })
    let cases = try #require(golden["outlines"]?.array)
    #expect(cases.count > 20)
    for entry in cases {
      let corners = try #require(entry["corners"]?.numbers)
      let mask = PolygonMask.mask(corners, height: size[0], width: size[1])
      #expect(mask.counts == entry["counts"]?.string, "\(corners)")
    }
  }

  @Test("labels with crowds and masks, and equal scores: every average precision is that of COCOeval")
  func precisions() throws {
    let golden = try EvaluationGolden.read()
    let size = try #require(golden["size"]?.numbers?.map { Int($0) })
    let coco = try #require(golden["coco"])
    let images = try #require(coco["annotations"]?["images"]?.array)
    var evaluator = ObjectEvaluator(.coco, classCount: 3, shape: .masks)
    for image in images {
      let id = image["id"]
      let annotations = (coco["annotations"]?["annotations"]?.array ?? []).filter { $0["image_id"] == id }
      let objects = try annotations.map { try Self.object($0, size) }
      let picture = LabeledPicture(
        path: "", id: id ?? .null, width: size[1], height: size[0], objects: objects)
      let found = try (coco["results"]?.array ?? []).filter { $0["image_id"] == id }.map { entry in
        EvaluatedDetection(
          classIndex: (entry["category_id"]?.integer ?? 0) - 1, score: try #require(entry["score"]?.number),
          box: try #require(EvaluationGolden.box(entry["bbox"])),
          mask: try RunLengthMask(
            height: size[0], width: size[1], counts: #require(entry["segmentation"]?["counts"]?.string)))
      }
      evaluator.add(found, of: COCOPicture(picture, shape: .masks))
    }
    let masks = try #require(evaluator.shapeResult)
    for classIndex in 0..<3 {
      let (boxGolden, maskGolden) = (coco["precisions"]?["bbox"], coco["precisions"]?["segm"])
      #expect(
        EvaluationGolden.agree(evaluator.boxResult.precision(of: classIndex), boxGolden?[classIndex]))
      #expect(EvaluationGolden.agree(masks.precision(of: classIndex), maskGolden?[classIndex]))
    }
  }

  private static func object(_ annotation: JSONValue, _ size: [Int]) throws -> LabeledObject {
    let region: LabeledRegion =
      if let outlines = annotation["segmentation"]?.array {
        .polygons(outlines.compactMap(\.numbers))
      } else {
        .mask(
          try RunLengthMask(
            height: size[0], width: size[1],
            counts: #require(annotation["segmentation"]?["counts"]?.string)))
      }
    return LabeledObject(
      classIndex: try #require(annotation["category_id"]?.integer) - 1,
      box: try #require(EvaluationGolden.box(annotation["bbox"])), region: region,
      isCrowd: annotation["iscrowd"] == 1)
  }

  private let square = COCOBox(x: 0, y: 0, width: 10, height: 10)

  private func result(_ scores: [Double], labels: [COCOBox], found: [COCOBox]) -> PrecisionResult {
    let picture = LabeledPicture(
      path: "", id: 1, width: 100, height: 100,
      objects: labels.map { LabeledObject(classIndex: 0, box: $0, region: nil) })
    var evaluator = ObjectEvaluator(.coco, classCount: 1, shape: .boxes)
    evaluator.add(
      zip(scores, found).map { EvaluatedDetection(classIndex: 0, score: $0, box: $1, mask: nil) },
      of: COCOPicture(picture, shape: .boxes))
    return evaluator.boxResult
  }

  private func isOne(_ value: Double?) -> Bool { abs((value ?? 0) - 1) < 1e-12 }

  @Test("everything found is 1, nothing found 0, nothing labeled no figure")
  func extremes() {
    #expect(isOne(result([0.9], labels: [square], found: [square]).overall?.mean))
    #expect(result([], labels: [square], found: []).overall?.mean == 0)
    #expect(result([0.9], labels: [], found: [square]).overall == nil)
  }

  @Test("a label is found once: the second detection of it is wrong, and costs where it is the better one")
  func duplicates() throws {
    let shifted = COCOBox(x: 3, y: 0, width: 10, height: 10)
    #expect(isOne(result([0.9, 0.8], labels: [square], found: [square, square]).overall?.at50))
    // Of an overlap of 70/130, the better one is right at .5 alone, and wrong above.
    let both = try #require(result([0.9, 0.8], labels: [square], found: [shifted, square]).overall)
    #expect(isOne(both.at50))
    #expect(abs(both.atThresholds[1] - 0.5) < 1e-12)
  }

  @Test("of a picture's detections of a class the best hundred count")
  func mostDetections() {
    let elsewhere = COCOBox(x: 50, y: 50, width: 5, height: 5)
    let found = Array(repeating: elsewhere, count: 100) + [square]
    let scores = (0...100).map { 1 - Double($0) / 200 }
    #expect(result(scores, labels: [square], found: found).overall?.mean == 0)
    #expect(
      (result(Array(scores.dropFirst()), labels: [square], found: Array(found.dropFirst())).overall?.mean ?? 0)
        > 0)
  }
}

@Suite("Run-length masks of an evaluation")
struct MaskSetTests {
  private func mask(_ rows: String...) -> RunLengthMask {
    RunLengthMask(
      height: rows.count, width: rows[0].count, mask: rows.flatMap { $0.map { $0 == "#" ? 1 : 0 } })
  }

  @Test("a part of a mask is encoded as the whole would be")
  func part() {
    let whole = mask("......", "..##..", ".#.##.", "..###.")
    let part = RunLengthMask(
      height: 4, width: 6, columns: 1..<5, rows: 1..<4, elements: [0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1])
    #expect(part == whole)
    let full = RunLengthMask(height: 2, width: 2, columns: 0..<2, rows: 0..<2, elements: [1, 1, 1, 1])
    #expect(full == mask("##", "##"))
    #expect(
      RunLengthMask(height: 2, width: 2, columns: 0..<0, rows: 0..<0, elements: []) == mask("..", ".."))
  }

  @Test("what two masks share, what several cover, and the rectangle around one")
  func sets() {
    let (first, second) = (mask("##..", "##..", "...."), mask(".##.", ".##.", "...#"))
    #expect(first.intersection(second) == 2)
    #expect(RunLengthMask.union([first, second], height: 3, width: 4) == mask("###.", "###.", "...#"))
    #expect(RunLengthMask.union([], height: 3, width: 4).area == 0)
    #expect(mask("....", ".##.", "..#.").box == COCOBox(x: 1, y: 1, width: 2, height: 2))
    #expect(mask("....").box == COCOBox(x: 0, y: 0, width: 0, height: 0))
  }

  @Test("runs that do not fit the mask are refused")
  func badRuns() {
    #expect(throws: RunLengthError.wrongTotal(found: 5, expected: 6)) {
      try RunLengthMask(height: 2, width: 3, runs: [2, 3])
    }
    #expect(throws: RunLengthError.invalidRun(index: 1)) {
      try RunLengthMask(height: 2, width: 3, runs: [2, -1, 5])
    }
  }
}
