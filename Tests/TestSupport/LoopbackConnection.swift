import Foundation

/// A plain TCP connection to this machine, for requests that no well-behaved client sends.
///
/// Unsafe where the system's socket calls take pointers.
public final class LoopbackConnection {
  private let descriptor: Int32
  /// Whether nothing came, not even the end, for as long as is waited.
  public private(set) var isTimedOut = false

  /// No process listens on the port.
  public struct Refused: Error {
    /// Also for tests that wait until a process listens.
    public init() {}
  }

  /// Connects to a port; reads wait as long as tests do.
  ///
  /// - Throws: `Refused` where no server listens. What a busy system lacks for a while is waited for.
  public init(port: UInt16) throws {
    var found: Int32?
    try Waiting.until("a connection to port \(port)") {
      found = try Self.connected(to: port)
      return found != nil
    }
    descriptor = found ?? -1
    // A server that never answers fails a test instead of holding it up.
    var patience = timeval(tv_sec: Int(Waiting.patience.components.seconds), tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// A descriptor that is connected; nil where the system has no means for one now, or was interrupted.
  private static func connected(to port: UInt16) throws -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, size)
      }
    }
    guard result != 0 else { return descriptor }
    let isRefused = errno == ECONNREFUSED
    close(descriptor)
    if isRefused { throw Refused() }
    return nil
  }

  /// Sends what the other side takes; one that has closed takes nothing.
  public func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends one's own direction.
  public func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The bytes that have arrived, once there are any; none at the end of the stream.
  public func read() -> [UInt8] { receive(65_536, flags: 0) }

  /// Returns once anything has arrived, and leaves it there.
  public func waitForBytes() { _ = receive(1, flags: Int32(MSG_PEEK)) }

  /// Whether anything has arrived that was not read, or an end; does not wait.
  public var hasBytes: Bool {
    var byte: UInt8 = 0
    return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || errno != EAGAIN
  }

  private func receive(_ most: Int, flags: Int32) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: most)
    var count: Int
    repeat {
      count = unsafe part.withUnsafeMutableBytes { buffer in
        unsafe recv(descriptor, buffer.baseAddress, buffer.count, flags)
      }
      // A socket with a time limit is interrupted when the process resumes after a stop (signal(7)).
    } while count < 0 && errno == EINTR
    if count < 0, errno == EAGAIN { isTimedOut = true }
    return Array(part[0..<max(0, count)])
  }

  /// Everything up to the connection's end.
  public func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = read()
      guard !part.isEmpty else { return bytes }
      bytes += part
    }
  }

  deinit { close(descriptor) }
}
