import FileFormats
import Foundation
import HTTPServing
import Serving
import Synchronization
import TestSupport
import Testing

/// Clients that send what no browser does, over real connections.
@Suite struct HostileClientTests {
  /// A head with the fields that are needed, and others.
  private static func head(_ client: Client, _ fields: String, path: String = "/frames/0") -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\n\(fields)\r\n".utf8)
  }

  private static let noBeginning = "does not begin"
  private static let noName = "field without a name"
  private static let control = "control character"
  private static let noNumber = "Content-Length"
  private static let badAddress = "address has a name"

  /// The name of the fault, the head (with HOST for the right host), the status and the message.
  private static let malformed: [(String, String, Int, String)] = [
    ("no line", "\r\n\r\n", 400, noBeginning),
    ("no words", "GARBAGE\r\n\r\n", 400, noBeginning),
    ("another version", "GET / HTTP/9.9\r\n\r\n", 400, noBeginning),
    ("two blanks", "GET  / HTTP/1.1\r\n\r\n", 400, noBeginning),
    (
      "another's address", "GET http://x/ HTTP/1.1\r\n\r\n", 400,
      noBeginning
    ),
    ("no address", "GET * HTTP/1.1\r\n\r\n", 400, noBeginning),
    (
      "a method in lower case", "get / HTTP/1.1\r\n\r\n", 400, noBeginning
    ),
    (
      "letters beyond ASCII", "GET /\u{FF} HTTP/1.1\r\n\r\n", 400,
      noBeginning
    ),
    ("a zero", "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", 400, control),
    ("a line feed alone", "GET / HTTP/1.1\nHost: HOST\n\r\n\r\n", 400, control),
    (
      "a carriage return alone", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400,
      control
    ),
    ("no colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", 400, noName),
    ("no name", "GET / HTTP/1.1\r\n: x\r\n\r\n", 400, noName),
    (
      "a folded field", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", 400,
      noName
    ),
    (
      "a blank before the colon", "GET / HTTP/1.1\r\nHost : HOST\r\n\r\n", 400,
      noName
    ),
    ("two hosts", "GET / HTTP/1.1\r\nHost: HOST\r\nhost: evil\r\n\r\n", 400, "the request says host twice"),
    (
      "two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
      "the request says content-length twice"
    ),
    (
      "a negative length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400,
      noNumber
    ),
    (
      "a signed length", "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400,
      noNumber
    ),
    (
      "an endless length", "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400,
      noNumber
    ),
    (
      "two framings", "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      411, "Content-Length header is required"
    ),
    ("half a percent sign", "GET /%4 HTTP/1.1\r\n\r\n", 400, badAddress),
    ("no digits", "GET /%+1 HTTP/1.1\r\n\r\n", 400, badAddress),
    ("no UTF-8", "GET /%ff HTTP/1.1\r\n\r\n", 400, badAddress),
    ("no host", "GET / HTTP/1.1\r\n\r\n", 403, "ask for http://HOST/"),
    (
      "another method", "TRACE / HTTP/1.1\r\nHost: HOST\r\n\r\n", 403,
      "earlier start"
    ),
  ]

  @Test func malformedRequestsAreTold() async throws {
    try await serving { (client: Client) throws in
      for (what, text, status, message) in Self.malformed {
        let host = "127.0.0.1:\(client.port)"
        let connection = try LoopbackConnection(port: client.port)
        connection.send(Array(text.replacing("HOST", with: host).utf8))
        connection.closeSending()
        let answer = Client.Answer(connection.readToEnd())
        #expect(answer.status == status, "\(what)")
        let words = message.replacing("HOST", with: host)
        #expect(answer.json?["error"]?.string?.contains(words) == true, "\(what)")
      }
    }
  }

  @Test func headersAreBounded() async throws {
    try await serving { (client: Client) throws in
      let long = String(repeating: "x", count: RequestHead.mostBytes)
      #expect(try client.raw(Array("GET /\(long)".utf8)).status == 431)
      #expect(try client.raw(Self.head(client, "A: \(long)\r\n")).status == 431)
      let many = (0...RequestHead.mostFields).map { "A\($0): b\r\n" }.joined()
      #expect(try client.raw(Self.head(client, many)).status == 431)
      let allowed = (2...RequestHead.mostFields).map { "A\($0): b\r\n" }.joined()
      #expect(try client.raw(Self.head(client, allowed + "Connection: close\r\n")).status == 431)
      let few = (3...RequestHead.mostFields).map { "A\($0): b\r\n" }.joined()
      #expect(try client.raw(Self.head(client, few + "Connection: close\r\n")).status == 200)
    }
  }

  @Test func requestsFollowEachOtherOnAConnection() async throws {
    try await serving { (client: Client) throws in
      let scene = Self.head(client, "", path: "/frames/0/scene.glb")
      let text = String(
        decoding: try client.bytes(scene + Self.head(client, "Connection: close\r\n")), as: UTF8.self)
      #expect(text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 3)
      #expect(text.contains("\r\n\r\nscene.glbHTTP/1.1 200 OK"))
      // What is refused after its body has been sent leaves the next request where it is.
      let put =
        "PUT /uploads/1/a HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Length: 300000\r\n\r\n"
      let body = [UInt8](repeating: 0x47, count: 300_000)
      let two = String(
        decoding: try client.bytes(Array(put.utf8) + body + Self.head(client, "Connection: close\r\n")),
        as: UTF8.self)
      #expect(two.hasPrefix("HTTP/1.1 403 ") && two.contains("HTTP/1.1 200 OK"))
    }
  }

  @Test func headsOfAnswersHaveNoBody() async throws {
    try await serving { (client: Client) throws in
      let answer = try client.send("HEAD", "/frames/0/scene.glb")
      #expect(answer.status == 200)
      #expect(answer.headers.contains("Content-Length: 9"))
      #expect(answer.body.isEmpty)
    }
  }

  @Test func whoAsksBeforeSendingIsAnswered() async throws {
    try await serving { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      let connection = try LoopbackConnection(port: client.port)
      let fields = "Host: 127.0.0.1:\(client.port)\r\nX-Ardf-Token: \(client.token)\r\nConnection: close\r\n"
      connection.send(
        Array("PUT \(path)/a HTTP/1.1\r\n\(fields)Content-Length: 3\r\nExpect: 100-continue\r\n\r\n".utf8))
      #expect(String(decoding: connection.read(), as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.send([1, 2, 3])
      #expect(Client.Answer(connection.readToEnd()).status == 200)
    }
  }

  @Test func slowRequestsAreGivenUp() async throws {
    let time = ManualTime()
    let limits = connectionLimits(by: time)
    try await serving(connections: limits) { (client: Client) throws in
      let host = "Host: 127.0.0.1:\(client.port)\r\nX-Ardf-Token: \(client.token)\r\n"
      for start in [
        "", "GET /frames/0 HTTP/1.1\r\nHost: ",
        "POST /frames/0/place HTTP/1.1\r\n\(host)Content-Length: 12\r\n\r\n{",
      ] {
        let connection = try LoopbackConnection(port: client.port)
        connection.send(Array(start.utf8))
        // Whatever it waits for, a head or a body, its time is over then.
        try time.pass(max(limits.headTimeout, limits.bodyTimeout), until: "\(start) is given up") {
          connection.hasBytes
        }
        #expect(Client.Answer(connection.readToEnd()).status == 408, "\(start)")
      }
      // A byte now and then does not begin the time anew: else the head would become too large first.
      let dripping = try LoopbackConnection(port: client.port)
      dripping.send(Array("GET / HTTP/1.1\r\nA: ".utf8))
      try time.pass(limits.headTimeout / 4, until: "who drips is given up") {
        dripping.send(Array("x".utf8))
        return dripping.hasBytes
      }
      #expect(Client.Answer(dripping.readToEnd()).status == 408)
    }
  }

  @Test func clientsThatNeverReadAreGivenUp() async throws {
    let time = ManualTime()
    let limits = connectionLimits(by: time)
    try await serving(NotingFrameStore(pageBytes: 64 << 20), connections: limits) {
      (client: Client) throws in
      let deaf = try LoopbackConnection(port: client.port)
      deaf.send(Self.head(client, "Connection: close\r\n"))
      #expect(try client.send("GET", "/frames/0/scene.glb").status == 200)
      // Making the page takes a busy machine long; only then does the answer wait for its reader.
      deaf.waitForBytes()
      // A part now and then does not begin the time anew: else it would be read to its end.
      var read = 0
      try time.pass(limits.answerTimeout / 4, until: "its connection is closed") {
        if client.server.connections > 0, read < 8 << 20 { read += deaf.read().count }
        return client.server.connections == 0
      }
      #expect(read < 32 << 20)
      #expect(deaf.readToEnd().count < 32 << 20)
    }
  }

  @Test func silentClientsGiveWay() async throws {
    // No client is closed for being slow: a place is free only when a client leaves.
    var limits = connectionLimits(by: ManualTime())
    limits.connections = 8
    try await serving(connections: limits) { (client: Client) throws in
      let silent = try (0..<40).map { _ in try LoopbackConnection(port: client.port) }
      for _ in 0..<20 { #expect(try client.send("GET", "/frames/0").status == 200) }
      // The first were closed, though they might have asked still.
      #expect(silent[0].readToEnd().isEmpty)
    }
  }

  @Test func answersKeepTheirPlaces() async {
    let threads = DedicatedExecutor(name: "test", count: 1)
    let connectionLimiter = ConnectionLimiter(limit: 2)
    let (ended, end) = AsyncStream<Void>.makeStream()
    let wait: @Sendable (Int) async -> Void = { _ in for await _ in ended {} }
    let tasks = [connectionLimiter.admit(on: threads, wait), connectionLimiter.admit(on: threads, wait)]
    #expect(connectionLimiter.mark(1, isAnswered: true) && connectionLimiter.mark(2, isAnswered: true))
    #expect(connectionLimiter.admit(on: threads, wait) == nil)
    connectionLimiter.mark(1, isAnswered: false)
    #expect(connectionLimiter.admit(on: threads, wait) != nil)
    #expect(tasks[0]?.isCancelled == true && tasks[1]?.isCancelled == false)
    #expect(!connectionLimiter.mark(1, isAnswered: true))
    end.finish()
  }

  @Test func connectionsAreGivenBack() async throws {
    try await serving { (client: Client) throws in
      for number in 0..<1000 {
        let connection = try LoopbackConnection(port: client.port)
        if number % 3 == 0 { connection.send(Array("GET /".utf8)) }
        if number % 3 == 1 { connection.send(Self.head(client, "")) }
      }
      #expect(try client.send("GET", "/frames/0").status == 200)
      try Waiting.until("no connection is left") { client.server.connections == 0 }
    }
  }

  @Test func uploadsLeaveNothingBehind() async throws {
    let store = NotingFrameStore()
    let opened = Mutex<Set<String>>([])
    try await serving(store) { (client: Client) throws in
      let before = try Self.uploadFolders()
      // One that is run, one that is dropped for a later one, and some that are left.
      for number in 0..<7 {
        let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
        #expect(try client.send("PUT", "\(path)/a", [1]).status == 200)
        if number == 0 { #expect(try client.send("POST", "\(path)?run").status == 200) }
      }
      let new = try Self.uploadFolders().subtracting(before)
      opened.withLock { $0 = new }
    }
    #expect(opened.withLock { $0.count } >= 4)
    let path = try #require(store.runPath.withLock { $0 })
    #expect(!FileManager.default.fileExists(atPath: path))
    // Other tests' folders may be among those that were opened; they go when their servers do.
    let left = opened.withLock { $0 }
    try await Waiting.until("uploads are gone") { try left.isDisjoint(with: Self.uploadFolders()) }
  }

  /// Upload folders of any process: other tests run at the same time, with uploads of their own.
  private static func uploadFolders() throws -> Set<String> {
    let folder = FileManager.default.temporaryDirectory.path
    let rooms = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasPrefix(".ardf-drops-")
    }
    return Set(
      rooms.flatMap { room in
        // A folder may be removed while it is listed.
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(room)")) ?? []).map {
          "\(room)/\($0)"
        }
      })
  }
}
