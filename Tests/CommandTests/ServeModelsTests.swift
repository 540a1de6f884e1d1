import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf serve --models`, as other programs meet it.
@Suite(.serialized) struct ServeModelsTests {
  private static let networks = [
    "--models", "net=\(TinyNetwork.detector)", "--models", "depth-net=\(TinyNetwork.depth)", "--imgsz", "64",
    "--depth-size", "42", "--conf", TinyNetwork.conf, "--max-det", "8",
  ]

  /// Arguments, the exit status, and what is said.
  private static let wrong: [([String], Int32, String)] = [
    (["--models", "nothing.safetensors"], 66, "nothing.safetensors"),
    (["--models", "yolo99-seg"], 66, "no network"),
    (networks + ["--listen", "0.0.0.0:0"], 64, "--token-file"),
    (networks + ["--listen", "localhost:0"], 64, "--listen"),
    (networks + ["--listen", "grpc://127.0.0.1"], 64, "HTTP/1.1"),
    (networks + ["--yolo", "x"], 64, "--models"),
    (networks + ["--port", "0"], 64, "--listen"),
    (networks + ["picture.jpg"], 64, "SOURCE"),
    (networks + ["--models", "net=\(TinyNetwork.detector)"], 64, "NAME=FILE"),
    (["--models", "detect=\(TinyNetwork.detector)"], 64, "detect is the name of what is made"),
    (["--models", "a/b=\(TinyNetwork.detector)"], 64, "NAME=FILE"),
    (networks + ["--token-file", "token", "--no-auth"], 64, "contradict"),
    (networks + ["--token-file", "missing"], 66, "missing"),
    (networks + ["--token-file", "short"], 65, "openssl"),
    (networks + ["--workers", "0"], 64, "--workers"),
    (networks + ["--timeout", "0"], 64, "--timeout"),
    (["--log", "json"], 64, "--models"), (["--deepstack", "--port", "0"], 64, "--models"),
    (["--models", "d=\(TinyNetwork.depth)", "--depth-size", "42", "--deepstack"], 64, "detector"),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsTold(index: Int) throws {
    let place = try TemporaryDirectory()
    _ = try place.write(Array("0123456789abcdef\n".utf8), to: "token")
    _ = try place.write(Array("short\n".utf8), to: "short")
    let (arguments, status, text) = Self.wrong[index]
    let isNamed = arguments.contains { $0 == "--listen" || $0 == "--port" }
    let words = ["serve"] + arguments
    let run = try CommandRun(isNamed ? words : CommandRun.onAnyPort(words), in: place.path)
    #expect(run.status == status, "\(arguments): \(run.error)")
    #expect(run.error.contains(text), "\(run.error)")
  }

  /// The port that a server listens on, once it does.
  private static func port(of running: RunningCommand) throws -> UInt16 {
    var port: UInt16?
    try running.until("it says where it listens") {
      port = running.said.firstMatch(of: /:(\d+)\/v2/).flatMap { UInt16($0.1) }
      return port != nil
    }
    return try #require(port)
  }

  private static func answer(_ port: UInt16, _ request: String, _ body: [UInt8] = []) throws -> String {
    let connection = try LoopbackConnection(port: port)
    connection.send(
      Array(
        "\(request)\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
          .utf8)
        + body)
    return String(decoding: connection.readToEnd(), as: UTF8.self)
  }

  private static func outputs(_ answer: String) throws -> [String: JSONValue] {
    let body = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
    let outputs = try #require(try JSONValue.parse(body)["outputs"]?.array, "\(answer.prefix(300))")
    return Dictionary(uniqueKeysWithValues: outputs.map { ($0["name"]?.string ?? "", $0) })
  }

  @Test func networksAndPipelinesAnswer() throws {
    let picture = Data(try SyntheticCapture.encoded()).base64EncodedString()
    let image =
      #"{"name":"image","datatype":"BYTES","shape":[1],"parameters":{"content_type":"base64"},"data":["\#(picture)"]}"#
    let running = try RunningCommand(["serve", "--listen", "127.0.0.1:0", "--log", "json"] + Self.networks)
    let port = try Self.port(of: running)
    func infer(_ model: String, _ inputs: String) throws -> [String: JSONValue] {
      try Self.outputs(
        Self.answer(
          port, "POST /v2/models/\(model)/infer HTTP/1.1", Array(#"{"inputs":[\#(inputs)]}"#.utf8)))
    }
    #expect(try Self.answer(port, "GET /v2/health/ready HTTP/1.1").contains("200 OK"))

    let zeros = Array(repeating: "0", count: 3 * 64 * 64).joined(separator: ",")
    let raw = try infer("net", #"{"name":"images","datatype":"FP32","shape":[1,3,64,64],"data":[\#(zeros)]}"#)
    // Anchors of 64 x 64: 8 x 8, 4 x 4 and 2 x 2.
    #expect(raw["output0"]?["shape"]?[2]?.integer == 84)
    #expect(raw["output1"]?["shape"] == [1, 32, 16, 16])
    let flat = Array(repeating: "0.5", count: 3 * 42 * 56).joined(separator: ",")
    let depth = try infer(
      "depth-net", #"{"name":"pixel_values","datatype":"FP32","shape":[1,3,42,56],"data":[\#(flat)]}"#)
    #expect(depth["predicted_depth"]?["shape"] == [1, 42, 56])

    let detected = try infer("detect", image)
    // A picture as it is, in one line of curl.
    let asItIs = try Self.outputs(
      Self.answer(
        port, "POST /v2/models/detect/infer HTTP/1.1\r\nContent-Type: image/png", SyntheticCapture.encoded()))
    #expect(asItIs == detected)
    let count = try #require(detected["scores"]?["data"]?.array?.count)
    #expect((1...8).contains(count))
    #expect(detected["boxes"]?["shape"] == [.integer(count), 4])
    #expect(
      detected["image_size"]?["data"] == [
        .integer(SyntheticCapture.height), .integer(SyntheticCapture.width),
      ])
    let mapped = try infer("depth", image)
    #expect(
      mapped["depth"]?["shape"] == [.integer(SyntheticCapture.height), .integer(SyntheticCapture.width)])
    let readings = Array(repeating: "2", count: 48 * 64).joined(separator: ",")
    let measured = try infer(
      "measure",
      """
      \(image),{"name":"lidar","datatype":"FP32","shape":[48,64],"data":[\(readings)]},
      {"name":"intrinsics","datatype":"FP64","shape":[3,3],"data":[100,0,63.5,0,100,47.5,0,0,1]}
      """)
    #expect(measured["distances"]?["data"]?.array?.count == count)
    #expect(measured["distances"]?["data"]?[0]?.number.map { abs($0 - 2) < 0.1 } == true)
    let tilted = try Self.answer(
      port, "POST /v2/models/measure/infer HTTP/1.1",
      Array(
        #"{"inputs":[\#(image),{"name":"intrinsics","datatype":"FP64","shape":[3,3],"data":[0,0,0,0,0,0,0,0,1]}]}"#
          .utf8))
    #expect(tilted.contains("400 Bad Request") && tilted.contains("intrinsics"))

    kill(running.process.processIdentifier, SIGTERM)
    let run = try running.finished()
    #expect(run.status == 0, "\(run.error)")
    let entries = run.error.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(entries.count == 8, "\(run.error)")
    #expect(try JSONValue.parse(String(entries[1]))["model"]?.string == "net")
  }

  /// Any network of an ONNX file, by the names, types and shapes of its inputs and outputs.
  @Test func anyONNXFileIsServed() throws {
    let place = try TemporaryDirectory()
    let relu = try place.write(SmallONNX.model("Relu"), to: "relu.onnx")
    let negation = try place.write(SmallONNX.model("Neg", element: 7), to: "neg.onnx")
    let running = try RunningCommand([
      "serve", "--listen", "127.0.0.1:0", "--workers", "2", "--models", "\(relu),negated=\(negation)",
    ])
    let port = try Self.port(of: running)
    let metadata = try Self.answer(port, "GET /v2/models/relu HTTP/1.1")
    #expect(metadata.contains(#""datatype":"FP32","name":"x","shape":[-1]"#), "\(metadata)")
    func infer(_ model: String, _ input: String) throws -> String {
      try Self.answer(
        port, "POST /v2/models/\(model)/infer HTTP/1.1", Array(#"{"inputs":[\#(input)]}"#.utf8))
    }
    for count in [3, 5, 3] {
      let data = (0..<count).map { "\($0 - 1)" }.joined(separator: ",")
      let answer = try infer(
        "relu", #"{"name":"x","datatype":"FP32","shape":[\#(count)],"data":[\#(data)]}"#)
      let y = try Self.outputs(answer)["y"]
      #expect(y?["data"]?.array?.compactMap(\.number) == (0..<count).map { Double(max(0, $0 - 1)) })
    }
    let whole = try infer(
      "negated", #"{"name":"x","datatype":"INT64","shape":[2],"data":[9007199254740993,-4]}"#)
    #expect(try Self.outputs(whole)["y"]?["data"] == [-9_007_199_254_740_993, 4])
    let wrong = try infer("negated", #"{"name":"x","datatype":"FP32","shape":[1],"data":[1]}"#)
    #expect(wrong.contains("400 Bad Request") && wrong.contains("INT64"), "\(wrong)")
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finished().status == 0)
    let texts = try CommandRun(
      CommandRun.onAnyPort([
        "serve", "--models", place.write(SmallONNX.model("Identity", element: 8), to: "t.onnx"),
      ]))
    #expect(texts.status == 65 && texts.error.contains("ardf infer"), "\(texts.error)")
  }

  private func weights(_ family: String) -> String {
    "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/\(family)-least.safetensors"
  }

  /// The further outputs of a detector, and the shape of one object in each.
  private static let shapes: [(family: String, raw: [Int], output: String?, shape: [Int])] = [
    ("yolo11-pose", [1, 23, 84], "keypoints", [5, 3]), ("yolov8-obb", [1, 9, 84], "oriented_boxes", [5]),
    ("yolo26-pose", [1, 84, 21], "keypoints", [5, 3]), ("yolo26", [1, 84, 6], nil, []),
  ]

  @Test(arguments: shapes.indices) func networksOfEveryTask(index: Int) throws {
    let (family, raw, output, shape) = Self.shapes[index]
    let picture = Data(try SyntheticCapture.encoded()).base64EncodedString()
    let image =
      #"{"name":"image","datatype":"BYTES","shape":[1],"parameters":{"content_type":"base64"},"data":["\#(picture)"]}"#
    let running = try RunningCommand([
      "serve", "--listen", "127.0.0.1:0", "--models", "net=\(weights(family)),cls=\(weights("yolo11-cls"))",
      "--imgsz", "64", "--conf", "0.02", "--max-det", "6",
    ])
    let port = try Self.port(of: running)
    func infer(_ model: String, _ inputs: String, _ more: String = "") throws -> [String: JSONValue] {
      try Self.outputs(
        Self.answer(
          port, "POST /v2/models/\(model)/infer HTTP/1.1",
          Array(#"{"inputs":[\#(inputs)]\#(more)}"#.utf8)))
    }
    let zeros = Array(repeating: "0", count: 3 * 64 * 64).joined(separator: ",")
    let tensor = #"{"name":"images","datatype":"FP32","shape":[1,3,64,64],"data":[\#(zeros)]}"#
    #expect(try infer("net", tensor)["output0"]?["shape"]?.array?.compactMap(\.integer) == raw)
    #expect(try infer("cls", tensor)["output0"]?["shape"] == [1, 4])
    let oblong = tensor.replacingOccurrences(of: "3,64,64", with: "3,32,128")
    #expect(
      try Self.answer(
        port, "POST /v2/models/cls/infer HTTP/1.1", Array(#"{"inputs":[\#(oblong)]}"#.utf8)
      ).contains("square"))

    let detected = try infer("detect", image)
    let count = try #require(detected["scores"]?["data"]?.array?.count)
    #expect((1...6).contains(count) && detected["masks"] == nil)
    let place = try TemporaryDirectory()
    _ = try place.write(SyntheticCapture.encoded(), to: "picture.png")
    let command = try CommandRun([
      "detect", place.file("picture.png"), "--yolo", weights(family), "--imgsz", "64", "--conf", "0.02",
      "--max-det", "6", "--out", "-",
    ]).json()["detections"]?.array
    #expect(command?.count == count)
    if let output {
      let found = try #require(detected[output])
      #expect(found["shape"]?.array?.compactMap(\.integer) == [count] + shape)
      let first = try #require(found["data"]?[0]?.number)
      let said = command?[0]
      let expected = said?["keypoints"]?[0]?[0]?.number ?? said?["orientedBox"]?["center"]?[0]?.number
      #expect(abs(first - (try #require(expected))) < 1e-2)
    }
    let classes = try infer("classify", image, #","parameters":{"top":2}"#)
    let scores = classes["scores"]?["data"]?.array?.compactMap(\.number) ?? []
    #expect(scores.count == 2 && scores[0] >= scores[1] && classes["labels"]?["data"]?.array?.count == 2)
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finished().status == 0)
  }

  @Test func theAddressOfDeepStackIsPrintedToo() throws {
    let running = try RunningCommand(["serve", "--listen", "127.0.0.1:0", "--deepstack"] + Self.networks)
    let port = try Self.port(of: running)
    #expect(running.said.contains("http://127.0.0.1:\(port)/v1/vision/detection (DeepStack's API)"))
    #expect(try Self.answer(port, "GET /v1/vision/custom/list HTTP/1.1").contains("200 OK"))
    kill(running.process.processIdentifier, SIGINT)
    #expect(try running.finished().status == 0)
  }

  @Test func elsewhereThanLoopbackItSaysWhatThatMeans() throws {
    let running = try RunningCommand(["serve", "--listen", "0.0.0.0:0", "--no-auth"] + Self.networks)
    let port = try Self.port(of: running)
    #expect(try Self.answer(port, "GET /v2 HTTP/1.1").contains("200 OK"))
    kill(running.process.processIdentifier, SIGINT)
    let run = try running.finished()
    #expect(run.status == 0)
    #expect(run.error.contains("every machine that reaches"))
  }
}
