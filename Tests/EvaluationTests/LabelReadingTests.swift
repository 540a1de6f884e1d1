import Evaluation
import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Labels of pictures")
struct LabelReadingTests {
  private let classes = EvaluatedClasses(names: ["cat", "dog"])

  /// A folder with two pictures of 20 x 10 pixels and the label files given, by name.
  private func folder(_ temporary: TemporaryDirectory, labels: [String: String]) throws -> String {
    let root = temporary.file("set")
    for part in ["images", "labels"] {
      try FileManager.default.createDirectory(atPath: "\(root)/\(part)", withIntermediateDirectories: true)
    }
    let picture = try ImageCodec.encodePNG(
      RGBImage(width: 20, height: 10, pixels: [UInt8](repeating: 9, count: 600)))
    for name in ["1", "2"] { try Data(picture).write(to: URL(fileURLWithPath: "\(root)/images/\(name).png")) }
    for (name, text) in labels {
      try text.write(toFile: "\(root)/labels/\(name)", atomically: false, encoding: .utf8)
    }
    return root
  }

  private func error(_ labels: [String: String], _ classes: EvaluatedClasses? = nil) throws -> LabelError? {
    let temporary = try TemporaryDirectory()
    let root = try folder(temporary, labels: labels)
    do {
      _ = try LabelFolder.read(root, classes: classes ?? self.classes)
      return nil
    } catch let error as LabelError {
      return error
    }
  }

  @Test("boxes and outlines become pixels; pictures without a file have no objects")
  func lines() throws {
    let temporary = try TemporaryDirectory()
    let root = try folder(
      temporary, labels: ["1.txt": "1 0.5 0.5 0.2 0.4\r\n\n1 0.5 0.5 0.2 0.4\n"])
    let set = try LabelFolder.read(root, classes: classes)
    #expect(set.pictures.map(\.objects.count) == [1, 0])
    let box = set.pictures[0].objects[0].box
    #expect(abs(box.x - 8) < 1e-5 && abs(box.y - 3) < 1e-5 && abs(box.height - 4) < 1e-5)
    #expect(!set.hasRegions && set.notes.count == 2)
    #expect(set.pictures.map(\.id) == [1, 2])

    let other = try TemporaryDirectory()
    let outlined = try folder(
      other, labels: ["2.txt": "\u{FEFF}0 0.1 0.2 0.5 0.2 0.5 0.8\n"])
    let object = try LabelFolder.read("\(outlined)/images/", classes: classes).pictures[1].objects[0]
    #expect(abs(object.box.width - 8) < 1e-5 && object.outline.count == 6)
    guard case .polygons(let outlines) = object.region else {
      Issue.record("no outline")
      return
    }
    #expect(abs(outlines[0][5] - 8) < 1e-5)
  }

  @Test("corners of an outline may lie outside of the picture where its box's center does not")
  func border() throws {
    let temporary = try TemporaryDirectory()
    let root = try folder(
      temporary, labels: ["1.txt": "0 0.73938 1.01405 0.51584 0.72272 0.80716 0.49918 1.03070 0.79051\n"])
    let object = try LabelFolder.read(root, classes: classes).pictures[0].objects[0]
    #expect(object.outline[1] == 1.01405 && abs(object.box.width - 0.51486 * 20) < 1e-3)
  }

  @Test(
    "a malformed line is named",
    arguments: [
      "0 0.5 0.5 0.2", "0 0.5 0.5 0.2 0.2 0.1", "0 0.1 0.1 0.5 0.1 0.5", "cat 0.5 0.5 0.2 0.2",
      "0.5 0.5 0.5 0.2 0.2", "-1 0.5 0.5 0.2 0.2", "0 0.5 0.5 nan 0.2", "0 320 200 40 40",
      "0 0.5 0.5 -0.005 0.2", "0 0.1 0.1 0.5 0.1 0.5 x",
      "0 nan 0.1 0.5 0.1 0.5 0.8", "0 0.9 0.1 1.5 0.1 0.9 0.8",
    ])
  func malformed(line: String) throws {
    let found = try error(["1.txt": "0 0.5 0.5 0.2 0.2\n\(line)\n"])
    guard case .badLine(let file, 2, _) = found else {
      // Other lines may say it first.
      Issue.record("\(line): \(String(describing: found))")
      return
    }
    #expect(file.hasSuffix("labels/1.txt"))
  }

