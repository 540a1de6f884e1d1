import AppCore
import FileFormats
import Foundation
import Geometry
import Reporting
import HTTPServing
import Serving
import Synchronization
import TestSupport

/// A store whose frames hold nothing, which notes what it is asked for.
final class NotingFrameStore: FrameStore {
  let asked = Mutex<[String]>([])
  /// Where the last run found its files.
  let runPath = Mutex<String?>(nil)
  /// The files in that folder, by name.
  let found = Mutex<[String: [UInt8]]>([:])
  let canRun: Bool
  let fileNames = ["scene.glb"]

  private let pageBytes: Int

  init(canRun: Bool = true, pageBytes: Int = 0) {
    self.canRun = canRun
    self.pageBytes = pageBytes
  }

  func newest() -> Int? { nil }

  func page(of frame: Int, service: ReportPage.Service) -> [UInt8]? {
    guard frame == 0 else { return nil }
    return Array("page \(service.token)".utf8) + [UInt8](repeating: 32, count: pageBytes)
  }

  func file(_ name: String, of frame: Int) -> [UInt8]? { frame == 0 ? Array(name.utf8) : nil }

  func place(_ wishes: [PlacementWish], on frame: Int) -> PlacementAnswer? {
    asked.withLock { $0.append("place \(wishes.map { "\($0.object)=\($0.effect.rawValue)" }) on \(frame)") }
    guard frame == 0 else { return nil }
    let effects = wishes.filter { $0.object == 0 }.map {
      PlacedEffect(type: $0.effect, objectId: $0.object, transform: .identity, scale: 1, billboard: true)
    }
    return PlacementAnswer(
      effects: effects, refused: wishes.filter { $0.object != 0 }.map { "\($0.object): no such object" })
  }

  func turn(to position: Int, from frame: Int) throws -> Int? {
    asked.withLock { $0.append("turn to \(position) from \(frame)") }
    guard frame == 0 else { return nil }
    return position < 3 ? position : nil
  }

  func run(path: String, of upload: UploadFolder) throws -> Int {
    runPath.withLock { $0 = path }
    // Archives reach the store as they are.
    if path.lowercased().hasSuffix(".zip") {
      let frames = try CaptureReader.open(path).frames
      found.withLock { $0 = Dictionary(uniqueKeysWithValues: frames.map { ($0.name, []) }) }
      return 7
    }
    if path.hasSuffix(".txt") { throw CaptureError.malformed(file: path, reason: "no picture") }
    guard FileManager.default.fileExists(atPath: path) else { throw FileError.missing(path: path) }
    var files: [String: [UInt8]] = [:]
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? [] {
      files[name] = FileManager.default.contents(atPath: "\(path)/\(name)").map { Array($0) }
    }
    if files.isEmpty { files[""] = FileManager.default.contents(atPath: path).map { Array($0) } }
    found.withLock { $0 = files }
    return 7
  }
}

/// A running server and what is sent to it.
struct Client {
  let port: UInt16
  let token: String
  let server: PageServer

  struct Answer {
    let status: Int
    let headers: String
    let body: String
    var json: JSONValue? { try? JSONValue.parse(body) }

    init(_ bytes: [UInt8]) {
      let text = String(decoding: bytes, as: UTF8.self)
      let parts = text.components(separatedBy: "\r\n\r\n")
      status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      headers = parts[0]
      body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }
  }

  /// Sends a request over a connection of its own and reads to its end.
  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], headers: [String: String] = [:]
  ) throws -> Answer {
    var fields = ["Host": "127.0.0.1:\(port)", "Connection": "close", "X-Ardf-Token": token]
    if !body.isEmpty { fields["Content-Length"] = "\(body.count)" }
    fields.merge(headers) { $1 }
    let head = fields.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return try raw(Array("\(method) \(path) HTTP/1.1\r\n\(head)\r\n".utf8) + body)
  }

  /// Sends anything and reads to the connection's end.
  func bytes(_ bytes: [UInt8]) throws -> [UInt8] {
    let connection = try LoopbackConnection(port: port)
    connection.send(bytes)
    return connection.readToEnd()
  }

  func raw(_ bytes: [UInt8]) throws -> Answer { Answer(try self.bytes(bytes)) }
}

/// Limits whose time a test moves: no client is given up for being slow unless it says so.
func connectionLimits(by time: ManualTime) -> ConnectionLimits {
  var limits = ConnectionLimits()
  limits.waiting = DeadlineTimer { time.now }
  return limits
}

/// Runs `body` against a server on a free port.
func serving(
  _ store: NotingFrameStore = NotingFrameStore(), limits: UploadLimits = UploadLimits(),
  connections: ConnectionLimits = connectionLimits(by: ManualTime()),
  at address: ListeningAddress = .loopback(0),
  token: String? = nil, _ body: @Sendable @escaping (Client) throws -> Void
) async throws {
  let port = try ListeningPort(address)
  let server = PageServer(
    store: store, port: port, token: token, limits: limits, connections: connections)
  // Neither waits for threads that other tests hold; what the client finds is this test's all the same.
  let task = Task(executorPreference: DedicatedExecutor(name: "server", count: 1)) { try await server.run() }
  let outcome = await Task(executorPreference: DedicatedExecutor(name: "client", count: 1)) {
    try body(Client(port: port.number, token: server.token, server: server))
  }.result
  task.cancel()
  // Uploads are gone when the server is.
  _ = await task.result
  try outcome.get()
}
