import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Commands with a detector of an ONNX file that is run as it is.
@Suite struct DetectorFileTests {
  /// A folder with `small.onnx` and a gray picture, whose two objects it finds.
  private func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try place.write(DetectorFile().bytes, to: "small.onnx")
    let picture = RGBImage(width: 40, height: 20, pixels: [UInt8](repeating: 51, count: 2400))
    try place.write(ImageCodec.encodePNG(picture), to: "images/gray.png")
    return place
  }

  @Test func detectTakesIt() throws {
    let place = try place()
    let run = try CommandRun(
      ["detect", "images/gray.png", "--yolo", "small.onnx", "--out", "-"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    let detections = try #require(document["detections"]?.array)
    #expect(detections.map { $0["className"]?.string } == ["class0", "class1"])
    let box = detections[0]["box"]
    #expect(abs((box?["x"]?.number ?? 0) - 5) < 1e-4 && abs((box?["width"]?.number ?? 0) - 10) < 1e-4)
    #expect(document["model"]?["finds"]?.string == "boxes")
    let one = try CommandRun(
      [
        "detect", "images/gray.png", "--yolo", "small.onnx", "--classes", "class1", "--format", "csv",
        "--out", "-",
      ],
      in: place.path)
    #expect(one.status == 0 && one.output.split(separator: "\n").count == 2, "\(one.error)")
  }

  @Test func runTakesIt() throws {
    let place = try place()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try CommandRun(
      ["run", "capture", "--yolo", "small.onnx", "--depth", "none", "--out", "made"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let objects = try JSONValue.read(path: place.file("made/detections.json"))["detections"]?.array
    #expect(objects?.count == 2)
  }

  @Test(arguments: ["coco", "ultralytics"]) func evaluateTakesIt(_ rule: String) throws {
    let place = try place()
    try place.write("0 0.25 0.5 0.25 0.5\n1 0.75 0.5 0.5 0.25\n", to: "labels/gray.txt")
    let run = try CommandRun(
      ["evaluate", place.path, "--weights", "small.onnx", "--protocol", rule, "--report", "json"],
      in: place.path)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["input"] == "8x8" && document["network"] == "small")
    #expect((document["results"]?[0]?["boxes"]?["mAP50-95"]?.number ?? 0) > 0.99)
  }

  @Test func serveTakesIt() throws {
    let place = try place()
    let running = try RunningCommand(
      ["serve", "--listen", "127.0.0.1:0", "--models", "small=\(place.file("small.onnx"))"])
    var port: UInt16?
    try running.until("it says where it listens") {
      port = running.said.firstMatch(of: /:(\d+)\/v2/).flatMap { UInt16($0.1) }
      return port != nil
    }
    let values = Array(repeating: "0.5", count: 192).joined(separator: ",")
    let body = Array(
      #"{"inputs":[{"name":"pixel_values","datatype":"FP32","shape":[1,3,8,8],"data":[\#(values)]}]}"#.utf8)
    let connection = try LoopbackConnection(port: try #require(port))
    connection.send(
      Array(
        "POST /v2/models/small/infer HTTP/1.1\r\nHost: 127.0.0.1:\(port ?? 0)\r\nConnection: close\r\n"
          .utf8) + Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
    let answer = String(decoding: connection.readToEnd(), as: UTF8.self)
    let outputs = try JSONValue.parse(answer.components(separatedBy: "\r\n\r\n").dropFirst().joined())[
      "outputs"]
    #expect(outputs?[0]?["name"] == "logits" && outputs?[0]?["shape"] == [1, 2, 2], "\(answer)")
    #expect(outputs?[1]?["name"] == "pred_boxes" && outputs?[1]?["shape"] == [1, 2, 4])
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finished().status == 0)
  }

  private static let wrong: [(words: [String], status: Int32, text: String)] = [
    (["detect", "images/gray.png", "--yolo", "small.onnx", "--rect", "--out", "-"], 64, "--rect"),
    (["detect", "images/gray.png", "--yolo", "small.onnx", "--nms", "--out", "-"], 64, "--nms"),
    (
      ["detect", "images/gray.png", "--yolo", "small.onnx", "--imgsz", "64", "--out", "-"], 65,
      "8x8, not 64x64"
    ),
    (["depth", "images/gray.png", "--depth", "small.onnx", "--out", "made"], 65, "holds a detector"),
    (["convert", "small.onnx", "made.safetensors"], 65, "--yolo small.onnx"),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsTold(_ index: Int) throws {
    let (words, status, text) = Self.wrong[index]
    let place = try place()
    let run = try CommandRun(words, in: place.path)
    #expect(run.status == status && run.error.contains(text), "\(run.error)")
  }
}