  @Test("a class that the network does not have is refused, unless only others are evaluated")
  func unknownClass() throws {
    let labels = ["1.txt": "0 0.5 0.5 0.2 0.2\n2 0.5 0.5 0.2 0.2\n"]
    guard case .unknownClass(_, 2, 2, 2) = try error(labels) else {
      Issue.record("accepted")
      return
    }
    #expect(try error(labels, EvaluatedClasses(names: ["cat", "dog"], only: [0])) == nil)
    #expect(try error(labels, EvaluatedClasses(names: ["cat", "dog"], only: [1]))?.fault == .malformedInput)
  }

  @Test("folders without labels, and labels without pictures, are missing input")
  func absent() throws {
    #expect(try error([:])?.fault == .missingInput)
    guard case .noPicture(_, let picture) = try error(["1.txt": "", "3.txt": ""]) else {
      Issue.record("accepted")
      return
    }
    #expect(picture.hasSuffix("images/3.jpg"))
    let temporary = try TemporaryDirectory()
    #expect(throws: LabelError.noFolder(path: temporary.path, needed: "images")) {
      try LabelFolder.read(temporary.path, classes: classes)
    }
    #expect(throws: FileError.missing(path: temporary.file("none"))) {
      try LabelFolder.read(temporary.file("none"), classes: classes)
    }
  }

  // MARK: - Bad pictures among others

  /// A set of which picture 1 is sound and labeled, and something is done to picture 2.
  private func spoiled(
    labels: [String: String] = [:], _ spoil: (_ root: String) throws -> Void
  ) throws -> LabeledSet {
    let temporary = try TemporaryDirectory()
    let root = try folder(temporary, labels: ["1.txt": "0 0.5 0.5 0.2 0.2\n"].merging(labels) { $1 })
    try spoil(root)
    return try LabelFolder.read(root, classes: classes)
  }

  @Test("a bad picture, or one with a bad label, is left out and named; the others are read")
  func others() throws {
    func check(_ name: String, _ set: LabeledSet, total: Int = 2) {
      #expect(set.pictures.map(\.objects.count) == [1], "\(name)")
      #expect(set.leftOut.count == total - 1 && set.total == total, "\(name): \(set.leftOut)")
      #expect(set.leftOut.allSatisfy { $0.reason.contains(name) }, "\(name): \(set.leftOut)")
      #expect(!set.notes.contains { $0.contains("without objects") }, "\(name)")
    }
    check("2.txt: line 1 must be", try spoiled(labels: ["2.txt": "0 0.5 0.5 0.2\n"]) { _ in })
    check(
      "2.txt: line 1 must be UTF-8",
      try spoiled { try Data([0x30, 0xff]).write(to: URL(fileURLWithPath: "\($0)/labels/2.txt")) })
    for bytes in ["", "rubbish"] {
      check(
        "2.png",
        try spoiled(labels: ["2.txt": ""]) {
          try Data(bytes.utf8).write(to: URL(fileURLWithPath: "\($0)/images/2.png"))
        })
    }
    check(
      "labels/2.txt: no such file",
      try spoiled {
        try FileManager.default.createSymbolicLink(
          atPath: "\($0)/labels/2.txt", withDestinationPath: "nowhere")
      })
    check(
      "labels/2.txt: is a directory",
      try spoiled {
        try FileManager.default.createDirectory(
          atPath: "\($0)/labels/2.txt", withIntermediateDirectories: false)
      })
    for file in ["labels/2.txt", "images/2.png"] {
      check(
        "\(file): not a regular file",
        try spoiled(labels: file.hasPrefix("images") ? ["2.txt": ""] : [:]) {
          try? FileManager.default.removeItem(atPath: "\($0)/\(file)")
          let made = unsafe mkfifo("\($0)/\(file)", 0o600)
          #expect(made == 0)
        })
    }
    let stray = try spoiled(labels: ["2.txt": "", "3.txt": ""]) { _ in }
    #expect(stray.pictures.count == 2 && stray.total == 3)
    #expect(stray.leftOut.first?.reason.contains("3.jpg, which is not there") == true)
  }

  @Test("what is of a kind that is not read, or has a name that is not UTF-8, is named")
  func passedOver() throws {
    for label in [["3.txt": ""], [:]] {
      let set = try spoiled(labels: label) {
        try Data("GIF89a".utf8).write(to: URL(fileURLWithPath: "\($0)/images/3.gif"))
      }
      #expect(set.passedOver.unread.count == 1 && set.leftOut.isEmpty && set.pictures.count == 2)
      #expect(set.passedOver.unread.first?.hasSuffix("images/3.gif") == true)
    }
    let set = try spoiled { root in
      for name in ["images/\u{1}.png", "labels/\u{1}.txt", "labels/\u{2}.txt"] {
        let bytes =
          Array("\(root)/\(name)".utf8).map { $0 < 3 ? 0xfd + $0 : $0 }.map { CChar(bitPattern: $0) } + [0]
        let descriptor = unsafe open(bytes, O_WRONLY | O_CREAT, 0o600)
        #expect(descriptor >= 0 && close(descriptor) == 0)
      }
    }
    #expect(set.pictures.count == 2 && set.total == 4)
    #expect(
      set.passedOver.unnamed.map { $0.hasSuffix("\\xFE.png") } == [true, false], "\(set.passedOver.unnamed)")
  }

  @Test("labels without a single object are refused")
  func empty() throws {
    guard case .nothingLabeled = try error(["1.txt": "", "2.txt": "\n"]) else {
      Issue.record("accepted")
      return
    }
  }

  // MARK: - Annotation files

  private let document: [String: JSONValue] = [
    "images": [["id": 7, "file_name": "2.png", "width": 20, "height": 10]],
    "categories": [["id": 18, "name": "dog"], ["id": 17, "name": "cat"]],
    "annotations": [
      [
        "id": 1, "image_id": 7, "category_id": 18, "bbox": [1, 2, 3.5, 4], "iscrowd": 0,
        "segmentation": [[1, 2, 4, 2, 4, 6]],
      ]
    ],
  ]

  private func annotated(_ change: (inout [String: JSONValue]) -> Void) throws -> Result<
    LabeledSet, LabelError
  > {
    let temporary = try TemporaryDirectory()
    let root = try folder(temporary, labels: [:])
    var changed = document
    change(&changed)
    let file = temporary.file("instances.json")
    try JSONValue.object(changed).serialized().write(toFile: file, atomically: false, encoding: .utf8)
    do {
      return .success(try AnnotationFile.read(file, pictures: "\(root)/images", classes: classes))
    } catch let error as LabelError {
      return .failure(error)
    }
  }

  @Test("categories are classes by name, pictures those that the file names")
  func annotations() throws {
    let set = try annotated { _ in }.get()
    #expect(set.pictures.count == 1 && set.pictures[0].id == 7)
    #expect(set.pictures[0].objects[0].classIndex == 1)
    #expect(set.categoryIds == [17, 18])
  }

  /// pycocotools holds categories apart by their number, whatever they are called.
  @Test("two categories of one name are not merged")
  func categoriesOfOneName() throws {
    let annotation: JSONValue = [
      "id": 2, "image_id": 7, "category_id": 6, "bbox": [1, 2, 3.5, 4], "iscrowd": 0,
      "segmentation": [[1, 2, 4, 2, 4, 6]],
    ]
    let twice: JSONValue = [
      ["id": 18, "name": "dog"], ["id": 6, "name": "dog"], ["id": 17, "name": "cat"],
    ]
    let both = try annotated { document in
      document["categories"] = twice
      document["annotations"] = .array((document["annotations"]?.array ?? []) + [annotation])
    }
    guard case .failure(.sharedName(_, ids: [18, 6], name: "dog")) = both else {
      Issue.record("\(both)")
      return
    }
    // Exporters write a category for a group too, which nothing is annotated with.
    #expect(try annotated { $0["categories"] = twice }.get().categoryIds == [17, 18])
    let other = try annotated { document in
      document["categories"] = twice
      document["annotations"] = [annotation]
    }
    #expect(try other.get().categoryIds == [17, 6])
    let sameNumber = try annotated {
      $0["categories"] = [["id": 18, "name": "dog"], ["id": 18, "name": "cat"]]
    }
    guard case .failure(let error) = sameNumber else {
      Issue.record("accepted")
      return
    }
    #expect("\(error)".contains("\"id\" of categories[1]"))
  }

  @Test("what an annotation file lacks or has wrong is named")
  func badAnnotations() throws {
    func place(_ change: (inout [String: JSONValue]) -> Void) throws -> String {
      guard case .failure(let error) = try annotated(change) else { return "accepted" }
      return "\(error)"
    }
    func annotation(_ members: NameTable<JSONValue>) -> JSONValue {
      let first = document["annotations"]?[0]?.object ?? [:]
      return .array([.object(first.merging(members) { $1 })])
    }
    #expect(try place { $0["images"] = nil }.contains("\"images\" must be a list"))
    #expect(
      try place { $0["annotations"] = annotation(["image_id": 8]) }.contains("\"image_id\" of annotations[0]")
    )
    #expect(try place { $0["annotations"] = annotation(["bbox": [1, 2, -3, 4]]) }.contains("\"bbox\""))
    #expect(try place { $0["annotations"] = annotation(["bbox": [1, 2, 3e9, 4]]) }.contains("\"bbox\""))
    #expect(try place { $0["annotations"] = annotation(["iscrowd": "no"]) }.contains("\"iscrowd\""))
    let runs: JSONValue = ["size": [10, 20], "counts": [3, 4]]
    #expect(
      try place { $0["annotations"] = annotation(["segmentation": runs]) }.contains("cover 7 pixels of 200"))
    #expect(
      try place { $0["annotations"] = annotation(["segmentation": [[1, 2, 3]]]) }.contains("\"segmentation\"")
    )
    #expect(try place { $0["annotations"] = annotation(["category_id": 3]) }.contains("\"category_id\""))
    #expect(
      try place { $0["categories"] = [["id": 18, "name": "cow"]] }.contains("is not a class of the network"))
    let image: JSONValue = ["id": 7, "file_name": "2.png", "width": 21, "height": 10]
    #expect(try place { $0["images"] = [image] }.contains("21x10"))
    let outside: JSONValue = ["id": 7, "file_name": "../2.png", "width": 20, "height": 10]
    #expect(try place { $0["images"] = [outside] }.contains("\"file_name\""))
    let absent: JSONValue = ["id": 7, "file_name": "9.png", "width": 20, "height": 10]
    let both = try annotated {
      $0["images"] = .array(
        [["id": 8, "file_name": "9.png", "width": 20, "height": 10]] + ($0["images"]?.array ?? []))
    }.get()
    #expect(both.pictures.count == 1 && both.leftOut.count == 1 && both.leftOut[0].reason.contains("9.png"))
    guard case .failure(let error) = try annotated({ $0["images"] = [absent] }) else {
      Issue.record("accepted")
      return
    }
    #expect(error.fault == .missingInput)
  }
}
