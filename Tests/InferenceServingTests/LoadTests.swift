import FileFormats
import Foundation
import HTTPServing
import InferenceServing
import Synchronization
import TestSupport
import Testing

/// The service under more requests than it can compute.
@Suite struct LoadTests {
  @Test func aFullQueueIsToldWithWhenToTryAgain() async throws {
    let model = Doubling(isGated: true)
    try await serving(model, queue: 1) { (client: ServerClient) throws in
      let first = try client.begin("1")
      model.entered.wait()
      let second = try client.begin("2")
      try client.waits(for: "ardf_queue_length", toBe: 1)
      let third = try client.double("3")
      #expect(third.status == 503)
      #expect(third.head.contains("Retry-After: 1"))
      model.gate?.signal()
      model.gate?.signal()
      #expect(ServerClient.Answer(first.readToEnd()).json?["outputs"]?[0]?["data"] == [2.0])
      #expect(ServerClient.Answer(second.readToEnd()).json?["outputs"]?[0]?["data"] == [4.0])
      #expect(try client.metric(#"ardf_errors_total{kind="overloaded"}"#) == 1)
    }
    #expect(model.begun.withLock { $0 } == 2)
  }

  @Test func whoseClientIsGoneIsNotComputed() async throws {
    let model = Doubling(isGated: true)
    try await serving(model) { (client: ServerClient) throws in
      let first = try client.begin("1")
      model.entered.wait()
      do { _ = try client.begin("2") }
      let third = try client.begin("3")
      // What a client sent before it went is read all the same.
      try client.waits(for: "ardf_queue_length", toBe: 2)
      for _ in 0..<3 { model.gate?.signal() }
      #expect(ServerClient.Answer(first.readToEnd()).status == 200)
      #expect(ServerClient.Answer(third.readToEnd()).json?["outputs"]?[0]?["data"] == [6.0])
    }
    #expect(model.begun.withLock { $0 } == 2)
  }

  @Test func whoIsGoneMakesRoom() async throws {
    let model = Doubling(isGated: true)
    try await serving(model, queue: 1) { (client: ServerClient) throws in
      let first = try client.begin("1")
      model.entered.wait()
      do {
        let gone = try client.begin("2")
        try client.waits(for: "ardf_queue_length", toBe: 1)
        gone.closeSending()
      }
      let third = try client.begin("3")
      try client.waits(for: #"ardf_errors_total{kind="abandoned"}"#, toBe: 1)
      for _ in 0..<2 { model.gate?.signal() }
      #expect(ServerClient.Answer(first.readToEnd()).status == 200)
      #expect(ServerClient.Answer(third.readToEnd()).json?["outputs"]?[0]?["data"] == [6.0])
    }
  }

  @Test func aRequestsTimeIsKept() async throws {
    let model = Doubling(isGated: true)
    let time = ManualTime()
    try await serving(model, connections: connectionLimits(by: time)) { (client: ServerClient) throws in
      let first = try client.begin("1")
      model.entered.wait()
      // Waits in the queue until its time is over, and is never computed.
      let late = try client.begin("2", #","parameters":{"timeout":50000}"#)
      try client.waits(for: "ardf_queue_length", toBe: 1)
      time.advance(by: .milliseconds(50))
      #expect(ServerClient.Answer(late.readToEnd()).status == 504)
      model.gate?.signal()
      #expect(ServerClient.Answer(first.readToEnd()).status == 200)
      // Computed, but not in time: answered all the same when its time is over.
      let slow = try client.begin("3", #","parameters":{"timeout":50000}"#)
      model.entered.wait()
      time.advance(by: .milliseconds(50))
      #expect(ServerClient.Answer(slow.readToEnd()).status == 504)
      model.gate?.signal()
      #expect(try client.metric(#"ardf_errors_total{kind="deadline"}"#) == 2)
    }
    #expect(model.begun.withLock { $0 } == 2)
  }

  @Test func theServersTimeoutIsTheLongest() async throws {
    let model = Doubling(isGated: true)
    let time = ManualTime()
    var limits = InferenceLimits()
    limits.timeout = .milliseconds(100)
    try await serving(model, limits: limits, connections: connectionLimits(by: time)) {
      (client: ServerClient) throws in
      let one = try client.begin("1", #","parameters":{"timeout":60000000}"#)
      model.entered.wait()
      time.advance(by: .milliseconds(100))
      #expect(ServerClient.Answer(one.readToEnd()).status == 504)
      model.gate?.signal()
    }
  }

  @Test func bodiesAreBounded() async throws {
    var limits = InferenceLimits()
    limits.bodyBytes = 1000
    try await serving(limits: limits) { [limits] (client: ServerClient) throws in
      let long = try client.send(
        "POST", "/v2/models/double/infer", [UInt8](repeating: 32, count: limits.bodyBytes + 1))
      #expect(long.status == 413)
    }
  }

  @Test func workersComputeSideBySide() async throws {
    let model = Doubling(isGated: true)
    try await serving(model, workers: 3) { (client: ServerClient) throws in
      let all = try (1...3).map { try client.begin("\($0)") }
      // All three are in the model at once.
      for _ in 0..<3 { model.entered.wait() }
      for _ in 0..<3 { model.gate?.signal() }
      for (index, connection) in all.enumerated() {
        let answer = ServerClient.Answer(connection.readToEnd())
        #expect(answer.json?["outputs"]?[0]?["data"]?[0]?.integer == 2 * (index + 1))
      }
    }
  }

  @Test func theEndLetsRequestsFinish() async throws {
    let model = Doubling(isGated: true)
    try await serving(model) { (client: ServerClient) throws in
      let idle = try LoopbackConnection(port: client.port)
      let pending = try client.begin("1")
      model.entered.wait()
      client.end.begin()
      // Who has asked nothing is let go.
      #expect(idle.readToEnd().isEmpty)
      #expect(!idle.isTimedOut)
      #expect(throws: LoopbackConnection.Refused.self) { try LoopbackConnection(port: client.port) }
      model.gate?.signal()
      #expect(ServerClient.Answer(pending.readToEnd()).json?["outputs"]?[0]?["data"] == [2.0])
    }
  }

  @Test(arguments: 0..<4) func idleConnectionsDoNotHoldUpTheEnd(count: Int) async throws {
    try await serving { (client: ServerClient) throws in
      let idle = try (0..<count).map { number in
        let connection = try LoopbackConnection(port: client.port)
        try Waiting.until("it is accepted by itself") { client.server.connections == number + 1 }
        return connection
      }
      client.end.begin()
      for connection in idle {
        #expect(connection.readToEnd().isEmpty)
        #expect(!connection.isTimedOut)
      }
    }
  }

  @Test func theServerEndsByItselfAfterTheLastRequest() async throws {
    let port = try ListeningPort(.loopback(0))
    let end = GracefulShutdown()
    let server = InferenceServer(
      models: [Doubling()], port: port, workers: 1, queueLimit: 1, token: nil,
      metrics: Metrics(version: "test"), version: "test", end: end)
    let task = Task(executorPreference: DedicatedExecutor(name: "server", count: 1)) {
      try await server.run()
    }
    let number = port.number
    let answer = try await Task(executorPreference: DedicatedExecutor(name: "client", count: 1)) {
      let connection = try LoopbackConnection(port: number)
      let client = ServerClient(port: number, end: end, server: server)
      connection.send(client.request("GET", "/v2", fields: ["Connection": "keep-alive"]))
      return connection.read()
    }.value
    #expect(ServerClient.Answer(answer).status == 200)
    end.begin()
    try await task.value
  }
}
