import AppCore
import FileFormats
import Foundation
import Geometry
import Reporting
import Synchronization
import TestSupport
import Testing

import Serving

/// A workshop whose frames hold nothing, which notes what it is asked for.
private final class NotingWorkshop: Workshop {
  let asked = Mutex<[String]>([])
  /// What lay at the path of the last run.
  let found = Mutex<[String: [UInt8]]>([:])
  let canRun: Bool
  let fileNames = ["scene.glb"]

  init(canRun: Bool = true) { self.canRun = canRun }

  func newest() -> Int? { nil }

  func page(of frame: Int, service: ReportPage.Service) -> [UInt8]? {
    frame == 0 ? Array("page \(service.token)".utf8) : nil
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

  func run(path: String) throws -> Int {
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
private struct Client {
  let port: UInt16
  let token: String

  struct Answer {
    let status: Int
    let headers: String
    let body: String
    var json: JSONValue? { try? JSONValue.parse(body) }
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

  func raw(_ bytes: [UInt8]) throws -> Answer {
    let connection = try LoopbackConnection(port: port)
    connection.send(bytes)
    let text = String(decoding: connection.readToEnd(), as: UTF8.self)
    let parts = text.components(separatedBy: "\r\n\r\n")
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Answer(status: status, headers: parts[0], body: parts.dropFirst().joined(separator: "\r\n\r\n"))
  }
}

@Suite struct ServiceTests {
  /// Runs `body` against a server on a free port.
  private func serving(
    _ workshop: NotingWorkshop = NotingWorkshop(), limits: UploadLimits = UploadLimits(),
    _ body: @Sendable @escaping (Client) throws -> Void
  ) async throws {
    let port = try LoopbackServer.available(0)
    let server = try LoopbackServer(workshop: workshop, port: port, limits: limits)
    let (ready, announce) = AsyncStream<Void>.makeStream()
    let task = Task { try await server.run { announce.finish() } }
    for await _ in ready {}
    // Blocking calls of the client stay off the threads that answer them.
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread {
        done.resume(with: Result { try body(Client(port: port, token: server.token)) })
      }.start()
    }
    task.cancel()
  }

  @Test func pagesAndFiles() async throws {
    try await serving { (client: Client) throws in
      let page = try client.send("GET", "/frames/0")
      #expect(page.status == 200)
      #expect(page.body == "page \(client.token)")
      #expect(page.headers.contains("frame-ancestors 'none'"))
      #expect(try client.send("GET", "/frames/0/scene.glb").body == "scene.glb")
      #expect(try client.send("GET", "/").body.contains("<!doctype html>"))
      for path in ["/frames/1", "/frames/x", "/frames/0/other", "/nothing", "/frames/0/scene.glb/x"] {
        #expect(try client.send("GET", path).status == 404, "\(path)")
      }
    }
  }

  @Test(arguments: [
    "/../etc/passwd", "/%2e%2e/etc/passwd", "/frames/0/..%2f..%2fetc%2fpasswd", "/frames/0/%00", "/.hidden",
    "/frames/0/a%5cb",
  ])
  func noPathLeadsOut(path: String) async throws {
    try await serving { (client: Client) throws in
      let answer = try client.send("GET", path)
      #expect(answer.status == 400 || answer.status == 404)
      #expect(!answer.body.contains("root:"))
    }
  }

  @Test func onlyThisMachineByItsNameIsAnswered() async throws {
    try await serving { (client: Client) throws in
      for host in ["evil.example:\(client.port)", "127.0.0.1", "localhost:1", "169.254.0.1:\(client.port)"] {
        #expect(try client.send("GET", "/frames/0", headers: ["Host": host]).status == 403, "\(host)")
      }
      #expect(try client.send("GET", "/frames/0", headers: ["Host": ""]).status == 403)
      #expect(
        try client.send("GET", "/frames/0", headers: ["Host": "localhost:\(client.port)"]).status == 200)
    }
  }

  @Test func otherSitesChangeNothing() async throws {
    let workshop = NotingWorkshop()
    try await serving(workshop) { (client: Client) throws in
      let body = Array(#"{"effects": [{"object": 0, "effect": "smoke"}]}"#.utf8)
      let attempts: [[String: String]] = [
        ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1:1"],
        ["X-Ardf-Token": ""], ["X-Ardf-Token": "0"], ["X-Ardf-Token": String(repeating: "0", count: 32)],
      ]
      for headers in attempts {
        #expect(
          try client.send("POST", "/frames/0/place", body, headers: headers).status == 403, "\(headers)")
      }
      let own = ["Origin": "http://127.0.0.1:\(client.port)"]
      #expect(try client.send("POST", "/frames/0/place", body, headers: own).status == 200)
    }
    #expect(workshop.asked.withLock { $0 } == ["place [\"0=smoke\"] on 0"])
  }

  @Test func placesAndSaysWhatItRefused() async throws {
    try await serving { (client: Client) throws in
      let body = #"{"effects": [{"object": 0, "effect": "debugCube"}, {"object": 9, "effect": "smoke"}]}"#
      let answer = try client.send("POST", "/frames/0/place", Array(body.utf8))
      #expect(answer.json?["effects"]?[0]?["type"]?.string == "debugCube")
      #expect(answer.json?["refused"]?.array?.count == 1)
      #expect(try client.send("POST", "/frames/5/place", Array(body.utf8)).status == 404)
      for wrong in [
        "", "{", "[]", "{}", #"{"effects": [{"object": 0, "effect": "nonsense"}]}"#, #"{"effects": 3}"#,
      ] {
        #expect(try client.send("POST", "/frames/0/place", Array(wrong.utf8)).status == 400, "\(wrong)")
      }
    }
  }

  @Test func filesOfAnUploadReachTheWorkshop() async throws {
    let workshop = NotingWorkshop()
    try await serving(workshop) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/scan/frame.json", Array("{}".utf8)).status == 200)
      #expect(try client.send("PUT", "\(path)/scan/a%20picture.jpg", [1, 2, 3]).status == 200)
      #expect(try client.send("PUT", "\(path)/scan/frame.json", Array("[]".utf8)).status == 409)
      #expect(try client.send("PUT", "\(path)/..%2fout", [1]).status == 400)
      #expect(try client.send("POST", "\(path)?run").json?["page"]?.string == "/frames/7")
      #expect(try client.send("POST", "\(path)?run").status == 404)
    }
    #expect(workshop.found.withLock { $0 } == ["frame.json": Array("{}".utf8), "a picture.jpg": [1, 2, 3]])
  }

  @Test func archivesAreUnpacked() async throws {
    let workshop = NotingWorkshop()
    let archive = ZipWriter.archive([
      ("scan/frame.json", Array("{}".utf8)), ("scan/x/a.png", [5]), ("__MACOSX/scan/._a", [1]),
      ("scan/.DS_Store", [1]),
    ])
    try await serving(workshop) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      _ = try client.send("PUT", "\(path)/Scan.ZIP", archive)
      #expect(try client.send("POST", "\(path)?run").status == 200)
    }
    #expect(workshop.found.withLock { $0 } == ["frame.json": Array("{}".utf8), "x/a.png": [5]])
  }

