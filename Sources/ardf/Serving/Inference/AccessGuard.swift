import HTTPServing

/// The access rules of a server.
package struct AccessGuard: Sendable {
  private let token: String?
  private let address: ListeningAddress

  /// - `token`: the token that clients must send; nil for none.
  /// - `address`: the server's address.
  package init(token: String?, address: ListeningAddress) {
    self.token = token
    self.address = address
  }

  /// - `isOpen`: whether the request needs no token.
  package func check(_ head: RequestHead, isOpen: Bool) throws(Refusal) {
    guard address.accepts(host: head.fields["host"]) else {
      throw .forbidden("ask for one of " + address.ownNames.joined(separator: ", "))
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
