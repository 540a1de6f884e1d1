import FileFormats
import Foundation
import HTTPServing
import InferenceServing
import Synchronization
import TestSupport
import Testing

/// The answers to clients.
@Suite struct InferenceServiceTests {
  @Test func theProtocolsAddresses() async throws {
    try await serving { (client: ServerClient) throws in
      #expect(try client.send("GET", "/v2").json?["name"]?.string == "ardf")
      #expect(try client.send("GET", "/v2/health/live").json == ["live": true])
      #expect(try client.send("GET", "/v2/health/ready").json == ["ready": true])
      #expect(try client.send("GET", "/v2/models").json == ["models": ["double"]])
      for path in ["/v2/models/double", "/v2/models/double/versions/1"] {
        #expect(try client.send("GET", path).json?["platform"]?.string == "test")
        #expect(try client.send("GET", "\(path)/ready").json?["ready"]?.bool == true)
        #expect(try client.send("GET", "\(path)/config").json?["max_batch_size"]?.integer == 0)
        #expect(try client.send("POST", "\(path)/infer", ServerClient.doubling("1,2")).status == 200)
      }
      #expect(try client.send("POST", "/v2/repository/index").json?[0]?["state"]?.string == "READY")
      for path in ["/", "/v2/x", "/v2/health/x", "/v2/models/double/x", "/v2/models/double/infer/x"] {
        #expect(try client.send("GET", path).status == 404, "\(path)")
      }
      let root = try client.send("GET", "/").json?["error"]?.string
      #expect(root?.contains("GET /v2/models") == true, "\(root ?? "")")
      let head = try client.send("HEAD", "/v2")
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test func inferenceInJSONAndBytes() async throws {
    try await serving { (client: ServerClient) throws in
      let answer = try client.double("1,2.5", #","id":"a""#)
      #expect(answer.json?["outputs"]?[0]?["data"] == [2.0, 5.0])
      #expect(answer.json?["id"]?.string == "a")
      #expect(!answer.head.contains("Inference-Header-Content-Length"))
      let json =
        #"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}}],"outputs":[{"name":"y","parameters":{"binary_data":true}}]}"#
      let binary = try client.send(
        "POST", "/v2/models/double/infer", Array(json.utf8) + [0, 0, 0x80, 0x3f],
        fields: ["Inference-Header-Content-Length": "\(json.utf8.count)"])
      #expect(binary.head.contains("Inference-Header-Content-Length: \(binary.body.count - 4)"))
      #expect(binary.body.suffix(4) == [0, 0, 0, 0x40])
    }
  }

  /// The status and the message of each fault.
  @Test func statusesSayWhoseFaultItIs() async throws {
    try await serving { (client: ServerClient) throws in
      let unknown = try client.send("POST", "/v2/models/none/infer", ServerClient.doubling("1"))
      #expect(unknown.status == 404)
      #expect(unknown.error == "unknown model none; there are double")
      #expect(try client.send("GET", "/v2/models/double/versions/2").status == 404)
      for (method, path, allowed) in [
        ("GET", "/v2/models/double/infer", "POST"), ("DELETE", "/v2/models/double/infer", "POST"),
        ("POST", "/v2/models/double", "GET, HEAD"), ("PUT", "/metrics", "GET, HEAD"),
        ("GET", "/v2/repository/index", "POST"), ("POST", "/v2/health/live", "GET, HEAD"),
      ] {
        let answer = try client.send(method, path)
        #expect(answer.status == 405, "\(method) \(path)")
        // RFC 9110, 15.5.6.
        #expect(answer.head.contains("\r\nAllow: \(allowed)\r\n"), "\(answer.head)")
        #expect(answer.error?.contains(allowed.replacing(", ", with: " or ")) == true)
      }
      #expect(try client.send("POST", "/v2/models/double/infer", Array("{".utf8)).status == 400)
      let unfit = try client.double("-2")
      #expect(unfit.status == 400 && unfit.error == "x: is -2")
      let broken = try client.double("-1")
      #expect(broken.status == 500 && broken.error?.contains("failed") == true)
      let packed = try client.send(
        "POST", "/v2/models/double/infer", ServerClient.doubling("1"), fields: ["Content-Encoding": "gzip"])
      #expect(packed.status == 415)
      let chunked = try client.send(
        "POST", "/v2/models/double/infer", [],
        fields: ["Content-Length": nil, "Transfer-Encoding": "chunked"])
      #expect(chunked.status == 411)
      #expect(try client.metric(#"ardf_errors_total{kind="failed"}"#) == 1)
      #expect(try client.metric(#"ardf_errors_total{kind="length_required"}"#) == 1)
    }
  }

  /// The requests that curl sends without further options.
  @Test func likelyMistakesOfClientsAreAnswered() async throws {
    try await serving { (client: ServerClient) throws in
      let infer = "/v2/models/double/infer"
      let asked = try client.send("POST", infer + "?conf=0.25", ServerClient.doubling("1"))
      #expect(asked.status == 400 && asked.error?.contains("conf=0.25") == true)
      #expect(try client.send("GET", "/v2/models/double?x").status == 200)
      let model = try client.send("POST", "/v2/models/double", ServerClient.doubling("1"))
      #expect(model.status == 405 && model.error?.contains("POST " + infer) == true)
      let form = try client.send(
        "POST", infer, [0], fields: ["Content-Type": "multipart/form-data; boundary=x"])
      #expect(form.status == 415 && form.error?.contains("--data-binary") == true)
    }
  }

  @Test func onlyThisMachineByItsNameAndNoPageIsAnswered() async throws {
    try await serving { (client: ServerClient) throws in
      for host in ["evil.example", "127.0.0.1", "localhost:1"] {
        #expect(try client.send("GET", "/v2", fields: ["Host": host]).status == 403, "\(host)")
      }
      #expect(try client.send("GET", "/v2", fields: ["Host": nil]).status == 403)
      #expect(try client.send("GET", "/v2", fields: ["Host": "localhost:\(client.port)"]).status == 200)
      #expect(
        try client.send("GET", "/v2", fields: ["Origin": "http://127.0.0.1:\(client.port)"]).status == 403)
    }
  }

  @Test func theTokenIsAskedOfAllButHealthChecks() async throws {
    try await serving(token: "0123456789abcdef") { (client: ServerClient) throws in
      #expect(try client.send("GET", "/v2/health/live").status == 200)
      #expect(try client.send("GET", "/v2/health/ready").status == 200)
      for path in ["/v2", "/metrics", "/v2/models/double", "/v2/health/x/y", "/nothing"] {
        let answer = try client.send("GET", path)
        #expect(answer.status == 401, "\(path)")
        #expect(answer.head.contains("WWW-Authenticate: Bearer"))
      }
      for wrong in ["Bearer 0123456789abcdeF", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef"] {
        #expect(try client.send("GET", "/v2", fields: ["Authorization": wrong]).status == 401, "\(wrong)")
      }
      let right = ["Authorization": "Bearer 0123456789abcdef"]
      #expect(try client.send("GET", "/v2", fields: right).status == 200)
      let post = try client.send(
        "POST", "/v2/models/double/infer", ServerClient.doubling("3"), fields: right)
      #expect(post.json?["outputs"]?[0]?["data"] == [6.0])
    }
  }

  @Test func elsewhereThanLoopbackAnyNameIsAnswered() throws {
    let everywhere = try #require(ListeningAddress("0.0.0.0:8000"))
    let head = try RequestHead(Array("GET /v2 HTTP/1.1\r\nHost: service.cluster\r\n\r\n".utf8))
    try AccessGuard(token: nil, address: everywhere).check(head, isOpen: false)
    #expect(throws: Refusal.unauthorized) {
      try AccessGuard(token: "t", address: everywhere).check(head, isOpen: false)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:8000", true), ("127.9.9.9:1", true), ("[::1]:8000", true), ("0.0.0.0:80", false),
    ("10.0.0.1:80", false), ("[::]:80", false),
  ])
  func addresses(text: String, isLoopback: Bool) throws {
    let address = try #require(ListeningAddress(text))
    #expect(address.isLoopback == isLoopback)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "", "8000", "localhost:8000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:80", "1.2.3:4",
  ])
  func whatIsNoAddress(text: String) { #expect(ListeningAddress(text) == nil) }

  @Test func theAccessLogHasAnEntryForEachRequest() async throws {
    let entries = Mutex<[JSONValue]>([])
    try await serving(log: { entry in entries.withLock { $0.append(entry) } }) {
      (client: ServerClient) throws in
      _ = try client.double("1", #","id":"r""#)
      _ = try client.send("GET", "/v2/models/none")
    }
    let found = entries.withLock { $0 }
    #expect(found.map { $0["status"]?.integer } == [200, 404])
    #expect(found[0]["model"]?.string == "double" && found[0]["id"]?.string == "r")
    #expect(found[0]["client"]?.string?.hasPrefix("127.0.0.1:") == true)
    #expect(found[1]["error"]?.string?.contains("unknown model") == true)
  }

  @Test func metricsCountWhatHappened() async throws {
    try await serving { (client: ServerClient) throws in
      for _ in 0..<3 { _ = try client.double("1") }
      #expect(try client.metric(#"ardf_inferences_total{model="double"}"#) == 3)
      #expect(try client.metric(#"ardf_request_seconds_count{model="double"}"#) == 3)
      #expect(try client.metric(#"ardf_request_seconds_bucket{model="double",le="+Inf"}"#) == 3)
      #expect(try client.metric(#"ardf_info{version="test"}"#) == 1)
      #expect(try #require(try client.metric("process_resident_memory_bytes")) > 1_000_000)
      #expect(try #require(try client.metric("ardf_connections")) >= 1)
    }
  }
}
