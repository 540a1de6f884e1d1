import HTTPServing

/// Who may ask a server.
package struct AccessGuard: Sendable {
  private let token: String?
  /// The names under which clients may ask; nil for any.
  private let hosts: Set<String>?

  /// - `token`: what clients must send; nil for nothing.
  /// - `address`: where the server listens: on a loopback address clients must ask for that, so that no foreign page
  ///   reaches it under a name of its own.
  package init(token: String?, address: ListeningAddress) {
    self.token = token
    guard address.isLoopback else {
      hosts = nil
      return
    }
    let names = ["localhost:\(address.port)", "127.0.0.1:\(address.port)", "[::1]:\(address.port)"]
    hosts = Set(
      names + [address.description] + (address.port == 80 ? ["localhost", "127.0.0.1", "[::1]"] : []))
  }

  /// - `isOpen`: whether everybody who may ask at all may ask this.
  package func check(_ head: RequestHead, isOpen: Bool) throws(Refusal) {
    if let hosts {
      guard let host = head.fields["host"]?.lowercased(), hosts.contains(host) else {
        throw .forbidden("ask for one of " + hosts.sorted().joined(separator: ", "))
      }
    }
    // Clients of the protocol are programs; a browser says which site's page asks.
    if head.fields["origin"] != nil { throw .forbidden("requests of web pages are refused") }
    guard let token, !isOpen else { return }
    guard let given = head.fields["authorization"], given.lowercased().hasPrefix("bearer "),
      isSecretEqual(String(given.dropFirst(7)), token)
    else { throw .unauthorized }
  }
}
