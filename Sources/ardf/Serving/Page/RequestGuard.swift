import FileFormats
import HTTPServing

/// The access rules of the page: on loopback, browsers of this machine; on any other address, those that have the
/// token.
struct RequestGuard: Sendable {
  /// Name of the token in the address that gives a browser access.
  static let tokenName = "token"

  let address: ListeningAddress
  /// The token that every page has and no other site can read.
  let token: String

  /// - `token`: nil makes one.
  init(_ address: ListeningAddress, token: String? = nil) {
    self.address = address
    self.token = token ?? Self.randomToken()
  }

  private static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in zeroPadded(generator.next() as UInt64, 16, radix: 16) }.joined()
  }

  /// Whether other machines reach the service; pages and files then need the token, too.
  var isOpen: Bool { !address.isLoopback }

  /// The name of a browser's cookie, which servers on other ports of the machine do not share.
  private var cookie: String { "ardf-\(address.port)" }

  /// The answer to a browser with the token in its address: sets the token as a cookie and redirects to the page.
  func admission(_ head: RequestHead) -> Response? {
    guard isOpen, head.method == "GET" || head.method == "HEAD", head.path.isEmpty,
      head.query.hasPrefix("\(Self.tokenName)="),
      isSecretEqual(String(head.query.dropFirst(Self.tokenName.count + 1)), token)
    else { return nil }
    return Response(
      .seeOther,
      fields: [
        "Location": "/", "Set-Cookie": "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Lax",
      ], body: [])
  }

  /// Refuses requests without the token: all of them on an open address, else those that change something.
  ///
  /// Also refuses requests with a foreign `Host`, which another site may have pointed here, and requests from other
  /// sites.
  func check(_ head: RequestHead) throws(Refusal) {
    guard let host = head.fields["host"]?.lowercased(), address.accepts(host: host) else {
      throw .forbidden("ask for http://\(address)/")
    }
    if let origin = head.fields["origin"], origin != "http://\(host)" {
      throw .forbidden("requests of other sites are refused")
    }
    if isOpen, !(cookieToken(head).map { isSecretEqual($0, token) } ?? false) {
      throw .forbidden("open the address that ardf serve printed, with its token")
    }
    guard head.method != "GET", head.method != "HEAD" else { return }
    guard let given = head.fields["x-ardf-token"], isSecretEqual(given, token) else {
      throw .forbidden("the page is of an earlier start of ardf serve; load it again")
    }
  }

  private func cookieToken(_ head: RequestHead) -> String? {
    head.fields["cookie"]?.split(separator: ";").lazy
      .map { $0.drop { $0 == " " } }
      .first { $0.hasPrefix("\(cookie)=") }
      .map { String($0.dropFirst(cookie.count + 1)) }
  }
}
