import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// The tiny random detector finds things in made-up pictures; labels are made of these.
@Suite("ardf evaluate")
struct EvaluateTests {
  private let detector = ["--weights", TinyNetwork.detector, "--imgsz", "64"]

  /// A folder of three pictures, labeled with what the network finds in two of them, some of it moved.
  private func labeled(_ temporary: TemporaryDirectory) throws -> String {
    let pixels = (0..<96 * 128 * 3).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 384 * 13) }
    for name in ["1", "2", "3"] {
      let picture =
        name == "3"
        ? RGBImage(width: 128, height: 96, pixels: pixels) : SyntheticCapture.picture(phase: Int(name) ?? 0)
      try temporary.write(ImageCodec.encodePNG(picture), to: "images/\(name).png")
      let run = try CommandRun(
        ["detect", temporary.file("images/\(name).png"), "--out", "-"] + TinyNetwork.detectorOptions)
      let found = try run.json()["detections"]?.array ?? []
      #expect(!found.isEmpty)
      let lines = found.enumerated().compactMap { index, detection -> String? in
        guard let box = detection["box"], let x = box["x"]?.number, let y = box["y"]?.number,
          let width = box["width"]?.number, let height = box["height"]?.number,
          let kind = detection["classId"]?.integer
        else { return nil }
        let left = x / 128
        let (top, right) = (y / 96, (x + width * (index % 2 == 0 ? 1 : 0.8)) / 128)
        let bottom = (y + height) / 96
        return "\(kind) \(left) \(top) \(right) \(top) \(right) \(bottom) \(left) \(bottom)\n"
      }
      if name != "3" { try temporary.write(lines.joined(), to: "labels/\(name).txt") }
    }
    return temporary.path
  }

  @Test("boxes and masks of a folder, the same for any number of threads, by both protocols")
  func folder() throws {
    let temporary = try TemporaryDirectory()
    let source = try labeled(temporary)
    for rule in [
      ["--protocol", "coco"], ["--protocol", "ultralytics"], ["--protocol", "ultralytics", "--rect"],
    ] {
      let arguments = ["evaluate", source, "--report", "json"] + detector + rule
      let run = try CommandRun(arguments + ["--threads", "1"])
      #expect(run.status == 0, "\(run.error)")
      let document = try run.json()
      #expect(document["schema"] == "ardf.evaluation/1")
      #expect(document["pictures"] == 3)
      let boxes = try #require(document["results"]?[0]?["boxes"])
      // Boxes of the random network reach beyond the picture, and by one protocol alone are clipped to it.
      if rule.contains("coco") { #expect((boxes["mAP50"]?.number ?? 0) > 0.05) }
      #expect((boxes["mAP50"]?.number ?? 0) >= (boxes["mAP50-95"]?.number ?? 1))
      #expect(document["results"]?[0]?["masks"]?["mAP50"]?.number != nil)
      #expect(run.error.contains("no label file for 1 of 3 pictures"))
      #expect(try CommandRun(arguments + ["--threads", "2"]).output == run.output)
    }
  }

  @Test("predictions are COCO results, and annotations of the same objects give the same figures")
  func annotations() throws {
    let (temporary, results) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try labeled(temporary)
    let plain = try CommandRun(
      ["evaluate", source, "--out", results.file("out"), "--report", "json"] + detector)
    #expect(plain.status == 0, "\(plain.error)")
    let found = try #require(JSONValue.read(path: results.file("out/predictions-fp32.json")).array)
    #expect(found.count > 3 && found.allSatisfy { $0["segmentation"]?["counts"]?.string != nil })
    #expect(try JSONValue.read(path: results.file("out/evaluation.json")) == plain.json())

    var list: [JSONValue] = []
    for image in 1...2 {
      var seen: Set<Substring> = []
      for line in try String(decoding: temporary.read("labels/\(image).txt"), as: UTF8.self).split(
        separator: "\n")
      {
        // A label that is there twice counts once.
        guard seen.insert(line).inserted else { continue }
        let fields = line.split(separator: " ").compactMap { Double($0) }
        // As the label's numbers are read: in single precision.
        let corners = fields.dropFirst().enumerated().map { Double(Float($1)) * ($0 % 2 == 0 ? 128 : 96) }
        list.append([
          "id": .integer(list.count + 1), "image_id": .integer(image),
          "category_id": .integer(Int(fields[0]) + 1),
          "bbox": .array(
            [corners[0], corners[1], corners[2] - corners[0], corners[5] - corners[1]].map(JSONValue.number)),
          "segmentation": .array([.array(corners.map(JSONValue.number))]),
        ])
      }
    }
    let document: JSONValue = [
      "images": .array(
        (1...3).map { ["id": .integer($0), "file_name": .string("\($0).png"), "width": 128, "height": 96] }),
      "annotations": .array(list),
      "categories": .array((0..<4).map { ["id": .integer($0 + 1), "name": .string("class \($0)")] }),
    ]
    try temporary.write(document.serialized(), to: "instances.json")
    let run = try CommandRun(
      ["evaluate", "\(source)/images", "--annotations", temporary.file("instances.json"), "--report", "json"]
        + detector)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.json()["results"] == plain.json()["results"])
  }

  @Test("several precisions come side by side, or are refused where the CPU lacks one")
  func precisions() throws {
    let temporary = try TemporaryDirectory()
    let source = try labeled(temporary)
    let sets = try #require(try CommandRun(["inspect", "cpu", "--json"]).json()["instructionSets"]?.array)
    let run = try CommandRun(["evaluate", source, "--precision", "fp32,bf16", "--report", "csv"] + detector)
    guard sets.contains("avx512bf16") || sets.contains("neonbf16") else {
      #expect(run.status == 64)
      return
    }
    #expect(run.status == 0, "\(run.error)")
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.count == 3 && lines[0].hasPrefix("precision,box mAP50-95,box mAP50,box change,mask mAP50-95"))
    #expect(lines[1].hasPrefix("fp32,") && lines[2].hasPrefix("bf16,"))
    #expect(try CommandRun(["evaluate", source, "--precision", "fp8"] + detector).status == 64)
  }

  @Test("auto takes the precision that it says, and is no second row of its own")
  func automaticPrecision() throws {
    let temporary = try TemporaryDirectory()
    let source = try labeled(temporary)
    let run = try CommandRun(
      ["evaluate", source, "--precision", "fp32,auto:0.0001", "--report", "csv"] + detector)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("--precision auto: fp32"), "\(run.error)")
    #expect(run.output.split(separator: "\n").count == 2, "\(run.output)")
    let usual = try CommandRun(["evaluate", source, "--precision", "auto", "--report", "csv"] + detector)
    #expect(usual.status == 0 && usual.error.contains("(asked for: 0.50 %)"), "\(usual.error)")
    let chosen = try #require(usual.error.firstMatch(of: /--precision auto: ([a-z0-9]+),/))
    #expect(usual.output.split(separator: "\n").last?.hasPrefix(chosen.1 + ",") == true, "\(usual.output)")
    for wrong in ["auto:0", "auto:2", "auto:x", "automatic", "fp32,"] {
      let refused = try CommandRun(["evaluate", source, "--precision", wrong] + detector)
      #expect(refused.status == 64 && refused.error.contains("or auto"), "\(refused.error)")
    }
  }

  @Test("bad labels end with the exit codes of files, before any picture is looked at")
  func defects() throws {
    let (temporary, results) = (try TemporaryDirectory(), try TemporaryDirectory())
    let source = try labeled(temporary)
    func status(_ more: [String] = [], _ path: String? = nil) throws -> Int32 {
      try CommandRun(["evaluate", path ?? source] + detector + more).status
    }
    #expect(try status([], temporary.file("nowhere")) == 66)
    #expect(try status([], "\(source)/labels") == 66)
    #expect(try status(["--annotations", temporary.file("none.json")]) == 66)
    try temporary.write("{}", to: "empty.json")
    #expect(try status(["--annotations", temporary.file("empty.json")], "\(source)/images") == 65)
    #expect(try status(["--protocol", "ultralytics", "--masks", "fast"]) == 64)
    #expect(try status(["--classes", "unicorn"]) == 64)
    #expect(try status(["--frame", "1"]) == 64)
    try temporary.write("80000 0.5 0.5 0.1 0.1\n", to: "labels/3.txt")
    #expect(try status() == 65)
    try temporary.write("0 0.5 0.5 0.1\n", to: "labels/3.txt")
    let run = try CommandRun(["evaluate", source, "--out", results.file("out")] + detector)
    #expect(run.status == 65 && run.error.contains("labels/3.txt: line 1 must be"))
    #expect(run.error.contains("1 of 3 pictures could not be read; the others are done"), "\(run.error)")
    let document = try JSONValue.read(path: results.file("out/evaluation.json"))
    #expect(document["pictures"] == 2 && document["leftOutPictures"]?.array?.count == 1)
    try temporary.write("", to: "labels/3.txt")
    try temporary.write("GIF89a", to: "images/5.gif")
    let unread = try CommandRun(["evaluate", source] + detector)
    #expect(unread.status == 10 && unread.error.contains("images/5.gif"), "\(unread.error)")
    try temporary.write("", to: "labels/4.txt")
    let stray = try CommandRun(["evaluate", source] + detector)
    #expect(stray.status == 65 && stray.error.contains("4.jpg, which is not there"), "\(stray.error)")
  }

  @Test("a picture that cannot be decoded is left out, and said so in the end")
  func damagedPicture() throws {
    let temporary = try TemporaryDirectory()
    let source = try labeled(temporary)
    let whole = try temporary.read("images/3.png")
    try temporary.write(Array(whole.prefix(whole.count / 2)), to: "images/3.png")
    let run = try CommandRun(["evaluate", source, "--report", "json"] + detector)
    #expect(run.status == 65)
    #expect(run.error.contains("1 of 3 pictures could not be read"))
    #expect(try run.json()["pictures"] == 2)
  }

  @Test("depth against a capture's sensor, by frame, with the unit that the network needs")
  func depth() throws {
    let temporary = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: temporary.file("clip"))
    try SyntheticCapture.write(
      to: temporary.file("clip/f1003"), options: .init(withDepth: false), timestamp: 3)
    let options = ["--weights", TinyNetwork.depth, "--depth-size", "42", "--report", "json"]
    let run = try CommandRun(["evaluate", temporary.file("clip")] + options)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["task"] == "depth" && document["align"] == "scale-shift" && document["frames"] == 3)
    let result = try #require(document["results"]?[0])
    #expect((result["absRel"]?.number ?? 1) < 0.5 && result["readings"] == 9216)
    #expect(result["perFrame"]?.array?.count == 3)
    let one = try CommandRun(["evaluate", temporary.file("clip"), "--frame", "0"] + options)
    #expect(try one.json()["frames"] == 1)
    #expect(try CommandRun(["evaluate", temporary.file("clip"), "--align", "none"] + options).status == 64)
    #expect(try CommandRun(["evaluate", temporary.file("clip"), "--imgsz", "64"] + options).status == 64)
    #expect(try CommandRun(["evaluate", temporary.file("clip/f1003")] + options).status == 65)
  }
}
