/// A request whose head has been read.
package struct Request: Sendable {
  /// The head.
  package let head: RequestHead
  let client: ClientConnection
  /// The request's share of the server's memory, held until its answer is sent.
  package let memory: MemoryBudget.Reservation
  /// Call it when the body has arrived; false where the connection was closed for another.
  let arrived: @Sendable () -> Bool

  /// The body; its bytes are counted in `memory` as they arrive.
  ///
  /// - Throws: `Refusal.tooLarge` for one that is longer than `limit`, `.timeout` for one that is slow, `.overloaded`
  ///   where there is no memory for it, and `ClientConnection.Closed` where it ends early.
  package func body(limit: Int) async throws -> [UInt8] {
    let body = try await client.body(limit: limit, memory: memory)
    guard arrived() else { throw ClientConnection.Closed() }
    return body
  }

  /// The client's address; empty where the system does not know it.
  package var peer: String { client.peer }

  /// Whether the client has closed the connection and no longer waits for an answer.
  ///
  /// A client that has only closed its sending side counts too: the two cannot be distinguished before
  /// something is sent.
  package var isAbandoned: Bool { client.hasHungUp }
}

/// Answers requests.
package protocol RequestHandler: Sendable {
  /// Answers a request; the rest of an unread body is discarded.
  func answer(_ request: Request) async -> Response

  /// Called for refusals before there is a request, such as a malformed head.
  func refused(_ refusal: Refusal) async

  /// Called with the number of open connections when it changes.
  func connectionsChanged(to count: Int)
}

extension RequestHandler {
  package func refused(_ refusal: Refusal) async {}
  package func connectionsChanged(to count: Int) {}
}
