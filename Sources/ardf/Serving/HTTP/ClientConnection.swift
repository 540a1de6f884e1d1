import FlyingSocks
import FoundationEssentials

/// Limits on connections.
///
/// Times are for whole requests and answers, so that a client that sends or reads a byte now and then gains no time.
package struct ConnectionLimits: Sendable {
  /// Most open connections.
  package var connections = 64
  /// Most time for the head of a request to arrive, from the previous answer on.
  package var headTimeout = Duration.seconds(10)
  /// Most time for the body of a request to arrive.
  package var bodyTimeout = Duration.seconds(60)
  /// Most time for the client to read an answer.
  package var answerTimeout = Duration.seconds(60)
  /// Most bytes of all requests, the data made from them, and answers together.
  package var memory = 1 << 30
  /// Most bytes of an unwanted body that are discarded, so that the client can read the answer.
  package var unwantedBytes = 1 << 30
  /// Most time for requests under way, once the server's end is requested.
  package var endTimeout = Duration.seconds(30)
  /// The timer of all these limits.
  package var waiting = DeadlineTimer.shared

  package init() {}
}

/// The connection of one client: reads heads and bodies and writes answers, each within its time.
package actor ClientConnection {
  /// The client went away.
  package struct Closed: Error {
    package init() {}
  }

  /// Bytes of one write.
  private static let writing = 1 << 20
  /// Bytes of one read.
  private static let reading = 64 << 10

  private let socket: AsyncSocket
  private let limits: ConnectionLimits
  /// Received bytes that are not yet used.
  private var received: [UInt8] = []
  /// The kept part of the current request's body.
  private var content: [UInt8] = []
  /// Capacity of `content` for which memory is counted.
  private var capacity = 0
  /// Bytes of the current request's body that have not been read.
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
    let bytes = try await within(limits.headTimeout) { try await self.headBytes() }
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
  /// - Throws: `Refusal.tooLarge`, `.timeout`, `.overloaded`, and `Closed` where it ends early.
  func body(limit: Int, memory: MemoryBudget.Reservation) async throws -> [UInt8] {
    guard bodyLeft <= limit else { throw Refusal.tooLarge(limit: limit) }
    (content, capacity) = ([], 0)
    defer { content = [] }
    try await readBody(bodyLeft, into: memory)
    return content
  }

  /// Discards the rest of the current request's body.
  ///
  /// - Returns: whether all of it was discarded, so that another request may follow.
  func discardBody() async throws -> Bool {
    // Who asks before sending has not sent it.
    guard !expectsToBeAsked || bodyLeft == 0 else { return false }
    try await readBody(min(bodyLeft, limits.unwantedBytes), into: nil)
    return bodyLeft == 0
  }

  /// - `memory`: counts the bytes that are kept; nil discards them.
  private func readBody(_ count: Int, into memory: MemoryBudget.Reservation?) async throws {
    guard count > 0 else { return }
    if expectsToBeAsked {
      expectsToBeAsked = false
      try await send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    try await within(limits.bodyTimeout) { try await self.readBytes(count, into: memory) }
  }

  private func readBytes(_ count: Int, into memory: MemoryBudget.Reservation?) async throws {
    var left = count
    while left > 0 {
      if received.isEmpty { try await receive(atMost: left) }
      let part = received.prefix(left)
      if let memory {
        try makeRoom(for: part.count, of: left, in: memory)
        content += part
      }
      left -= part.count
      bodyLeft -= part.count
      if part.count == received.count { received = [] } else { received.removeFirst(part.count) }
    }
  }

  /// Takes memory for the bytes that arrived and for as many more; a body that is only announced takes none.
  private func makeRoom(for count: Int, of left: Int, in memory: MemoryBudget.Reservation) throws(Refusal) {
    guard capacity - content.count < count else { return }
    // All three are at most what was let in, which is far from where they would overflow.
    let wanted = min(content.count + left, max(2 * capacity, content.count + count))
    // Both lie there while the bytes are moved.
    try memory.take(wanted)
    content.reserveCapacity(wanted)
    memory.give(capacity)
    capacity = wanted
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

  /// Sends byte arrays one after the other.
  ///
  /// - Throws: `Closed`, `Refusal.timeout`.
  func send(_ parts: [UInt8]...) async throws {
    let socket = socket
    try await within(limits.answerTimeout) {
      for bytes in parts {
        for start in stride(from: 0, to: bytes.count, by: Self.writing) {
          do {
            try await socket.write(Data(bytes[start..<min(start + Self.writing, bytes.count)]))
          } catch is SocketError {
            throw Closed()
          }
        }
      }
    }
  }

  /// Runs `body` unless it takes too long.
  private func within<Result: Sendable>(
    _ timeout: Duration, _ body: @Sendable @escaping () async throws -> Result
  ) async throws -> Result {
    let waiting = limits.waiting
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await waiting.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() ?? nil else { throw Refusal.timeout }
      return result
    }
  }
}
