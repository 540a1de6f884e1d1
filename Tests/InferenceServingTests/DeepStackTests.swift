import FileFormats
import HTTPServing
import InferenceProtocol
import InferenceServing
import Synchronization
import TestSupport
import Testing

/// DeepStack's API, by the requests that its clients make.
@Suite struct DeepStackTests {
  /// Finds one cup, as sure as it is asked to be and a hundredth more, in whatever is no empty picture.
  private struct Cups: ServedModel {
    let description = ModelDescription(
      name: "detect", platform: "test", inputs: [TensorDescription("image", .bytes, [1])],
      outputs: [
        TensorDescription("boxes", .float32, [-1, 4]), TensorDescription("scores", .float32, [-1]),
        TensorDescription("labels", .bytes, [-1]),
      ])

    func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
      guard call.inputs["image"]?.texts?.first?.isEmpty == false else { throw UnfitInput("image: is none") }
      let confidence = try call.request.number("conf", in: 0...1) ?? 0
      return [
        ProtocolTensor("boxes", [1, 4], [1.4, 2.5, 30.6, 40]),
        ProtocolTensor("scores", [1], [Float(confidence) + 0.01]), ProtocolTensor("labels", texts: ["cup"]),
      ]
    }
  }

  private static let boundary = "5f2c0d8e"

  /// A form as Python's `requests` writes it: files have a file name, other fields have none.
  private static func form(_ fields: [(name: String, value: String)], image: [UInt8]? = [0xFF, 0xD8, 13, 10])
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    for field in fields {
      bytes += Array(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n\(field.value)\r\n"
          .utf8)
    }
    if let image {
      bytes += Array(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"image\"; filename=\"image\"\r\n\r\n".utf8)
      bytes += image + Array("\r\n".utf8)
    }
    return bytes + Array("--\(boundary)--\r\n".utf8)
  }

  private static let type = ["Content-Type": "multipart/form-data; boundary=\(boundary)"]

  private func serving(
    token: String? = nil, _ body: @Sendable @escaping (ServerClient) throws -> Void
  ) async throws {
    try await InferenceServingTests.serving(
      Cups(), token: token, deepStack: DeepStackService(model: "detect", network: "yolo11n"), body)
  }

  @Test func objectsAreFound() async throws {
    try await serving { (client: ServerClient) throws in
      let answer = try client.send(
        "POST", "/v1/vision/detection", Self.form([("min_confidence", "0.6")]), fields: Self.type)
      #expect(answer.status == 200)
      #expect(
        answer.json == [
          "success": true,
          "predictions": [
            ["label": "cup", "confidence": 0.61, "x_min": 1, "y_min": 3, "x_max": 31, "y_max": 40]
          ],
        ])
      // As Frigate's plug-in: an empty key, and no confidence.
      let plain = try client.send(
        "POST", "/v1/vision/detection", Self.form([("api_key", "")]), fields: Self.type)
      #expect(plain.json?["predictions"]?[0]?["confidence"] == 0.46)
      #expect(
        try client.send("POST", "/v1/vision/custom/yolo11n", Self.form([]), fields: Self.type).status == 200)
      let blank = ["Content-Type": "multipart/form-data ; boundary=\(Self.boundary) "]
      #expect(try client.send("POST", "/v1/vision/detection", Self.form([]), fields: blank).status == 200)
      #expect(
        try client.send("POST", "/v1/vision/custom/list").json == ["success": true, "models": ["yolo11n"]])
      #expect(try client.metric(#"ardf_inferences_total{model="detect"}"#) == 4)
    }
  }

  /// The method, the path, the fields, the body and the status.
  private static let refused: [(String, String, [String: String?], [UInt8], Int)] = [
    ("POST", "detection", type, form([], image: nil), 400),
    ("POST", "detection", type, form([], image: []), 400),
    ("POST", "detection", type, form([("min_confidence", "2")]), 400),
    ("POST", "detection", type, form([("min_confidence", "nan")]), 400),
    ("POST", "detection", type, form([("min_confidence", "0.5"), ("min_confidence", "0.6")]), 400),
    ("POST", "detection", type, form([("image", "again")]), 400),
    ("POST", "detection", type, [], 400),
    ("POST", "detection", type, Array(form([]).dropLast(12)), 400),
    ("POST", "detection", type, Array("--\(boundary)\r\n\r\n\r\n--\(boundary)--".utf8), 400),
    ("POST", "detection", type, Array("--\(boundary)".utf8), 400),
    (
      "POST", "detection", type,
      Array("--\(boundary)\r\nX: \(String(repeating: "x", count: 9000))\r\n\r\n\r\n--\(boundary)--".utf8), 400
    ),
    ("POST", "detection", type, form((0..<100).map { ("f\($0)", "") }), 400),
    ("POST", "detection", ["Content-Type": "application/json"], Array("{}".utf8), 415),
    ("POST", "detection", ["Content-Type": "multipart/form-data"], form([]), 415),
    ("GET", "detection", [:], [], 405), ("POST", "scene", type, form([]), 403),
    ("POST", "face", type, form([]), 403), ("POST", "face/recognize", type, form([]), 403),
    ("POST", "face/list", [:], [], 403), ("POST", "custom/other", type, form([]), 404),
    ("POST", "nothing", [:], [], 404),
  ]

  @Test func whatIsNotDoneSaysSo() async throws {
    try await serving { (client: ServerClient) throws in
      for (method, path, fields, body, status) in Self.refused {
        let answer = try client.send(method, "/v1/vision/\(path)", body, fields: fields)
        #expect(answer.status == status, "\(path): \(answer.head)")
        #expect(answer.json?["success"] == false && answer.error?.isEmpty == false, "\(path)")
      }
      #expect(try client.send("POST", "/v1/vision/detection", Self.form([]), fields: Self.type).status == 200)
    }
  }

  /// A picture needs no type; what the address asks for is not passed over.
  @Test func picturesAreKnownByTheirFirstBytes() async throws {
    try await serving { (client: ServerClient) throws in
      for start in [[0xff, 0xd8, 0xff, 0xe0], Array("RIFF....WEBP".utf8), Array("\0\0\0 ftypheic".utf8)]
        as [[UInt8]]
      {
        let answer = try client.send(
          "POST", "/v2/models/detect/infer", start,
          fields: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(answer.status == 200, "\(answer.error ?? "")")
      }
      let asked = try client.send(
        "POST", "/v1/vision/detection?min_confidence=0.4", Self.form([]), fields: Self.type)
      #expect(asked.status == 400 && asked.error?.contains("form") == true)
      let none = try client.send(
        "POST", "/v1/vision/detection", Self.form([], image: nil), fields: Self.type)
      #expect(none.error?.contains("HEIC") == true)
    }
  }

  @Test func theKeyIsTheToken() async throws {
    try await serving(token: "0123456789abcdef") { (client: ServerClient) throws in
      func status(_ fields: [(String, String)], _ head: [String: String] = [:]) throws -> Int {
        try client.send(
          "POST", "/v1/vision/detection", Self.form(fields.map { (name: $0.0, value: $0.1) }),
          fields: Self.type.merging(head) { $1 }
        ).status
      }
      #expect(try status([]) == 401)
      #expect(try status([("api_key", "0123456789abcdeF")]) == 401)
      #expect(try status([("api_key", "0123456789abcdef")]) == 200)
      #expect(try status([], ["Authorization": "Bearer 0123456789abcdef"]) == 200)
      #expect(try client.send("POST", "/v1/vision/custom/list").status == 401)
      let key = Self.form([("api_key", "0123456789abcdef")], image: nil)
      #expect(try client.send("POST", "/v1/vision/custom/list", key, fields: Self.type).status == 200)
      // Without the token, no name of a network.
      let refused = try client.send("POST", "/v1/vision/custom/other").error
      #expect(refused != nil && refused?.contains("yolo11n") == false)
    }
  }

  @Test func withoutItThereIsNoSuchAddress() async throws {
    try await InferenceServingTests.serving(Cups()) { (client: ServerClient) throws in
      #expect(
        try client.send("POST", "/v1/vision/detection", Self.form([]), fields: Self.type).status == 404)
    }
  }

  @Test func clientsOfGRPCAreToldThatThereIsNone() async throws {
    try await InferenceServingTests.serving { (client: ServerClient) throws in
      let connection = try LoopbackConnection(port: client.port)
      connection.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
      let preface = ServerClient.Answer(connection.readToEnd())
      #expect(preface.status == 505)
      #expect(preface.error?.contains("HTTP/1.1 alone") == true)
      let answer = try client.send(
        "POST", "/inference.GRPCInferenceService/ModelInfer", [0, 0, 0, 0, 0],
        fields: ["Content-Type": "application/grpc+proto"])
      #expect(answer.status == 415)
      #expect(answer.error?.contains("gRPC") == true)
      #expect(try client.double("1").status == 200)
    }
  }
}
