import HTTPServing

/// The access rules of a server.
package struct AccessGuard: Sendable {
  private let token: String?
  /// The accepted values of `Host`; nil for any.
  private let hosts: [String]?

  /// - `token`: the token that clients must send; nil for none.
  /// - `address`: the server's address. On loopback, `Host` must name it, so that no foreign page reaches the server
  ///   under another name.
  package init(token: String?, address: ListeningAddress) {
    self.token = token
    hosts = address.isLoopback ? address.ownNames : nil
  }

  /// - `isOpen`: whether the request needs no token.
  package func check(_ head: RequestHead, isOpen: Bool) throws(Refusal) {
    if let hosts {
      guard let host = head.fields["host"]?.lowercased(), hosts.contains(host) else {
        throw .forbidden("ask for one of " + hosts.joined(separator: ", "))
      }
    }
    // Clients of the protocol are programs; a browser says which site's page asks.
    if head.fields["origin"] != nil { throw .forbidden("requests of web pages are refused") }
    guard !isOpen, !hasToken(head) else { return }
    throw .unauthorized
  }

  /// Whether a request's head has the token, or none is needed.
  func hasToken(_ head: RequestHead) -> Bool {
    guard let token else { return true }
    guard let given = head.fields["authorization"], given.lowercased().hasPrefix("bearer ") else {
      return false
    }
    return isSecretEqual(String(given.dropFirst(7)), token)
  }

  /// Whether a key sent in another way is the token, or none is needed.
  func isToken(_ key: String) -> Bool { token.map { isSecretEqual(key, $0) } ?? true }
}
