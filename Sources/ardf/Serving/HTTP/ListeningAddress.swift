import FileFormats
import FlyingSocks
import FoundationEssentials
import Glibc
import FoundationEssentials
import Glibc

/// Why a server did not start.
package enum ServingError: Error, Equatable, CustomStringConvertible {
  /// Another program listens there.
  case portInUse(UInt16)
  /// The system does not let this user listen there.
  case portForbidden(UInt16)
  /// This machine has no such address.
  case noSuchAddress(String)
  /// The system refused for another reason.
  case cannotListen(port: UInt16, reason: String)

  /// The reason and what to do.
  package var description: String {
    switch self {
    case .portInUse(let port):
      "port \(port) is in use, perhaps by another ardf serve; choose another one, or 0 for any free one"
    case .portForbidden(let port): "port \(port) needs privileges; choose one from 1024 on"
    case .noSuchAddress(let host):
      "\(host) is not an address of this machine; listen on 127.0.0.1, or on 0.0.0.0 for all of its addresses"
    case .cannotListen(let port, let reason): "cannot listen on port \(port) (\(reason)); choose another one"
    }
  }
}

/// An address of this machine and a port, as in `127.0.0.1:8000` or `[::1]:8000`.
package struct ListeningAddress: Sendable, Equatable, CustomStringConvertible {
  /// An IPv4 or IPv6 address in digits.
  package let host: String
  /// The port; 0 for any free one.
  package let port: UInt16

  /// This machine's loopback address.
  package static func loopback(_ port: UInt16) -> ListeningAddress {
    ListeningAddress(host: "127.0.0.1", port: port, isVersion6: false)
  }

  fileprivate let isVersion6: Bool

  private init(host: String, port: UInt16, isVersion6: Bool) {
    (self.host, self.port, self.isVersion6) = (host, port, isVersion6)
  }

  /// Reads an address in digits, a colon and a port; nil for anything else, names included.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), text[text.index(after: colon)...].allSatisfy(\.isNumber),
      let port = integer(of: text[text.index(after: colon)...], in: 0...Int(UInt16.max)).map(UInt16.init)
    else { return nil }
    var host = String(text[..<colon])
    let isVersion6 = host.hasPrefix("[") && host.hasSuffix("]")
    if isVersion6 { host = String(host.dropFirst().dropLast()) }
    guard
      isVersion6
        ? (try? sockaddr_in6.inet6(ip6: host, port: port)) != nil
        : (try? sockaddr_in.inet(ip4: host, port: port)) != nil
    else { return nil }
    self.init(host: host, port: port, isVersion6: isVersion6)
  }

  /// Whether only this machine reaches it.
  package var isLoopback: Bool { isVersion6 ? host == "::1" : host.hasPrefix("127.") }

  /// Whether it stands for all addresses of this machine.
  package var isAny: Bool { isVersion6 ? host == "::" : host == "0.0.0.0" }

  /// The address by which other machines of its network reach this one, in digits; nil where it has no network.
  ///
  /// Asks the system by which address it would send; nothing is sent.
  package static var outward: String? {
    guard let socket = try? Socket(domain: Int32(AF_INET), type: .datagram) else { return nil }
    defer { try? socket.close() }
    // An address for documentation (RFC 5737): whatever is beyond the network's own router.
    guard let beyond = try? sockaddr_in.inet(ip4: "192.0.2.1", port: 9),
      (try? socket.connect(to: beyond)) != nil, case .ip4(let host, _)? = try? socket.sockname()
    else { return nil }
    return host
  }

  /// The address as in a URL.
  package var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The values of `Host` by which this machine's programs address a loopback address.
  package var ownNames: [String] {
    let hosts = ["localhost", "127.0.0.1", "[::1]"]
    return hosts.map { "\($0):\(port)" } + [description] + (port == 80 ? hosts : [])
  }

  /// Whether a request may name this address so: on loopback by one of its own names, so that no foreign page reaches a
  /// server under another one.
  ///
  /// - Parameter host: the value of `Host`; nil for a request without.
  /// - Returns: false on loopback for a foreign name or none; true on any other address.
  package func accepts(host: String?) -> Bool {
    !isLoopback || host.map { ownNames.contains($0.lowercased()) } ?? false
  }

  fileprivate func with(port: UInt16) -> ListeningAddress {
    ListeningAddress(host: host, port: port, isVersion6: isVersion6)
  }
}

/// A bound port; clients wait until a server answers.
package struct ListeningPort: Sendable {
  let socket: Socket
  /// Its address, with the port's number.
  package let address: ListeningAddress
  /// The port's number.
  package var number: UInt16 { address.port }

  /// Binds a port, or any free one for 0.
  ///
  /// - Throws: `ServingError`.
  package init(_ wanted: ListeningAddress) throws(ServingError) {
    do {
      socket = try Socket(domain: Int32(wanted.isVersion6 ? AF_INET6 : AF_INET))
      // What an ended server left in the system is not a hindrance.
      try socket.setValue(true, for: .localAddressReuse)
      // Of its connections too: what follows a short piece does not wait until that is acknowledged, which takes 40 ms.
      try socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
      if wanted.isVersion6 {
        try socket.bind(to: sockaddr_in6.inet6(ip6: wanted.host, port: wanted.port))
      } else {
        try socket.bind(to: sockaddr_in.inet(ip4: wanted.host, port: wanted.port))
      }
      try socket.listen()
      switch try socket.sockname() {
      case .ip4(_, let found), .ip6(_, let found): address = wanted.with(port: found)
      case .unix: throw SocketError.unsupportedAddress
      }
    } catch {
      throw ServingError(error, at: wanted)
    }
  }
}

extension ServingError {
  init(_ error: any Error, at address: ListeningAddress) {
    switch error {
    case SocketError.failed(_, EADDRINUSE, _): self = .portInUse(address.port)
    case SocketError.failed(_, EACCES, _): self = .portForbidden(address.port)
    case SocketError.failed(_, EADDRNOTAVAIL, _): self = .noSuchAddress(address.host)
    default:
      let reason = (error as? any LocalizedError)?.errorDescription
      self = .cannotListen(port: address.port, reason: reason ?? "\(error)")
    }
  }
}

extension ServingError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .cannotCreate }
}