  @Test func archivesThatLeadOutAreRefused() async throws {
    let workshop = NotingWorkshop()
    try await serving(workshop) { (client: Client) throws in
      for name in ["../out", "/etc/out", "a/../../out", "a//b/../../../x"] {
        let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
        _ = try client.send("PUT", "\(path)/a.zip", ZipWriter.archive([(name, [1]), ("ok", [2])]))
        #expect(try client.send("POST", "\(path)?run").status == 422, "\(name)")
      }
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      _ = try client.send("PUT", "\(path)/a.zip", [0x50, 0x4b, 3, 4, 0, 0])
      #expect(try client.send("POST", "\(path)?run").status == 422)
    }
    #expect(workshop.found.withLock { $0.isEmpty })
  }

  @Test func sizesAreBounded() async throws {
    var limits = UploadLimits()
    (limits.fileBytes, limits.totalBytes, limits.files) = (1000, 1500, 3)
    try await serving(limits: limits) { (client: Client) throws in
      let large = [UInt8](repeating: 32, count: ReportService.placementBytes + 1)
      #expect(try client.send("POST", "/frames/0/place", large).status == 413)
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/a", [UInt8](repeating: 1, count: 1001)).status == 413)
      #expect(try client.send("PUT", "\(path)/b", [UInt8](repeating: 1, count: 1000)).status == 200)
      #expect(try client.send("PUT", "\(path)/c", [UInt8](repeating: 1, count: 600)).status == 413)
      // A body of unknown length is counted as it comes.
      let chunk = "4e8\r\n" + String(repeating: "x", count: 1256) + "\r\n0\r\n\r\n"
      let head =
        "PUT \(path)/e HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nX-Ardf-Token: \(client.token)\r\n"
        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      #expect(try client.raw(Array((head + chunk).utf8)).status == 413)
    }
  }

  @Test func nothingRunsWithoutNetworks() async throws {
    try await serving(NotingWorkshop(canRun: false)) { (client: Client) throws in
      #expect(try client.send("POST", "/uploads").status == 405)
    }
  }

  @Test func slowAndBrokenClientsHoldUpNobody() async throws {
    try await serving { (client: Client) throws in
      var slow: [LoopbackConnection] = []
      for start in [
        "GET /frames/0 HTTP/1.1\r\nHost: ", "",
        "PUT /uploads/1/a HTTP/1.1\r\nContent-Length: 99999\r\n\r\nab",
        "POST /frames/0/place HTTP/1.1\r\nContent-Length: 12\r\n\r\n{",
      ] {
        for _ in 0..<8 {
          let connection = try LoopbackConnection(port: client.port)
          connection.send(Array(start.utf8))
          slow.append(connection)
        }
      }
      for broken in [
        "\r\n\r\n", "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /\u{FF}\u{0} HTTP/1.1\r\n\u{0}: \u{0}\r\n\r\n",
      ] {
        let connection = try LoopbackConnection(port: client.port)
        connection.send(Array(broken.utf8))
        connection.closeSending()
        _ = connection.readToEnd()
      }
      #expect(try client.send("GET", "/frames/0").status == 200)
      #expect(slow.count == 32)
    }
  }

  @Test func aBusyPortIsTold() async throws {
    try await serving { (client: Client) throws in
      #expect(throws: ServingError.portInUse(client.port)) { try LoopbackServer.available(client.port) }
    }
    #expect("\(ServingError.portInUse(80))".contains("--port"))
  }
}
