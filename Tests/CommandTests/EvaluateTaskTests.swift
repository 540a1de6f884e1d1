import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// `ardf evaluate` of key points, oriented boxes and classes: labels are what the tiny random networks find.
@Suite("ardf evaluate, by task")
struct EvaluateTaskTests {
  private func weights(_ family: String) -> String {
    "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/\(family)-least.safetensors"
  }

  /// Two pictures, labeled with the best that the network finds, by lines that `label` makes of detections.
  private func labeled(
    _ place: TemporaryDirectory, _ family: String, _ label: (JSONValue) -> [Double]
  ) throws {
    for name in ["1", "2"] {
      let picture = SyntheticCapture.picture(phase: Int(name) ?? 0)
      _ = try place.write(ImageCodec.encodePNG(picture), to: "set/images/\(name).png")
      let found =
        try CommandRun([
          "detect", place.file("set/images/\(name).png"), "--out", "-", "--yolo", weights(family), "--imgsz",
          "64", "--conf", "0.02", "--max-det", "3",
        ]).json()["detections"]?.array ?? []
      #expect(!found.isEmpty)
      let lines = found.map { detection in
        ([Double(detection["classId"]?.integer ?? 0)] + label(detection)).map { "\($0)" }.joined(
          separator: " ")
      }
      _ = try place.write(lines.joined(separator: "\n"), to: "set/labels/\(name).txt")
    }
  }

  private func share(_ value: Double?, of side: Int) -> Double {
    min(max((value ?? 0) / Double(side), 0), 1)
  }

  private func evaluate(_ place: TemporaryDirectory, _ family: String, _ more: [String] = []) throws
    -> CommandRun
  {
    try CommandRun(
      ["evaluate", place.file("set"), "--weights", weights(family), "--imgsz", "64", "--report", "json"]
        + more)
  }

  @Test("key points, by both protocols, and as COCO results")
  func keypoints() throws {
    let place = try TemporaryDirectory()
    let (width, height) = (SyntheticCapture.width, SyntheticCapture.height)
    try labeled(place, "yolo11-pose") { detection in
      let box = detection["box"]
      let (left, top) = (box?["x"]?.number ?? 0, box?["y"]?.number ?? 0)
      let (across, down) = (box?["width"]?.number ?? 0, box?["height"]?.number ?? 0)
      let points = (detection["keypoints"]?.array ?? []).flatMap { point -> [Double] in
        [share(point[0]?.number, of: width), share(point[1]?.number, of: height), 2]
      }
      return [
        share(left + across / 2, of: width), share(top + down / 2, of: height), share(across, of: width),
        share(down, of: height),
      ] + points
    }
    for rule in ["coco", "ultralytics"] {
      let run = try evaluate(place, "yolo11-pose", ["--protocol", rule, "--out", place.file(rule)])
      #expect(run.status == 0, "\(run.error)")
      let result = try #require(try run.json()["results"]?[0])
      #expect(result["masks"] == nil)
      let (boxes, points) = (result["boxes"]?["mAP50"]?.number, result["keypoints"]?["mAP50"]?.number)
      #expect((points ?? 0) > 0.05 && (boxes ?? 0) >= 0, "\(rule): \(run.output)")
    }
    let found = try #require(try JSONValue.read(path: place.file("coco/predictions-fp32.json")).array)
    #expect(found.allSatisfy { $0["keypoints"]?.array?.count == 15 && $0["bbox"]?.array?.count == 4 })
    #expect(try evaluate(place, "yolo11-pose", ["--masks", "fast"]).status == 64)
    // Labels without key points are another task's.
    let wrong = try evaluate(place, "yolov8-pose")
    #expect(wrong.status == 65 && wrong.error.contains("4 key points of 2 numbers"), "\(wrong.error)")
    let table = try evaluate(place, "yolo11-pose", ["--report", "csv"]).output
    #expect(table.hasPrefix("precision,box mAP50-95,box mAP50,pose mAP50-95,pose mAP50\n"))
  }

  @Test("oriented boxes, of which COCO's rule knows nothing", arguments: ["yolo11-obb", "yolo26-obb"])
  func orientedBoxes(family: String) throws {
    let place = try TemporaryDirectory()
    try labeled(place, family) { detection in
      (detection["orientedBox"]?["corners"]?.array ?? []).flatMap { corner -> [Double] in
        [
          share(corner[0]?.number, of: SyntheticCapture.width),
          share(corner[1]?.number, of: SyntheticCapture.height),
        ]
      }
    }
    let run = try evaluate(place, family)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["protocol"] == "ultralytics")
    let result = try #require(document["results"]?[0])
    #expect(
      result["boxes"] == nil && (result["orientedBoxes"]?["mAP50"]?.number ?? 0) > 0.05, "\(run.output)")
    #expect(try evaluate(place, family, ["--protocol", "coco"]).status == 64)
    #expect(try evaluate(place, family, ["--annotations", "a.json"]).status == 64)
    #expect(try evaluate(place, family, ["--nms"]).status == 0)
    _ = try place.write("0 0.5 0.5 0.1 0.1\n", to: "set/labels/1.txt")
    let boxes = try evaluate(place, family)
    #expect(boxes.status == 65 && boxes.error.contains("four corners"), "\(boxes.error)")
  }

  @Test("a classifier's first and first five classes")
  func classes() throws {
    let place = try TemporaryDirectory()
    for (index, name) in ["class 0", "class 1", "class 2", "class 3"].enumerated() {
      let picture = try ImageCodec.encodePNG(SyntheticCapture.picture(phase: index))
      _ = try place.write(picture, to: "set/\(name)/\(index).png")
    }
    let run = try evaluate(place, "yolo11-cls")
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["task"] == "classes" && document["pictures"] == 4)
    let result = try #require(document["results"]?[0])
    // Four classes are among the first five, whatever the network says.
    #expect(result["top5"]?.number == 1)
    var right = 0
    for index in 0..<4 {
      let found = try CommandRun([
        "detect", place.file("set/class \(index)/\(index).png"), "--yolo", weights("yolo11-cls"), "--imgsz",
        "64", "--out", "-",
      ]).json()
      if found["classes"]?[0]?["classId"]?.integer == index { right += 1 }
    }
    #expect(result["top1"]?.number == Double(right) / 4)
    #expect(try evaluate(place, "yolo11-cls", ["--rect"]).status == 64)
    #expect(try evaluate(place, "yolo11-cls", ["--frame", "1"]).status == 64)
    _ = try place.write(Array("no picture".utf8), to: "set/class 0/9.png")
    let damaged = try evaluate(place, "yolo11-cls")
    #expect(damaged.status == 65 && damaged.error.contains("1 of 5 pictures could not be read"))
    #expect(try damaged.json()["pictures"] == 4)
    let empty = try TemporaryDirectory()
    let none = try CommandRun(["evaluate", empty.path, "--weights", weights("yolo11-cls")])
    #expect(none.status == 66, "\(none.error)")
  }
}
