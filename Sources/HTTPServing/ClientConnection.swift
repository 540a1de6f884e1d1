import FlyingSocks
import Foundation

/// What connections may cost.
package struct ConnectionLimits: Sendable {
  /// Connections at a time.
  package var connections = 64
  /// For the head of a request to arrive, counted from the answer before it.
  package var headPatience = Duration.seconds(10)
  /// For each mebibyte of a body or an answer to go over the line.
  package var piecePatience = Duration.seconds(30)
  /// Bytes of an unwanted body that are read and forgotten, so that the answer is not lost with the connection.
  package var unwantedBytes = 1 << 30
  /// For requests under way, once the server's end was asked for.
  package var endPatience = Duration.seconds(30)
  /// What all of these times are waited with.
  package var waiting = Patience.shared

  package init() {}
}

/// The bytes of one client: heads and bodies come in, answers go out, each within its time.
package actor ClientConnection {
  /// The client went away.
  package struct Closed: Error {
    package init() {}
  }

  private static let piece = 1 << 20
  /// Bytes that are asked of the system at a time.
  private static let reading = 256 << 10

  private let socket: AsyncSocket
  private let limits: ConnectionLimits
  /// What has arrived and is not used yet.
  private var received: [UInt8] = []
  /// What is kept of the current request's body.
  private var content: [UInt8] = []
  /// Of the current request's body, the bytes nobody has asked for.
  private var bodyLeft = 0
  private var expectsToBeAsked = false

  init(_ socket: AsyncSocket, limits: ConnectionLimits) {
    self.socket = socket
    self.limits = limits
  }

  /// The head of the next request.
  ///
  /// - Throws: `Refusal`, and `Closed` where there is none.
  func head() async throws -> RequestHead {
    let bytes = try await within(limits.headPatience) { try await self.headBytes() }
    let head = try RequestHead(bytes)
    bodyLeft = head.bodyBytes
    expectsToBeAsked = head.fields["expect"]?.lowercased() == "100-continue"
    return head
  }

  private func headBytes() async throws -> [UInt8] {
    var searched = 0
    while true {
      if let end = received[searched...].firstRange(of: RequestHead.end)?.upperBound {
        defer { received.removeSubrange(..<end) }
        return Array(received[..<end])
      }
      guard received.count <= RequestHead.mostBytes else { throw Refusal.headTooLarge }
      searched = max(0, received.count - RequestHead.end.count + 1)
      try await receive()
    }
  }

  /// Whether the client has gone away.
  nonisolated var hasHungUp: Bool { socket.socket.hasHungUp }

  /// The client's address; empty where the system does not know it.
  nonisolated var peer: String {
    switch try? socket.socket.remotePeer() {
    case .ip4(let host, let port): "\(host):\(port)"
    case .ip6(let host, let port): "[\(host)]:\(port)"
    case .unix, nil: ""
    }
  }

  /// The current request's whole body.
  ///
  /// - Throws: `Refusal.tooLarge`, `.timeout`, and `Closed` where it ends early.
  func body(limit: Int, piece: @Sendable (Int) throws -> Void) async throws -> [UInt8] {
    guard bodyLeft <= limit else { throw Refusal.tooLarge(limit: limit) }
    content = []
    defer { content = [] }
    // Address space only: memory is taken as the pieces come.
    content.reserveCapacity(bodyLeft)
    try await readBody(bodyLeft, keeping: true, before: piece)
    return content
  }

  /// Reads and forgets what is left of the current request's body.
  ///
  /// - Returns: whether all of it is gone, so that another request may follow.
  func discardBody() async throws -> Bool {
    // Who asks before sending has not sent it.
    guard !expectsToBeAsked || bodyLeft == 0 else { return false }
    try await readBody(min(bodyLeft, limits.unwantedBytes), keeping: false)
    return bodyLeft == 0
  }

  private func readBody(
    _ count: Int, keeping: Bool, before: @Sendable (Int) throws -> Void = { _ in }
  ) async throws {
    if expectsToBeAsked, count > 0 {
      expectsToBeAsked = false
      try await send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    var left = count
    while left > 0 {
      let piece = min(left, Self.piece)
      try before(piece)
      try await within(limits.piecePatience) { try await self.readPiece(piece, keeping: keeping) }
      left -= piece
    }
  }

  private func readPiece(_ count: Int, keeping: Bool) async throws {
    var left = count
    while left > 0 {
      if received.isEmpty { try await receive(atMost: left) }
      let part = received.prefix(left)
      if keeping { content += part }
      left -= part.count
      bodyLeft -= part.count
      if part.count == received.count { received = [] } else { received.removeFirst(part.count) }
    }
  }

  private func receive(atMost most: Int = 4096) async throws {
    do {
      do {
        received += try socket.socket.read(atMost: min(most, Self.reading))
      } catch SocketError.blocked {
        received += try await socket.read(atMost: most)
      }
    } catch is SocketError {
      throw Closed()
    }
  }

  /// - Throws: `Closed`, `Refusal.timeout`.
  func send(_ bytes: [UInt8]) async throws {
    for start in stride(from: 0, to: bytes.count, by: Self.piece) {
      let piece = Data(bytes[start..<min(start + Self.piece, bytes.count)])
      let socket = socket
      try await within(limits.piecePatience) {
        do {
          try await socket.write(piece)
        } catch is SocketError {
          throw Closed()
        }
      }
    }
  }

  /// Runs `body` unless it takes too long.
  private func within<Result: Sendable>(
    _ patience: Duration, _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    let waiting = limits.waiting
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await waiting.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() ?? nil else { throw Refusal.timeout }
      return result
    }
  }
}
