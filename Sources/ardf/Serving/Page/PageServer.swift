import HTTPServing

/// The page's service on a port.
package struct PageServer: Sendable {
  private let server: HTTPServer
  private let requests: RequestGuard
  private let listening: ListeningAddress
  /// The token for requests that change something; on an address that other machines reach, for every request.
  package var token: String { requests.token }

  /// A server that does not accept connections yet.
  ///
  /// - `token`: nil makes one.
  package init(
    store: any FrameStore, port: ListeningPort, token: String? = nil, limits: UploadLimits = UploadLimits(),
    connections: ConnectionLimits = ConnectionLimits(), end: GracefulShutdown = GracefulShutdown()
  ) {
    requests = RequestGuard(port.address, token: token)
    listening = port.address
    server = HTTPServer(
      port: port, handler: ReportService(store: store, requests: requests, limits: limits),
      limits: connections, end: end)
  }

  /// The address to open: on loopback the page's, else one with the token.
  ///
  /// - `host`: the name or address by which other machines reach this one, if the server listens on all addresses.
  package func address(host: @autoclosure () -> String) -> String {
    guard requests.isOpen else { return "http://\(listening)/" }
    let place = listening.isAny ? "\(host()):\(listening.port)" : "\(listening)"
    return "http://\(place)/?\(RequestGuard.tokenName)=\(token)"
  }

  /// Connections that are open.
  package var connections: Int { server.connections }

  /// Answers requests until the task is cancelled; call it once.
  ///
  /// - Throws: `ServingError`, `CancellationError`.
  package func run() async throws {
    UploadDirectory.removeAbandoned()
    try await server.run()
  }
}
