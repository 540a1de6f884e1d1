import Evaluation
import FileFormats
import Testing

@Suite("Ultralytics' average precision")
struct UltralyticsEvaluationTests {
  @Test("outlines that overlap, on the prototype grid: every average precision is that of val")
  func precisions() throws {
    let golden = try #require(EvaluationGolden.read()["ultralytics"])
    func pair(_ key: String) throws -> [Int] {
      try #require(golden["frame"]?[key]?.numbers?.map { Int($0) })
    }
    let (network, content, padding) = (try pair("network"), try pair("content"), try pair("padding"))
    let frame = ValidationFrame(
      contentWidth: content[1], contentHeight: content[0], networkWidth: network[1],
      networkHeight: network[0], padLeft: padding[0], padTop: padding[1])
    var evaluator = ObjectEvaluator(.ultralytics, classCount: 3, shape: .masks)
    for entry in try #require(golden["pictures"]?.array) {
      let objects = try (entry["labels"]?.array ?? []).map { label in
        let outline = try #require(label["outline"]?.numbers).map { Float($0) }
        let xs = stride(from: 0, to: outline.count, by: 2).map { Double(outline[$0]) }
        let ys = stride(from: 1, to: outline.count, by: 2).map { Double(outline[$0]) }
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        return LabeledObject(
          classIndex: try #require(label["class"]?.integer),
          box: COCOBox(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top),
          region: nil, outline: outline)
      }
      let picture = LabeledPicture(path: "", id: .null, width: 1, height: 1, objects: objects)
      let found = try (entry["detections"]?.array ?? []).map { detection in
        let box = try #require(detection["box"]?.numbers).map { Float($0) }
        let cells = try RunLengthMask(
          height: network[0] / 4, width: network[1] / 4, counts: #require(detection["cells"]?.string))
        return InputDetection(
          classIndex: try #require(detection["class"]?.integer),
          score: Float(try #require(detection["score"]?.number)), box: SIMD4(box[0], box[1], box[2], box[3]),
          columns: 0..<cells.width, rows: 0..<cells.height, isSet: cells.mask.map { $0 != 0 })
      }
      evaluator.add(found, of: UltralyticsPicture(picture, in: frame, shape: .masks))
    }
    let masks = try #require(evaluator.shapeResult)
    for classIndex in 0..<3 {
      let (boxGolden, maskGolden) = (golden["precisions"]?["boxes"], golden["precisions"]?["masks"])
      #expect(
        EvaluationGolden.agree(evaluator.boxResult.precision(of: classIndex), boxGolden?["\(classIndex)"]))
      #expect(EvaluationGolden.agree(masks.precision(of: classIndex), maskGolden?["\(classIndex)"]))
    }
  }

  @Test("pictures of one shape fill the square, or a rectangle with half a stride to spare")
  func frames() {
    let square = ValidationBatches.frames([(640, 480), (333, 500)], side: 640, rect: false)
    #expect(square[0].padTop == 80 && square[0].padLeft == 0 && square[0].contentHeight == 480)
    // 333 * 1.28 is 426.24, rounded up.
    #expect(square[1].contentWidth == 427 && square[1].padLeft == 106)
    let wide = ValidationBatches.frames([(640, 480), (640, 427)], side: 640, rect: true)
    #expect(wide.allSatisfy { $0.networkWidth == 672 && $0.networkHeight == 512 })
    let mixed = ValidationBatches.frames([(640, 480), (480, 640)], side: 640, rect: true)
    #expect(mixed.allSatisfy { $0.networkWidth == 672 && $0.networkHeight == 672 })
    let batches = ValidationBatches.frames([(480, 640), (640, 320)], side: 640, rect: true, batch: 1)
    #expect(batches[0].networkHeight == 672 && batches[0].networkWidth == 512)
    #expect(batches[1].networkHeight == 352)
  }
}
