import FlyingSocks
import Foundation
import Glibc

/// Why a server did not start.
package enum ServingError: Error, Equatable, CustomStringConvertible {
  /// Another program listens there.
  case portInUse(UInt16)
  /// The system does not let this user listen there.
  case portForbidden(UInt16)
  /// The system refused for another reason.
  case cannotListen(port: UInt16, reason: String)

  /// The reason and what to do.
  package var description: String {
    switch self {
    case .portInUse(let port):
      "port \(port) is in use, perhaps by another ardf serve; choose another with --port, or --port 0 for any free one"
    case .portForbidden(let port): "port \(port) needs privileges; choose one from 1024 on with --port"
    case .cannotListen(let port, let reason): "cannot listen on port \(port): \(reason)"
    }
  }
}

/// A port of this machine's loopback address, which no other machine reaches.
///
/// Clients wait until a server answers.
package struct LoopbackPort: Sendable {
  fileprivate let socket: Socket
  /// The port's number.
  package let number: UInt16

  /// Takes a port, or for 0 any free one.
  ///
  /// - Throws: `ServingError`.
  package init(_ wanted: UInt16) throws(ServingError) {
    do {
      socket = try Socket(domain: Int32(AF_INET))
      // What an ended server left in the system is no hindrance.
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: wanted))
      try socket.listen()
      guard case .ip4(_, let found) = try socket.sockname() else { throw SocketError.unsupportedAddress }
      number = found
    } catch {
      throw ServingError(error, port: wanted)
    }
  }
}

/// The service on a loopback port.
package struct LoopbackServer: Sendable {
  /// Between attempts to take a connection that the system has no means for.
  private static let rest = Duration.milliseconds(50)

  private let port: LoopbackPort
  private let service: ReportService
  private let limits: ConnectionLimits
  private let admission: Admission
  /// Connections are read and answered here: computations of the same process do not use up clients' time.
  private let threads = OwnThreads(name: "ardf.serve", count: 2)
  /// Where it is.
  package let address: String
  /// What requests that change something must carry.
  package let token: String

  /// A server that answers nobody yet.
  package init(workshop: any Workshop, port: LoopbackPort, limits: UploadLimits = UploadLimits()) {
    self.init(workshop: workshop, port: port, limits: limits, connections: ConnectionLimits())
  }

  package init(
    workshop: any Workshop, port: LoopbackPort, limits: UploadLimits, connections: ConnectionLimits
  ) {
    self.port = port
    self.limits = connections
    admission = Admission(limit: connections.connections)
    let requests = RequestGuard(port: port.number)
    token = requests.token
    address = "http://127.0.0.1:\(port.number)/"
    service = ReportService(workshop: workshop, requests: requests, limits: limits)
  }

  /// Answers requests until the task is cancelled; can be run once.
  ///
  /// - Throws: `ServingError`, `CancellationError`.
  package func run() async throws {
    UploadRoom.removeAbandoned()
    try await withTaskExecutorPreference(threads) { try await acceptClients() }
  }

  private func acceptClients() async throws {
    defer { try? port.socket.close() }
    let pool = SocketPool.ePoll()
    do {
      try await pool.prepare()
      let listener = try AsyncSocket(socket: port.socket, pool: pool)
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask { try await pool.run() }
        while true {
          try await admission.waitForRoom()
          guard let client = try await next(of: listener) else { continue }
          admission.opened()
          group.addTask { await admit(client) }
        }
      }
    } catch let error as SocketError {
      throw ServingError(error, port: port.number)
    }
  }

  /// The next client; nil where it is gone already, or the system has no descriptor or memory for it.
  private func next(of listener: AsyncSocket) async throws -> AsyncSocket? {
    do {
      return try await listener.accept()
    } catch SocketError.failed(_, let number, _) where number != EBADF && number != EINVAL {
      try await Task.sleep(for: Self.rest)
      return nil
    }
  }

  private func admit(_ socket: AsyncSocket) async {
    defer {
      try? socket.close()
      admission.closed()
    }
    let client = ClientConnection(socket, limits: limits)
    guard let task = admission.admit(on: threads, { await answer(client, number: $0) }) else {
      await refuse(client, .busy)
      return
    }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Answers a client's requests until it has no more.
  private func answer(_ client: ClientConnection, number: Int) async {
    defer { admission.leave(number) }
    do {
      while true {
        let head = try await client.head()
        guard admission.mark(number, isAnswered: true) else { return }
        let response = await service.answer(Request(head: head, client: client))
        guard admission.mark(number, isAnswered: false) else { return }
        let keepsAlive = try await client.discardBody() && head.keepsAlive
        try await client.send(response.head(keepsAlive: keepsAlive))
        if head.method != "HEAD" { try await client.send(response.body) }
        guard keepsAlive else { return }
      }
    } catch let refusal as Refusal {
      await refuse(client, refusal)
    } catch {
      // The client is gone, or the server ends.
    }
  }

  private func refuse(_ client: ClientConnection, _ refusal: Refusal) async {
    let response = Response.refused(refusal)
    // To whoever is still there.
    try? await client.send(response.head(keepsAlive: false) + response.body)
  }
}

extension ServingError {
  fileprivate init(_ error: any Error, port: UInt16) {
    switch error {
    case SocketError.failed(_, EADDRINUSE, _): self = .portInUse(port)
    case SocketError.failed(_, EACCES, _): self = .portForbidden(port)
    default: self = .cannotListen(port: port, reason: error.localizedDescription)
    }
  }
}
