/// A request whose head has been read.
package struct Request: Sendable {
  /// The head.
  package let head: RequestHead
  let client: ClientConnection
  /// The request's share of the server's memory, held until its answer is sent.
  package let memory: MemoryBudget.Share
  /// To be called when the body is there; false where the connection had to give way.
  let arrived: @Sendable () -> Bool

  /// The body, whose memory is taken of `memory` as its bytes come.
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
  /// Answers a request; what it leaves of the body is read and forgotten.
  func answer(_ request: Request) async -> Response

  /// Called for what is refused before there is a request to answer, such as a malformed head.
  func refused(_ refusal: Refusal) async

  /// Called with the number of open connections when it changes.
  func connectionsChanged(to count: Int)
}

extension RequestHandler {
  package func refused(_ refusal: Refusal) async {}
  package func connectionsChanged(to count: Int) {}
}
