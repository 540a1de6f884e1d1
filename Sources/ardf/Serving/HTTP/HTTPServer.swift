import FlyingSocks
import Glibc

/// Answers the requests of HTTP/1.1 clients on a port.
package struct HTTPServer: Sendable {
  /// The pause after the system had no descriptor or memory for a connection.
  private static let rest = Duration.milliseconds(50)
  /// Bytes of an answer that are not counted against the memory limit, so that a refusal can always be sent.
  private static let shortAnswer = 16 << 10

  private let port: ListeningPort
  private let handler: any RequestHandler
  private let limits: ConnectionLimits
  private let connectionLimiter: ConnectionLimiter
  private let budget: MemoryBudget
  private let end: GracefulShutdown
  /// The threads that read and answer connections, so that the process's computations do not delay clients.
  private let threads: DedicatedExecutor

  /// A server that does not accept connections yet.
  package init(
    port: ListeningPort, handler: any RequestHandler, limits: ConnectionLimits, threads: Int = 2,
    end: GracefulShutdown = GracefulShutdown()
  ) {
    self.port = port
    self.handler = handler
    self.limits = limits
    self.end = end
    self.threads = DedicatedExecutor(name: "ardf.serve", count: threads)
    connectionLimiter = ConnectionLimiter(limit: limits.connections)
    budget = MemoryBudget(limit: limits.memory)
  }

  /// Connections that are open.
  package var connections: Int { connectionLimiter.connections }

  /// Answers requests until the task is cancelled, or a graceful end is requested and the last request is answered;
  /// call it once.
  ///
  /// - Throws: `ServingError`, `CancellationError`.
  package func run() async throws {
    try await withTaskExecutorPreference(threads) { try await listen() }
  }

  private func listen() async throws {
    // The pool looks events up in a copy of its registrations, made before it waits: an event told once is lost where a
    // socket joined meanwhile, and of a listener that is shut down there is no second one.
    let pool = SocketPool.ePoll(triggering: .level)
    do {
      try await pool.prepare()
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await pool.run() }
        try await acceptClients(AsyncSocket(socket: port.socket, pool: pool))
      }
    } catch let error as SocketError {
      throw ServingError(error, at: port.address)
    }
  }

  /// Accepts clients until the end is requested, and returns when the last one has disconnected.
  private func acceptClients(_ listener: AsyncSocket) async throws {
    try await withThrowingDiscardingTaskGroup { clients in
      // No more clients are accepted, and `accept` returns.
      end.onBegin { shutdown(listener.socket.file.rawValue, Int32(SHUT_RDWR)) }
      defer {
        end.forget()
        try? listener.close()
      }
      while !end.hasBegun {
        try await connectionLimiter.waitForRoom()
        guard let client = try await next(of: listener) else { continue }
        handler.connectionsChanged(to: connectionLimiter.opened())
        clients.addTask { await admit(client) }
      }
      connectionLimiter.end()
      // Requests that are never wholly there do not hold up the end for ever.
      clients.addTask {
        let deadline = limits.waiting.now + limits.endTimeout
        while connectionLimiter.connections > 0, limits.waiting.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
        }
        connectionLimiter.cancelAll()
      }
    }
  }

  /// The next client; nil where it has disconnected already, the system has no descriptor or memory for it, or the end
  /// was requested.
  private func next(of listener: AsyncSocket) async throws -> AsyncSocket? {
    do {
      return try await listener.accept()
    } catch is SocketError where end.hasBegun {
      return nil
    } catch SocketError.failed(_, let number, _) where number != EBADF && number != EINVAL {
      try await Task.sleep(for: Self.rest)
      return nil
    }
  }

  private func admit(_ socket: AsyncSocket) async {
    defer {
      try? socket.close()
      handler.connectionsChanged(to: connectionLimiter.closed())
    }
    let client = ClientConnection(socket, limits: limits)
    guard let task = connectionLimiter.admit(on: threads, { await answer(client, number: $0) }) else {
      await refuse(client, .busy)
      return
    }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Answers a client's requests until it sends no more.
  private func answer(_ client: ClientConnection, number: Int) async {
    defer { connectionLimiter.leave(number) }
    do {
      while connectionLimiter.waits(number) {
        let head = try await client.head()
        // Who promises a body and does not send it gives way to others.
        guard connectionLimiter.mark(number, isAnswered: head.bodyBytes == 0) else { return }
        let memory = MemoryBudget.Reservation(budget)
        let request = Request(head: head, client: client, memory: memory) {
          connectionLimiter.mark(number, isAnswered: true)
        }
        let response = await held(await handler.answer(request), in: memory)
        guard connectionLimiter.mark(number, isAnswered: false) else { return }
        let keepsAlive = try await client.discardBody() && head.keepsAlive && !end.hasBegun
        try await client.send(
          response.head(keepsAlive: keepsAlive), head.method == "HEAD" ? [] : response.body)
        withExtendedLifetime(memory) {}
        guard keepsAlive else { return }
      }
    } catch let refusal as Refusal {
      await refuse(client, refusal)
    } catch {
      // The client is gone, or the server ends.
    }
  }

  /// The answer, if there is memory for it until the client has read it; the request's other memory is returned.
  private func held(_ response: Response, in memory: MemoryBudget.Reservation) async -> Response {
    do throws(Refusal) {
      // Short answers are no more than their connections, which are counted.
      try memory.hold(response.body.count <= Self.shortAnswer ? 0 : response.body.count)
      return response
    } catch {
      await handler.refused(error)
      return .refused(error)
    }
  }

  private func refuse(_ client: ClientConnection, _ refusal: Refusal) async {
    await handler.refused(refusal)
    let response = Response.refused(refusal)
    // To whoever is still there.
    try? await client.send(response.head(keepsAlive: false) + response.body)
  }
}
