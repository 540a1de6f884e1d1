import AppCore
import Archives
import FileFormats
import Foundation
import HTTPServing
import Serving
import Synchronization
import TestSupport
import Testing

@Suite struct ServiceTests {
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
    let store = NotingFrameStore()
    try await serving(store) { (client: Client) throws in
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
    #expect(store.asked.withLock { $0 } == ["place [\"0=smoke\"] on 0"])
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

  @Test func filesOfAnUploadReachTheStore() async throws {
    let store = NotingFrameStore()
    try await serving(store) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/scan/frame.json", Array("{}".utf8)).status == 200)
      #expect(try client.send("PUT", "\(path)/scan/a%20picture.jpg", [1, 2, 3]).status == 200)
      #expect(try client.send("PUT", "\(path)/scan/frame.json", Array("[]".utf8)).status == 409)
      #expect(try client.send("PUT", "\(path)/..%2fout", [1]).status == 400)
      #expect(try client.send("POST", "\(path)?run").json?["page"]?.string == "/frames/7")
      #expect(try client.send("POST", "\(path)?run").status == 404)
    }
    #expect(store.found.withLock { $0 } == ["frame.json": Array("{}".utf8), "a picture.jpg": [1, 2, 3]])
  }

  /// Users who drop a file do not know where the service stores it.
  @Test func faultsAreToldByTheNamesThatWereDropped() async throws {
    try await serving(NotingFrameStore()) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/notes.txt", [1]).status == 200)
      let answer = try client.send("POST", "\(path)?run")
      #expect(answer.status == 422)
      #expect(answer.json?["error"]?.string?.hasPrefix("notes.txt: no picture") == true)
    }
  }

  /// As every command reads them, what file managers add left out.
  @Test func archivesAreRead() async throws {
    let store = NotingFrameStore()
    let archive = ZipWriter.archive([
      ("scan/x/a.png", [5]), ("scan/x/b.png", [6]), ("__MACOSX/scan/x/._a.png", [1]), ("scan/.DS_Store", [1]),
    ])
    try await serving(store) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/Scan.ZIP", archive).status == 200)
      #expect(try client.send("POST", "\(path)?run").status == 200)
    }
    #expect(store.found.withLock { $0.keys.sorted() } == ["a.png", "b.png"])
    #expect(store.runPath.withLock { $0?.hasSuffix("/Scan.ZIP") } == true)
  }

  @Test func archivesThatLeadOutAreRefused() async throws {
    let store = NotingFrameStore()
    try await serving(store) { (client: Client) throws in
      for name in ["../out", "/etc/out", "a/../../out", "a//b/../../../x"] {
        let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
        #expect(
          try client.send("PUT", "\(path)/a.zip", ZipWriter.archive([(name, [1]), ("ok", [2])])).status == 200
        )
        #expect(try client.send("POST", "\(path)?run").status == 422, "\(name)")
      }
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/a.zip", [0x50, 0x4b, 3, 4, 0, 0]).status == 200)
      #expect(try client.send("POST", "\(path)?run").status == 422)
    }
    #expect(store.found.withLock { $0.isEmpty })
  }

  /// Thirty kilobytes that unpack to more than an index may have: answered, and the next drop is run.
  @Test func aClipThatPromisesTooMuchIsRefused() async throws {
    let store = NotingFrameStore()
    let index = [UInt8](repeating: 10, count: CaptureLimits().indexBytes + 1)
    let bomb = PackedArchive.bytes(of: [("index.jsonl", index), ("messages.bin", [1])])
    try await serving(store) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/clip.zip", bomb).status == 200)
      let answer = try client.send("POST", "\(path)?run")
      #expect(answer.status == 422)
      #expect(answer.json?["error"]?.string?.contains("index.jsonl: 33554433 bytes, more than") == true)
      let next = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(next)/a.png", [5]).status == 200)
      #expect(try client.send("POST", "\(next)?run").status == 200)
    }
    #expect(store.found.withLock { $0 } == ["": [5]])
  }

  /// The sizes that an archive declares are added up before anything is unpacked: a damaged member is not noticed.
  @Test func archivesThatDeclareTooMuchAreNotUnpacked() async throws {
    var limits = UploadLimits()
    (limits.fileBytes, limits.totalBytes) = (4000, 10_000)
    let zeros = [UInt8](repeating: 0, count: 4000)
    let bomb = PackedArchive.bytes(of: [("a", zeros), ("b", zeros), ("c", zeros)], damaged: ["a", "b", "c"])
    try await serving(limits: limits) { (client: Client) throws in
      let path = try #require(try client.send("POST", "/uploads").json?["upload"]?.string)
      #expect(try client.send("PUT", "\(path)/a.zip", bomb).status == 200)
      #expect(try client.send("POST", "\(path)?run").status == 413)
    }
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
      // A body must say how long it is.
      let chunk = "3\r\nabc\r\n0\r\n\r\n"
      let head =
        "PUT \(path)/e HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nX-Ardf-Token: \(client.token)\r\n"
        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      #expect(try client.raw(Array((head + chunk).utf8)).status == 411)
    }
  }

  @Test func otherMethodsAreToldWhichThereAre() async throws {
    try await serving { (client: Client) throws in
      for (method, path, allowed) in [
        ("DELETE", "/", "GET, HEAD"), ("POST", "/frames/0", "GET, HEAD"),
        ("PUT", "/frames/0/scene.glb", "GET, HEAD"),
        ("GET", "/frames/0/place", "POST"), ("GET", "/frames/0/turn", "POST"), ("GET", "/uploads", "POST"),
        ("GET", "/uploads/1", "POST"),
        ("POST", "/uploads/1/a", "PUT"),
      ] {
        let answer = try client.send(method, path)
        #expect(answer.status == 405, "\(method) \(path)")
        // RFC 9110, 15.5.6.
        #expect(answer.headers.contains("\r\nAllow: \(allowed)\r\n"), "\(answer.headers)")
      }
      #expect(try client.send("DELETE", "/nothing").status == 404)
    }
  }

  @Test func nothingRunsWithoutNetworks() async throws {
    try await serving(NotingFrameStore(canRun: false)) { (client: Client) throws in
      let refused = try client.send("POST", "/uploads")
      #expect(refused.status == 403 && refused.json?["error"]?.string?.contains("no network") == true)
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
      #expect(throws: ServingError.portInUse(client.port)) { try ListeningPort(.loopback(client.port)) }
    }
    #expect("\(ServingError.portInUse(80))".contains("choose another"))
  }
}
