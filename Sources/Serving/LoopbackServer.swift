import FlyingFox
import FlyingSocks
import Foundation

/// Why a server did not start.
public enum ServingError: Error, Equatable, CustomStringConvertible {
  /// Another program listens there.
  case portInUse(UInt16)
  /// The system does not let this user listen there.
  case portForbidden(UInt16)
  /// The system refused for another reason.
  case cannotListen(port: UInt16, reason: String)

  /// The reason and what to do.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "port \(port) is in use, perhaps by another ardf serve; choose another with --port, or --port 0 for any free one"
    case .portForbidden(let port): "port \(port) needs privileges; choose one from 1024 on with --port"
    case .cannotListen(let port, let reason): "cannot listen on port \(port): \(reason)"
    }
  }
}

/// The service on this machine's loopback address, which no other machine reaches.
public struct LoopbackServer: Sendable {
  /// The most seconds of a request: a large capture on a slow machine.
  private static let patience: TimeInterval = 900

  private let server: HTTPServer
  private let port: UInt16
  /// Where it is.
  public let address: String
  /// What requests that change something must carry.
  package let token: String

  /// A server that does not listen yet.
  public init(workshop: any Workshop, port: UInt16, limits: UploadLimits = UploadLimits()) throws {
    self.port = port
    let requests = RequestGuard(port: port)
    token = requests.token
    address = "http://127.0.0.1:\(port)/"
    server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: "127.0.0.1", port: port), timeout: Self.patience,
        // Nothing is kept to be read twice: bodies are bounded where they are read.
        sharedRequestReplaySize: 0, logger: .disabled),
      handler: ReportService(workshop: workshop, requests: requests, limits: limits))
  }

  /// Answers requests until the task is cancelled; `listening` is called once it can be reached.
  ///
  /// - Throws: `ServingError`.
  public func run(listening: @Sendable @escaping () -> Void) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        group.addTask {
          try await server.waitUntilListening()
          listening()
        }
        for try await _ in group {}
      }
    } catch let error as SocketError {
      throw ServingError(error, port: port)
    }
  }

  /// The port, or for 0 a free one; nothing listens there now.
  ///
  /// - Throws: `ServingError`.
  public static func available(_ port: UInt16) throws(ServingError) -> UInt16 {
    do {
      let socket = try Socket(domain: Int32(AF_INET))
      defer { try? socket.close() }
      // As the server will: what an ended one left in the system is no hindrance.
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
      try socket.listen()
      guard case .ip4(_, let found) = try socket.sockname() else { return port }
      return found
    } catch {
      throw ServingError(error, port: port)
    }
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
