import FileFormats
import Foundation
import HTTPServing
import InferenceProtocol
import InferenceServing
import TestSupport
import Testing

/// Requests that no client of the protocol sends: each gets an error, and the next one is answered.
@Suite struct HostileRequestTests {
  private static func input(_ rest: String) -> [UInt8] {
    Array(#"{"inputs":[{"name":"x","datatype":"FP32",\#(rest)}]}"#.utf8)
  }

  private static let overflowing = """
    {"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}},
    {"name":"y","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":9223372036854775807}}]}
    """

  /// The name of the fault, the fields, the body and the status.
  private static let requests: [(String, [String: String?], [UInt8], Int)] = [
    ("nothing", [:], [], 400),
    ("no JSON", [:], [0xff, 0xfe, 0], 400),
    ("deep lists", [:], [UInt8](repeating: 0x5b, count: 100_000), 400),
    ("deep data", [:], input(#""shape":[1],"data":\#(String(repeating: "[", count: 5000))"#), 400),
    ("a great shape", [:], input(#""shape":[1000000000000],"data":[1]"#), 400),
    ("a shape that overflows", [:], input(#""shape":[4294967296,4294967296,4294967296],"data":[1]"#), 400),
    (
      "a long name", [:], Array(#"{"inputs":[{"name":"\#(String(repeating: "x", count: 100_000))"}]}"#.utf8),
      400
    ),
    ("a control character", [:], Array("{\"inputs\":[{\"name\":\"\u{1B}[2J\"}]}".utf8), 400),
    ("half of a surrogate pair", [:], Array(#"{"inputs":[{"name":"\ud800"}]}"#.utf8), 400),
    ("a key twice", [:], Array(#"{"inputs":[],"inputs":[]}"#.utf8), 400),
    ("a length of more than there is", ["Inference-Header-Content-Length": "99"], Array("{}".utf8), 400),
    ("a negative length", ["Inference-Header-Content-Length": "-1"], Array("{}".utf8), 400),
    ("bytes that are not there", [:], input(#""shape":[1],"parameters":{"binary_data_size":4}"#), 400),
    (
      "a size of all memory", [:],
      input(#""shape":[1],"parameters":{"binary_data_size":9223372036854775807}"#), 400
    ),
    (
      "sizes that overflow together", ["Inference-Header-Content-Length": "\(overflowing.utf8.count)"],
      Array((overflowing + "1234").utf8), 400
    ),
    ("a number beyond its type", [:], input(#""shape":[1],"data":[1e39]"#), 400),
    ("a number beyond all types", [:], input(#""shape":[1],"data":[1e400]"#), 400),
    ("no number at all", [:], input(#""shape":[1],"data":[NaN]"#), 400),
    ("no bare body", ["Inference-Header-Content-Length": "0"], [1, 2, 3, 4], 400),
    ("a packed body", ["Content-Encoding": "gzip"], [0x1f, 0x8b], 415),
    ("a promise beyond the limit", ["Content-Length": "99999999999", "Expect": "100-continue"], [], 413),
    ("no number", ["Content-Length": "ten"], [], 400),
    ("chunks", ["Content-Length": nil, "Transfer-Encoding": "chunked"], [], 411),
    ("a path that leads out", ["Content-Length": "0"], [], 400),
  ]

  @Test func eachIsToldAndTheNextAnswered() async throws {
    try await serving { (client: ServerClient) throws in
      for (what, fields, body, status) in Self.requests {
        let path =
          what == "a path that leads out" ? "/v2/models/..%2f..%2fetc/infer" : "/v2/models/double/infer"
        let answer = try client.send("POST", path, body, fields: fields)
        #expect(answer.status == status, "\(what): \(answer.head)")
        let message = try #require(answer.error, "\(what)")
        #expect(message.utf8.count < 2000 && !message.contains("\u{1B}"), "\(what)")
        #expect(try client.double("2").json?["outputs"]?[0]?["data"] == [4.0], "\(what)")
      }
    }
  }

  /// A list of more numbers than a tensor may have is refused while it is read.
  @Test func moreValuesThanAnyTensorAreRefused() async throws {
    var limits = InferenceLimits()
    limits.tensors.jsonValues = 1000
    try await serving(limits: limits) { (client: ServerClient) throws in
      let list = Array(repeating: "0", count: 2000).joined(separator: ",")
      let answer = try client.send(
        "POST", "/v2/models/double/infer", Self.input(#""shape":[2000],"data":[\#(list)]"#))
      #expect(answer.status == 400)
      #expect(answer.error?.contains("more than 1000 values") == true)
    }
  }

  @Test func aSlowBodyIsNotWaitedFor() async throws {
    let time = ManualTime()
    let limits = connectionLimits(by: time)
    try await serving(connections: limits) { (client: ServerClient) throws in
      let connection = try LoopbackConnection(port: client.port)
      connection.send(
        Array(
          "POST /v2/models/double/infer HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Length: 60000000\r\n\r\n{"
            .utf8))
      // A byte now and then does not begin the time anew: else the body would be there first.
      try time.pass(limits.bodyTimeout / 4, until: "it is given up") {
        connection.send([32])
        return connection.hasBytes
      }
      #expect(ServerClient.Answer(connection.readToEnd()).status == 408)
    }
  }
}
