import Evaluation
import FileFormats
import Foundation
import Geometry
import TestSupport
import Testing

/// The figures of pycocotools and ultralytics for key points and oriented boxes
/// (`tools/reference/goldens/make-shape-evaluation-goldens.py`).
@Suite("Average precision of key points and oriented boxes")
struct ShapeEvaluationTests {
  private static let golden = Result {
    try JSONValue.read(
      path: Bundle.module.path(forResource: "Goldens", ofType: nil)! + "/evaluation-shapes.json")
  }

  private let golden: JSONValue
  private let size: (height: Int, width: Int)
  private let frame: ValidationFrame
  private let joints = EvaluatedShape.keypoints(count: 17, dimensions: 3)

  init() throws {
    golden = try Self.golden.get()
    let sides = try #require(golden["size"]?.numbers?.map { Int($0) })
    size = (sides[0], sides[1])
    let frame = golden["frame"]
    func pair(_ key: String) throws -> [Int] { try #require(frame?[key]?.numbers?.map { Int($0) }) }
    let (network, content, padding) = (try pair("network"), try pair("content"), try pair("padding"))
    self.frame = ValidationFrame(
      contentWidth: content[1], contentHeight: content[0], networkWidth: network[1],
      networkHeight: network[0], padLeft: padding[0], padTop: padding[1])
  }

  private func triples(_ value: JSONValue?) throws -> [SIMD3<Double>] {
    let numbers = try #require(value?.numbers)
    return stride(from: 0, to: numbers.count, by: 3).map {
      SIMD3(numbers[$0], numbers[$0 + 1], numbers[$0 + 2])
    }
  }

  private func keypoints(_ value: JSONValue?, scale: (Double, Double) = (1, 1)) throws -> [LabeledKeypoint] {
    try triples(value).map { LabeledKeypoint(x: $0.x * scale.0, y: $0.y * scale.1, isLabeled: $0.z > 0) }
  }

  @Test("persons with and without labeled key points, crowds, more than twenty found: as COCOeval")
  func coco() throws {
    let coco = try #require(golden["coco"])
    var evaluator = ObjectEvaluator(.coco, classCount: 1, shape: joints)
    for image in try #require(coco["annotations"]?["images"]?.array) {
      let id = image["id"]
      let objects = try (coco["annotations"]?["annotations"]?.array ?? []).filter { $0["image_id"] == id }.map
      {
        LabeledObject(
          classIndex: 0, box: try #require(EvaluationGolden.box($0["bbox"])), region: nil,
          isCrowd: $0["iscrowd"] == 1, keypoints: try keypoints($0["keypoints"]),
          area: try #require($0["area"]?.number))
      }
      let picture = LabeledPicture(
        path: "", id: id ?? .null, width: size.width, height: size.height, objects: objects)
      let found = try (coco["results"]?.array ?? []).filter { $0["image_id"] == id }.map {
        EvaluatedDetection(
          classIndex: 0, score: try #require($0["score"]?.number),
          box: COCOBox(x: 0, y: 0, width: 1, height: 1), mask: nil, keypoints: try triples($0["keypoints"]))
      }
      evaluator.add(found, of: COCOPicture(picture, shape: joints))
    }
    let precision = try #require(evaluator.shapeResult?.precision(of: 0))
    #expect(precision.mean > 0.1 && precision.mean < 0.9)
    #expect(EvaluationGolden.agree(precision, coco["precision"]))
  }

  @Test("key points in the network's input: as yolo val")
  func poses() throws {
    let poses = try #require(golden["poses"])
    var evaluator = ObjectEvaluator(.ultralytics, classCount: 2, shape: joints)
    for entry in try #require(poses["pictures"]?.array) {
      let objects = try (entry["labels"]?.array ?? []).map { label in
        let box = try #require(label["box"]?.numbers)
        let (width, height) = (Double(size.width), Double(size.height))
        return LabeledObject(
          classIndex: try #require(label["class"]?.integer),
          box: COCOBox(
            x: (box[0] - box[2] / 2) * width, y: (box[1] - box[3] / 2) * height, width: box[2] * width,
            height: box[3] * height), region: nil,
          keypoints: try keypoints(label["keypoints"], scale: (width, height)))
      }
      let picture = LabeledPicture(
        path: "", id: .null, width: size.width, height: size.height, objects: objects)
      let found = try (entry["detections"]?.array ?? []).map { detection in
        let numbers = try #require(detection["keypoints"]?.numbers).map { Float($0) }
        return InputDetection(
          classIndex: try #require(detection["class"]?.integer),
          score: Float(try #require(detection["score"]?.number)), box: .zero,
          keypoints: stride(from: 0, to: numbers.count, by: 2).map { SIMD2(numbers[$0], numbers[$0 + 1]) })
      }
      evaluator.add(found, of: UltralyticsPicture(picture, in: frame, shape: joints))
    }
    let result = try #require(evaluator.shapeResult)
    for classIndex in 0..<2 {
      #expect(
        EvaluationGolden.agree(result.precision(of: classIndex), poses["precisions"]?["\(classIndex)"]))
    }
  }

