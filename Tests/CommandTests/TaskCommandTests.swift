import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf detect`, `run` and `inspect` with networks of every task.
@Suite struct TaskCommandTests {
  private func weights(_ family: String) -> String {
    "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/\(family)-least.safetensors"
  }

  private func detect(
    _ place: TemporaryDirectory, _ family: String, _ more: [String] = []
  ) throws -> CommandRun {
    let options = ["--yolo", weights(family), "--imgsz", "64", "--conf", "0.02", "--max-det", "6"]
    return try CommandRun(["detect", place.file("capture")] + options + more)
  }

  private func capture() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    return place
  }

  @Test(arguments: ["yolo11", "yolov8", "yolo26"])
  func boxesAlone(family: String) throws {
    let place = try capture()
    let run = try detect(place, family, ["--out", place.file("found")])
    #expect(run.status == 0, "\(run.error)")
    let document = try JSONValue.read(path: place.file("found/detections.json"))
    let detections = try #require(document["detections"]?.array)
    #expect(!detections.isEmpty && detections.allSatisfy { $0["mask"]?.isNull == true })
    #expect(document["model"]?["finds"]?.string == "boxes" && document["model"]?["masks"] == nil)
    #expect(!FileManager.default.fileExists(atPath: place.file("found/masks")))
    #expect(FileManager.default.fileExists(atPath: place.file("found/annotated.jpg")))
  }

  @Test func posesHaveKeypointsInEveryForm() throws {
    let place = try capture()
    let run = try detect(place, "yolo11-pose", ["--out", "-"])
    #expect(run.status == 0, "\(run.error)")
    let detections = try #require(try run.json()["detections"]?.array)
    #expect(!detections.isEmpty)
    for detection in detections {
      let points = try #require(detection["keypoints"]?.array)
      #expect(points.count == 5 && points.allSatisfy { $0.array?.count == 3 })
    }
    let table = try detect(place, "yolo11-pose", ["--format", "csv", "--out", "-"]).output
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(table.count == detections.count + 1)
    try #require(table.allSatisfy { $0.count == 11 + 15 })
    #expect(table[0][11] == "keypoint0_x" && table[0][25] == "keypoint4_confidence")
    #expect(Double(table[1][12]) == detections[0]["keypoints"]?[0]?[1]?.number)
    // Four classes are not COCO's persons.
    #expect(try detect(place, "yolo11-pose", ["--format", "coco", "--out", "-"]).status == 65)
    #expect(try detect(place, "yolo11-pose", ["--format", "dota", "--out", place.file("d")]).status == 65)
  }

  @Test func orientedBoxesAreWrittenForDOTA() throws {
    let place = try capture()
    #expect(try detect(place, "yolo11-obb", ["--format", "dota", "--out", "-"]).status == 64)
    let run = try detect(place, "yolo11-obb", ["--format", "dota", "--out", place.file("task1")])
    #expect(run.status == 0, "\(run.error)")
    let found = try #require(
      try detect(place, "yolo11-obb", ["--out", "-"]).json()["detections"]?.array)
    var lines: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: place.file("task1"))
    where name.hasPrefix("Task1_class-") {
      lines += try String(contentsOfFile: place.file("task1/\(name)"), encoding: .utf8).split(separator: "\n")
        .map(String.init)
    }
    #expect(lines.count == found.count && !lines.isEmpty)
    #expect(lines.allSatisfy { $0.split(separator: " ").count == 10 })
    let table = try detect(place, "yolo11-obb", ["--format", "csv", "--out", "-"]).output
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    try #require(table.allSatisfy { $0.count == 11 + 5 })
    #expect(table[0][11] == "oriented_x")
    #expect(Double(table[1][15]) == found[0]["orientedBox"]?["angle"]?.number)
    let corners = try #require(found[0]["orientedBox"]?["corners"]?.array)
    let first = try #require(corners[0].numbers)
    #expect(
      lines.contains { line in
        let parts = line.split(separator: " ").compactMap { Double($0) }
        return abs(parts[1] - first[0]) < 1e-3 && abs(parts[2] - first[1]) < 1e-3
      })
  }

  @Test(arguments: ["yolo11", "yolov8"])
  func classifiersSayWhatAPictureIsOf(generation: String) throws {
    let place = try capture()
    let options = [
      "detect", place.file("capture"), "--yolo", weights("\(generation)-cls"), "--imgsz", "64",
    ]
    let run = try CommandRun(options + ["--out", place.file("classes")])
    #expect(run.status == 0, "\(run.error)")
    let document = try JSONValue.read(path: place.file("classes/classes.json"))
    let classes = try #require(document["classes"]?.array)
    let scores = classes.compactMap { $0["confidence"]?.number }
    #expect(classes.count == 4 && scores == scores.sorted(by: >) && abs(scores.reduce(0, +) - 1) < 1e-5)
    #expect(FileManager.default.fileExists(atPath: place.file("classes/annotated.jpg")))
    let table = try CommandRun(options + ["--format", "csv", "--out", "-"]).output.split(separator: "\n")
    #expect(table.count == 5 && table[0] == "source,name,timestamp,rank,class_id,class,confidence")
    #expect(try CommandRun(options + ["--format", "coco", "--out", "-"]).status == 65)
    #expect(try CommandRun(options + ["--classes", "1", "--out", "-"]).status == 64)
    let flow = try CommandRun(
      ["run", place.file("capture"), "--yolo", weights("\(generation)-cls"), "--out", place.file("r")])
    #expect(flow.status == 65 && flow.error.contains("classifier"), "\(flow.error)")
  }

  @Test func keypointsAndOrientedBoxesHavePlacesInTheWorld() throws {
    let place = try capture()
    for (family, field, count) in [("yolo11-pose", "keypoints3D", 5), ("yolo11-obb", "orientedCorners3D", 4)]
    {
      let found = place.file(family)
      #expect(try detect(place, family, ["--out", found]).status == 0)
      let placed = place.file("\(family)-placed")
      let run = try CommandRun([
        "place", "--detections", "\(found)/detections.json", "--capture", place.file("capture"), "--out",
        placed,
      ])
      #expect(run.status == 0, "\(run.error)")
      let objects = try #require(try JSONValue.read(path: "\(placed)/objects.json")["objects"]?.array)
      let shapes = objects.compactMap { $0[field]?.array }
      #expect(!shapes.isEmpty && shapes.allSatisfy { $0.count == count })
      // The whole flow says the same.
      let flow = try CommandRun(
        ["run", place.file("capture"), "--yolo", weights(family), "--imgsz", "64", "--conf", "0.02"]
          + ["--max-det", "6", "--out", place.file("\(family)-run")])
      #expect(flow.status == 0, "\(flow.error)")
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: "\(placed)/objects.json"))
          == Data(contentsOf: URL(fileURLWithPath: place.file("\(family)-run/objects.json"))))
    }
  }

  @Test func tablesOfMeasuredObjectsHaveTheirShapes() throws {
    let place = try capture()
    for (family, count) in [("yolo11-pose", 5), ("yolo11-obb", 4)] {
      let run = try CommandRun(
        ["run", place.file("capture"), "--yolo", weights(family), "--imgsz", "64", "--conf", "0.02"]
          + ["--max-det", "6", "--format", "csv", "--out", place.file(family)])
      #expect(run.status == 0, "\(run.error)")
      let table = try String(contentsOfFile: place.file("\(family)/results.csv"), encoding: .utf8)
        .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      let objects = try #require(
        try JSONValue.read(path: place.file("\(family)/summary.json"))["objects"]?.array)
      try #require(table.count == objects.count + 1 && objects.count > 1)
      let shape = family == "yolo11-pose" ? 15 : 5
      try #require(table.allSatisfy { $0.count == 49 + shape + 3 * count })
      #expect(table[0][26] == "side_+z")
      for (row, object) in zip(table.dropFirst(), objects) {
        let cells = Dictionary(uniqueKeysWithValues: zip(table[0].map(String.init), row.map { Double($0) }))
        let (point, spot, world) =
          family == "yolo11-pose"
          ? (
            object["keypoints"]?[4], ["keypoint4_x", "keypoint4_y", "keypoint4_confidence"],
            (object["keypoints3D"]?[4]?["position"], "keypoint4")
          )
          : (
            object["orientedBox"]?["center"], ["oriented_x", "oriented_y"],
            (object["orientedCorners3D"]?[3], "oriented3")
          )
        #expect(try #require(point?.numbers) == spot.compactMap { cells[$0] ?? nil })
        let wanted: [Double?] = world.0?.numbers ?? [nil, nil, nil]
        #expect(["x", "y", "z"].map { cells["\(world.1)_world_\($0)_m"] ?? nil } == wanted)
      }
      // Some of them have a place in the world.
      #expect(objects.contains { $0["keypoints3D"]?[4]?["position"]?.numbers != nil || shape == 5 })
      #expect(shape != 5 || objects.contains { $0["orientedCorners3D"] != nil })
    }
  }

  @Test func inspectSaysWhatACheckpointIs() throws {
    let place = try TemporaryDirectory()
    for (file, network, count) in [
      (weights("yolo11-pose"), "YOLO11-pose", 4), (weights("yolo26-seg"), "YOLO26-seg", 4),
      (weights("yolov8-cls"), "YOLOv8-cls", 4), (TinyNetwork.detector, "YOLO11-seg", 4),
    ] {
      let said = try CommandRun(["inspect", file, "--json"]).json()
      #expect(said["network"]?.string == network && said["classes"]?.integer == count)
      // Networks of no published size are described, and not converted.
      #expect(said["supported"]?.bool == false && said["defect"]?.string?.contains("size") == true)
    }
    let text = try CommandRun(["inspect", weights("yolo11-pose")])
    #expect(text.status == 0 && text.output.contains("key points"))
    #expect(text.output.contains("class 0, class 1, class 2, class 3"))
    let depth = try CommandRun(["inspect", TinyNetwork.depth, "--json"]).json()
    #expect(depth["network"]?.string == "Depth Anything V2" && depth["supported"]?.bool == false)
    let none = try CommandRun(["inspect", place.file("none.pt")])
    #expect(none.status == 66 && none.error.contains("none.pt"))
    try SyntheticCapture.write(Array("no checkpoint".utf8), to: place.file("text.pt"))
    #expect(try CommandRun(["inspect", place.file("text.pt")]).status == 65)
  }
}
