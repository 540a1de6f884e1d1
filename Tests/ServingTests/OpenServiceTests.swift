import FileFormats
import Foundation
import HTTPServing
import Serving
import Synchronization
import Testing

/// The page on an address that other machines reach: all of it is for who has the token.
@Suite struct OpenServiceTests {
  private let everywhere = ListeningAddress("0.0.0.0:0")!

  /// The cookie that a browser keeps of an answer.
  private static func cookie(of answer: Client.Answer) -> String? {
    answer.headers.components(separatedBy: "\r\n").first { $0.hasPrefix("Set-Cookie: ") }
      .map { String($0.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" }) }
  }

  @Test func nothingIsAnsweredWithoutTheToken() async throws {
    try await serving(at: everywhere) { (client: Client) throws in
      for path in [
        "/", "/frames/0", "/frames/0/scene.glb", "/nothing", "/?token=", "/?token=\(client.token)0",
      ] {
        for cookie in ["", "ardf-\(client.port)=", "ardf-\(client.port)=0", "ardf-1=\(client.token)"] {
          let answer = try client.send("GET", path, headers: ["Cookie": cookie])
          #expect(answer.status == 403, "\(path) \(cookie)")
          #expect(!answer.body.contains(client.token) && !answer.headers.contains("Set-Cookie"))
        }
      }
      // The header of a page does not stand for the browser's cookie.
      #expect(try client.send("POST", "/uploads").status == 403)
    }
  }

  @Test func theAddressWithItsTokenLetsABrowserIn() async throws {
    let store = NotingFrameStore()
    try await serving(store, at: everywhere) { (client: Client) throws in
      let answer = try client.send("GET", "/?token=\(client.token)")
      #expect(answer.status == 303 && answer.headers.contains("\r\nLocation: /\r\n"))
      #expect(answer.headers.contains("; HttpOnly; SameSite=Lax"))
      let cookie = try #require(Self.cookie(of: answer))
      for host in ["192.0.2.7:\(client.port)", "box.local:\(client.port)"] {
        let headers = ["Cookie": "a=b; \(cookie)", "Host": host]
        #expect(try client.send("GET", "/frames/0", headers: headers).body == "page \(client.token)")
        #expect(try client.send("GET", "/frames/0/scene.glb", headers: headers).status == 200)
        let body = Array(#"{"to": 2}"#.utf8)
        var own = headers
        own["Origin"] = "http://\(host)"
        #expect(try client.send("POST", "/frames/0/turn", body, headers: own).status == 200)
        // Another site has the browser's cookie sent, but not the page's token; and the other way round.
        own["X-Ardf-Token"] = ""
        #expect(try client.send("POST", "/frames/0/turn", body, headers: own).status == 403)
        own = headers
        own["Origin"] = "http://evil.example"
        #expect(try client.send("POST", "/frames/0/turn", body, headers: own).status == 403)
      }
    }
    #expect(store.asked.withLock { $0 } == ["turn to 2 from 0", "turn to 2 from 0"])
  }

  @Test func theTokenMayBeGiven() async throws {
    try await serving(at: everywhere, token: "a-token-of-mine_1") { (client: Client) throws in
      let port = client.port
      #expect(client.server.address(host: "192.0.2.7") == "http://192.0.2.7:\(port)/?token=a-token-of-mine_1")
      #expect(try client.send("GET", "/?token=a-token-of-mine_1").status == 303)
    }
  }

  @Test func theLoopbackAddressNeedsNone() async throws {
    try await serving { (client: Client) throws in
      #expect(client.server.address(host: "192.0.2.7") == "http://127.0.0.1:\(client.port)/")
      #expect(try client.send("GET", "/frames/0").status == 200)
    }
  }

  @Test func otherFramesOfACaptureAreTurnedTo() async throws {
    let store = NotingFrameStore()
    try await serving(store) { (client: Client) throws in
      func turned(_ body: String, _ frame: String = "0") throws -> Client.Answer {
        try client.send("POST", "/frames/\(frame)/turn", Array(body.utf8))
      }
      #expect(try turned(#"{"to": 2}"#).json?["page"]?.string == "/frames/2")
      #expect(try turned(#"{"to": 3}"#).status == 404)
      #expect(try turned(#"{"to": 2}"#, "4").status == 404)
      for body in ["", "{", "{}", #"{"to": -1}"#, #"{"to": 1.5}"#, #"{"to": "1"}"#, #"{"to": 1e30}"#] {
        #expect(try turned(body).status == 400, "\(body)")
      }
      #expect(try turned(String(repeating: " ", count: 2000)).status == 413)
    }
    #expect(store.asked.withLock { $0 } == ["turn to 2 from 0", "turn to 3 from 0", "turn to 2 from 4"])
  }
}
