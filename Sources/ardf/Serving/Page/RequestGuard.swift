import HTTPServing

/// Who may ask: pages of this service in a browser of this machine.
struct RequestGuard: Sendable {
  let port: UInt16
  /// What every page has and no other site can read.
  let token: String

  init(port: UInt16) {
    self.port = port
    var generator = SystemRandomNumberGenerator()
    token = (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The names under which this machine reaches itself.
  private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Refuses requests by another name, which a foreign page may have pointed here, and changes asked for by other
  /// sites or without the token.
  func check(_ head: RequestHead) throws(Refusal) {
    guard let host = head.fields["host"]?.lowercased(), hosts.contains(host) else {
      throw .forbidden("ask for http://\(hosts[0])/")
    }
    if let origin = head.fields["origin"], origin != "http://\(host)" {
      throw .forbidden("requests of other sites are refused")
    }
    guard head.method != "GET", head.method != "HEAD" else { return }
    guard let given = head.fields["x-ardf-token"], isSecretEqual(given, token) else {
      throw .forbidden("the page is of an earlier start of ardf serve; load it again")
    }
  }
}
