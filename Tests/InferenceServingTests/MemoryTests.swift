import FileFormats
import Foundation
import HTTPServing
import InferenceProtocol
import InferenceServing
import Synchronization
import TestSupport
import Testing

/// Memory of requests and answers: taken before it is used, and given back.
@Suite struct MemoryTests {
  @Test func sharesAreBoundedAloneAndTogether() throws {
    let budget = MemoryBudget(limit: 1000)
    do {
      let (one, other) = (MemoryBudget.Reservation(budget), MemoryBudget.Reservation(budget))
      try one.take(700)
      #expect(throws: Refusal.needsTooMuch(bytes: 800, limit: 750)) { try one.take(100) }
      #expect(throws: Refusal.needsTooMuch(bytes: .max, limit: 750)) { try one.take(.max) }
      #expect(throws: Refusal.needsTooMuch(bytes: .max, limit: 750)) { try one.hold(.max) }
      #expect(one.heldByAll == 700)
      let full = #expect(throws: Refusal.self) { try other.take(301) }
      #expect(full?.status == .busy && full?.kind == "overloaded")
      try other.take(300)
      #expect(one.heldByAll == 1000)
      // More goes back than is held: no more than that does.
      other.give(.max)
      #expect(one.heldByAll == 700)
      try one.hold(50)
      #expect(one.heldByAll == 50)
      #expect(throws: Refusal.self) { try other.holding(2000) { Issue.record("there was no room") } }
      try other.holding(600) { #expect(one.heldByAll == 650) }
      #expect(one.heldByAll == 50)
      withExtendedLifetime((one, other)) {}
    }
    #expect(MemoryBudget.Reservation(budget).heldByAll == 0)
  }

  private static func promise(_ client: ServerClient, bytes: Int) throws -> LoopbackConnection {
    let connection = try LoopbackConnection(port: client.port)
    connection.send(
      Array(
        "POST /v2/models/double/infer HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Length: \(bytes)\r\n\r\n{"
          .utf8))
    return connection
  }

  /// Clients that promise bodies and send a byte each hold a byte each, not what they promised, nor a piece of it.
  @Test func promisesHoldWhatWasSent() async throws {
    var connections = connectionLimits(by: ManualTime())
    connections.memory = 200_000
    var limits = InferenceLimits()
    limits.bodyBytes = 140_000
    try await serving(limits: limits, connections: connections) { (client: ServerClient) throws in
      let silent = try (0..<40).map { _ in try Self.promise(client, bytes: 140_000) }
      try client.waits(for: "ardf_request_memory_bytes", toBe: 40)
      #expect(try client.double("2").status == 200)
      withExtendedLifetime(silent) {}
    }
  }

  /// A body that fits no budget is refused while it comes, and leaves nothing held.
  @Test func bodiesBeyondTheMemoryAreRefused() async throws {
    var connections = connectionLimits(by: ManualTime())
    connections.memory = 100_000
    try await serving(connections: connections) { (client: ServerClient) throws in
      let body = [UInt8](repeating: 32, count: 200_000)
      let answer = try client.send("POST", "/v2/models/double/infer", body)
      #expect(answer.status == 413 && answer.error?.contains("75000") == true, "\(answer.head)")
      try client.waits(for: "ardf_request_memory_bytes", toBe: 0)
      #expect(try client.double("2").status == 200)
    }
  }

  /// A request whose memory only its numbers tell is refused before it is computed.
  @Test func valuesBeyondTheMemoryAreRefused() async throws {
    var connections = connectionLimits(by: ManualTime())
    connections.memory = 1_000_000
    let model = Doubling()
    try await serving(model, connections: connections) { (client: ServerClient) throws in
      let numbers = Array(repeating: "1", count: 50_000).joined(separator: ",")
      #expect(try client.double(numbers).status == 413)
      #expect(model.begun.withLock { $0 } == 0)
      try client.waits(for: "ardf_request_memory_bytes", toBe: 0)
    }
  }

  private static let answerBytes = 32 << 20

  /// Clients that ask for much and read nothing hold no more than there is, and give it back when they go.
  @Test func answersThatNobodyTakesAreBounded() async throws {
    var connections = connectionLimits(by: ManualTime())
    connections.memory = 3 * Self.answerBytes + (1 << 20)
    let large = Filling(bytes: Self.answerBytes)
    try await serving(large, connections: connections) { (client: ServerClient) throws in
      let ask = {
        let connection = try LoopbackConnection(port: client.port)
        connection.send(client.request("POST", "/v2/models/fill/infer", Filling.request))
        return connection
      }
      do {
        let deaf = try (0..<2).map { number in
          let connection = try ask()
          connection.waitForBytes()
          return connection
        }
        let third = ServerClient.Answer(try ask().readToEnd())
        #expect(third.status == 503 && third.head.contains("Retry-After"), "\(third.head)")
        // What is short is answered still.
        #expect(try client.send("GET", "/v2").status == 200)
        withExtendedLifetime(deaf) {}
      }
      try client.waits(for: "ardf_request_memory_bytes", toBe: 0)
      let next = ServerClient.Answer(try ask().readToEnd())
      #expect(next.status == 200 && next.body.count > Self.answerBytes)
    }
  }

  /// An answer in numbers may need many times the memory of one in bytes.
  @Test func answersBeyondTheMemoryAreRefused() async throws {
    var connections = connectionLimits(by: ManualTime())
    connections.memory = 4 * Self.answerBytes
    try await serving(Filling(bytes: Self.answerBytes), connections: connections) {
      (client: ServerClient) throws in
      let text = try client.send(
        "POST", "/v2/models/fill/infer",
        Array(#"{"inputs":[{"name":"x","datatype":"UINT8","shape":[0],"data":[]}]}"#.utf8))
      #expect(text.status == 413 && text.error?.contains("binary_data_output") == true, "\(text.head)")
      #expect(try client.send("POST", "/v2/models/fill/infer", Filling.request).status == 200)
    }
  }
}

/// Makes much of nothing.
private final class Filling: ServedModel {
  static let request = Array(
    #"{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"UINT8","shape":[0],"data":[]}]}"#
      .utf8)

  let description = ModelDescription(
    name: "fill", platform: "test", inputs: [TensorDescription("x", .uint8, [-1])],
    outputs: [TensorDescription("y", .float32, [-1])])
  private let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    try call.memory.take(bytes)
    return [ProtocolTensor("y", [bytes / 4], [Float](repeating: 1, count: bytes / 4))]
  }
}
