import FileFormats
import Foundation
import HTTPServing
import InferenceProtocol
import InferenceServing
import Synchronization
import TestSupport

/// Doubles its numbers; may be made to wait, and counts what it computes.
final class Doubling: ServedModel {
  let description = ModelDescription(
    name: "double", platform: "test", inputs: [TensorDescription("x", .float32, [-1])],
    outputs: [TensorDescription("y", .float32, [-1])])
  /// Calls that began.
  let begun = Mutex(0)
  /// Signaled by a test for each call that may continue; nil for all.
  let gate: DispatchSemaphore?
  /// Signaled when a call begins.
  let entered = DispatchSemaphore(value: 0)

  init(isGated: Bool = false) { gate = isGated ? DispatchSemaphore(value: 0) : nil }

  struct Broken: Error {}

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    begun.withLock { $0 += 1 }
    entered.signal()
    gate?.wait()
    guard let x = call.inputs["x"]?.floats else { return [] }
    if x.first == -1 { throw Broken() }
    if x.first == -2 { throw UnfitInput("x: is -2") }
    return [ProtocolTensor("y", [x.count], x.map { 2 * $0 })]
  }
}

/// A running server, and requests to it over connections of their own.
struct ServerClient: Sendable {
  let port: UInt16
  let end: GracefulShutdown
  let server: InferenceServer

  struct Answer {
    let status: Int
    let head: String
    let body: [UInt8]
    var json: JSONValue? { try? JSONValue.parse(body) }
    var error: String? { json?["error"]?.string }

    init(_ bytes: [UInt8]) {
      let split = bytes.firstRange(of: Array("\r\n\r\n".utf8))
      head = String(decoding: bytes[..<(split?.lowerBound ?? bytes.count)], as: UTF8.self)
      body = split.map { Array(bytes[$0.upperBound...]) } ?? []
      status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
  }

  /// The bytes of a request; nil leaves a field out.
  func request(
    _ method: String, _ path: String, _ body: [UInt8] = [], fields: [String: String?] = [:]
  ) -> [UInt8] {
    var all: [String: String?] = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    if method == "POST" { all["Content-Length"] = "\(body.count)" }
    all.merge(fields) { $1 }
    let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined()
    return Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + body
  }

  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], fields: [String: String?] = [:]
  ) throws -> Answer {
    let connection = try LoopbackConnection(port: port)
    connection.send(request(method, path, body, fields: fields))
    return Answer(connection.readToEnd())
  }

  static func doubling(_ numbers: String, _ rest: String = "") -> [UInt8] {
    let count = numbers.split(separator: ",").count
    return Array(
      #"{"inputs":[{"name":"x","datatype":"FP32","shape":[\#(count)],"data":[\#(numbers)]}]\#(rest)}"#.utf8)
  }

  func double(_ numbers: String, _ rest: String = "") throws -> Answer {
    try send("POST", "/v2/models/double/infer", Self.doubling(numbers, rest))
  }

  /// Begins a request and leaves it there.
  func begin(_ numbers: String, _ rest: String = "") throws -> LoopbackConnection {
    let connection = try LoopbackConnection(port: port)
    connection.send(request("POST", "/v2/models/double/infer", Self.doubling(numbers, rest)))
    return connection
  }

  /// The value of a line of the metrics; nil where there is none.
  func metric(_ name: String) throws -> Double? {
    let text = String(decoding: try send("GET", "/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
  }

  /// Returns once a metric has a value.
  func waits(for name: String, toBe value: Double) throws {
    try Waiting.until("\(name) is \(value)") { try metric(name) == value }
  }
}

/// Limits whose time a test moves: no client is given up for being slow unless it says so.
func connectionLimits(by time: ManualTime) -> ConnectionLimits {
  var limits = ConnectionLimits()
  limits.waiting = DeadlineTimer { time.now }
  return limits
}

/// Runs `body` against a server on a free port.
func serving(
  _ model: any ServedModel = Doubling(), workers: Int = 1, queue: Int = 8, token: String? = nil,
  limits: InferenceLimits = InferenceLimits(),
  connections: ConnectionLimits = connectionLimits(by: ManualTime()),
  deepStack: DeepStackService? = nil, log: (@Sendable (JSONValue) -> Void)? = nil,
  _ body: @Sendable @escaping (ServerClient) throws -> Void
) async throws {
  let port = try ListeningPort(.loopback(0))
  let end = GracefulShutdown()
  let server = InferenceServer(
    models: [model], port: port, workers: workers, queueLimit: queue, token: token,
    metrics: Metrics(version: "test"), version: "test", limits: limits, connections: connections,
    end: end, deepStack: deepStack, log: log)
  // Neither waits for threads that other tests hold; what the client finds is this test's all the same.
  let task = Task(executorPreference: DedicatedExecutor(name: "server", count: 1)) { try await server.run() }
  let outcome = await Task(executorPreference: DedicatedExecutor(name: "client", count: 1)) {
    try body(ServerClient(port: port.number, end: end, server: server))
  }.result
  task.cancel()
  _ = await task.result
  try outcome.get()
}
