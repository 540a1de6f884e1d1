import HTTPServing

/// Who may ask a server.
package struct AccessGuard: Sendable {
  private let token: String?
  /// The names under which clients may ask; nil for any.
  private let hosts: [String]?

  /// - `token`: what clients must send; nil for nothing.
  /// - `address`: where the server listens: on a loopback address clients must ask for that, so that no foreign page
  ///   reaches it under a name of its own.
  package init(token: String?, address: ListeningAddress) {
    self.token = token
    hosts = address.isLoopback ? address.ownNames : nil
  }

  /// - `isOpen`: whether everybody who may ask at all may ask this.
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

  /// Whether a request's head has the token, or none is asked for.
  func hasToken(_ head: RequestHead) -> Bool {
    guard let token else { return true }
    guard let given = head.fields["authorization"], given.lowercased().hasPrefix("bearer ") else {
      return false
    }
    return isSecretEqual(String(given.dropFirst(7)), token)
  }

  /// Whether a key that comes in another way is the token, or none is asked for.
  func isToken(_ key: String) -> Bool { token.map { isSecretEqual(key, $0) } ?? true }
}