  @Test("oriented boxes by their probabilistic overlap: as yolo val")
  func orientedBoxes() throws {
    let golden = try #require(golden["orientedBoxes"])
    var evaluator = ObjectEvaluator(.ultralytics, classCount: 2, shape: .orientedBoxes)
    for entry in try #require(golden["pictures"]?.array) {
      let objects = try (entry["labels"]?.array ?? []).map { label in
        LabeledObject(
          classIndex: try #require(label["class"]?.integer), box: COCOBox(x: 0, y: 0, width: 1, height: 1),
          region: nil, outline: try #require(label["corners"]?.numbers).map { Float($0) })
      }
      let picture = LabeledPicture(path: "", id: .null, width: 1, height: 1, objects: objects)
      let found = try (entry["detections"]?.array ?? []).map { detection in
        let box = try #require(detection["box"]?.numbers).map { Float($0) }
        return InputDetection(
          classIndex: try #require(detection["class"]?.integer),
          score: Float(try #require(detection["score"]?.number)), box: .zero,
          orientedBox: GaussianBox(
            center: SIMD2(box[0], box[1]), size: SIMD2(box[2], box[3]), angle: box[4]))
      }
      evaluator.add(found, of: UltralyticsPicture(picture, in: frame, shape: .orientedBoxes))
    }
    #expect(evaluator.shapeResult == nil)
    for classIndex in 0..<2 {
      let precision = try #require(evaluator.boxResult.precision(of: classIndex))
      #expect(precision.mean > 0.05)
      #expect(EvaluationGolden.agree(precision, golden["precisions"]?["\(classIndex)"]))
    }
  }

  @Test("key points that are not a person's have one spread")
  func sigmas() {
    #expect(
      EvaluatedShape.keypoints(count: 4, dimensions: 3) == .keypoints(sigmas: [0.25, 0.25, 0.25, 0.25]))
    #expect(EvaluatedShape.keypoints(count: 17, dimensions: 2) != joints)
  }

  @Test("how often a class is named first, or among five")
  func classes() {
    var accuracy = ClassAccuracy()
    #expect(accuracy.top1 == 0)
    accuracy.add([3, 1, 2, 0, 4, 5], of: 3)
    accuracy.add([3, 1, 2, 0, 4, 5], of: 4)
    accuracy.add([3, 1, 2, 0, 4, 5], of: 5)
    accuracy.add([1], of: 1)
    #expect(accuracy.top1 == 0.5 && accuracy.top5 == 0.75)
    #expect(accuracy.labeled == [1, 3, 4, 5] && accuracy.counts(of: 4) == (0, 1, 1))
  }
}

@Suite("Folders of pictures for each class")
struct ClassFolderTests {
  private func folder(_ classes: [String]) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for name in classes {
      try FileManager.default.createDirectory(
        atPath: place.file("set/\(name)"), withIntermediateDirectories: true)
      _ = try place.write([], to: "set/\(name)/a.jpg")
      _ = try place.write([], to: "set/\(name)/notes.txt")
    }
    return place
  }

  @Test("are the network's classes by name, some of them or all")
  func names() throws {
    let place = try folder(["dog", "cat"])
    let found = try ClassFolders.read(place.file("set"), names: ["cat", "cow", "dog"])
    #expect(found.map(\.classIndex) == [0, 2])
    #expect(found.map(\.path) == [place.file("set/cat/a.jpg"), place.file("set/dog/a.jpg")])
  }

  @Test("with names of their own are the classes in order, if as many")
  func order() throws {
    let place = try folder(["n02", "n01"])
    #expect(try ClassFolders.read(place.file("set"), names: ["cat", "dog"]).map(\.classIndex) == [0, 1])
    #expect(throws: LabelError.unknownClassFolder(path: place.file("set/n01"), count: 3)) {
      try ClassFolders.read(place.file("set"), names: ["cat", "cow", "dog"])
    }
    let mixed = try folder(["n02", "cat"])
    #expect(throws: LabelError.unknownClassFolder(path: mixed.file("set/n02"), count: 2)) {
      try ClassFolders.read(mixed.file("set"), names: ["cat", "dog"])
    }
  }

  @Test("that are none, or empty, are refused")
  func none() throws {
    let place = try TemporaryDirectory()
    #expect(throws: LabelError.noClasses(folder: place.path)) {
      try ClassFolders.read(place.path, names: ["cat"])
    }
    try FileManager.default.createDirectory(atPath: place.file("cat"), withIntermediateDirectories: true)
    #expect(throws: LabelError.noPictures(folder: place.path)) {
      try ClassFolders.read(place.path, names: ["cat"])
    }
    #expect(throws: FileError.self) { try ClassFolders.read(place.file("cow"), names: ["cat"]) }
  }
}
