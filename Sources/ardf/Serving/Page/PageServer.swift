import HTTPServing

/// The page's service on a loopback port.
package struct LoopbackServer: Sendable {
  private let server: HTTPServer
  /// Where it is.
  package let address: String
  /// What requests that change something must carry.
  package let token: String

  /// A server that does not accept connections yet.
  package init(
    workshop: any Workshop, port: ListeningPort, limits: UploadLimits = UploadLimits(),
    connections: ConnectionLimits = ConnectionLimits(), end: GracefulEnd = GracefulEnd()
  ) {
    let requests = RequestGuard(port: port.number)
    token = requests.token
    address = "http://127.0.0.1:\(port.number)/"
    server = HTTPServer(
      port: port, handler: ReportService(workshop: workshop, requests: requests, limits: limits),
      limits: connections, end: end)
  }

  /// Connections that are open.
  package var connections: Int { server.connections }

  /// Answers requests until the task is cancelled; can be run once.
  ///
  /// - Throws: `ServingError`, `CancellationError`.
  package func run() async throws {
    UploadRoom.removeAbandoned()
    try await server.run()
  }
}
