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

  package init() {}
}

/// The bytes of one client: heads and bodies come in, answers go out, each within its time.
actor ClientConnection {
  /// The client went away.
  struct Closed: Error {}

  private static let piece = 1 << 20

  private let socket: AsyncSocket
  private let limits: ConnectionLimits
  /// What has arrived and is not used yet.
  private var received: [UInt8] = []
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

  /// The current request's whole body.
  ///
  /// - Throws: `Refusal.tooLarge`, `.timeout`, and `Closed` where it ends early.
  func body(limit: Int) async throws -> [UInt8] {
    guard bodyLeft <= limit else { throw Refusal.tooLarge(limit: limit) }
    var body: [UInt8] = []
    body.reserveCapacity(bodyLeft)
    try await passBody(bodyLeft) { body += $0 }
    return body
  }

  /// Reads and forgets what is left of the current request's body.
  ///
  /// - Returns: whether all of it is gone, so that another request may follow.
  func discardBody() async throws -> Bool {
    // Who asks before sending has not sent it.
    guard !expectsToBeAsked || bodyLeft == 0 else { return false }
    try await passBody(min(bodyLeft, limits.unwantedBytes)) { _ in }
    return bodyLeft == 0
  }

  private func passBody(_ count: Int, to consumer: (ArraySlice<UInt8>) -> Void) async throws {
    if expectsToBeAsked, count > 0 {
      expectsToBeAsked = false
      try await send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    var left = count
    while left > 0 {
      let piece = min(left, Self.piece)
      try await within(limits.piecePatience) {
        while await self.receivedCount < piece { try await self.receive() }
      }
      consumer(received[..<piece])
      received.removeSubrange(..<piece)
      left -= piece
      bodyLeft -= piece
    }
  }

  private var receivedCount: Int { received.count }

  private func receive() async throws {
    do {
      received += try await socket.read(atMost: 4096)
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
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() ?? nil else { throw Refusal.timeout }
      return result
    }
  }
}
