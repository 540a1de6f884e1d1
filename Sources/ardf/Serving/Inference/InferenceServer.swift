import FileFormats
import HTTPServing
import InferenceProtocol

/// Models on a port.
package struct InferenceServer: Sendable {
  private let server: HTTPServer

  /// A server that does not accept connections yet.
  ///
  /// - `workers`: how many requests are computed concurrently.
  /// - `share`: gets the number of busy workers.
  /// - `queueLimit`: most requests that wait besides those.
  /// - `token`: the token that clients must send; nil for none.
  /// - `deepStack`: the service for clients of DeepStack's API; nil for none.
  package init(
    models: [any ServedModel], port: ListeningPort, workers: Int,
    share: @Sendable @escaping (_ busy: Int) -> Void = { _ in }, queueLimit: Int, token: String?,
    metrics: Metrics, version: String, limits: InferenceLimits = InferenceLimits(),
    connections: ConnectionLimits = ConnectionLimits(), end: GracefulShutdown = GracefulShutdown(),
    deepStack: DeepStackService? = nil, log: (@Sendable (JSONValue) -> Void)? = nil
  ) {
    let service = InferenceService(
      models: models,
      queue: InferenceQueue(limit: queueLimit, workers: workers, waiting: connections.waiting, share: share),
      access: AccessGuard(token: token, address: port.address), metrics: metrics, end: end, version: version,
      limits: limits, deepStack: deepStack, log: log)
    server = HTTPServer(port: port, handler: service, limits: connections, end: end)
  }

  /// Connections that are open.
  package var connections: Int { server.connections }

  /// Answers requests until the task is cancelled, or a graceful end is requested and the last request is answered;
  /// call it once.
  ///
  /// - Throws: `ServingError`, `CancellationError`.
  package func run() async throws { try await server.run() }
}
