import FileFormats

/// Head of a request (RFC 9112), read strictly.
package struct RequestHead: Sendable, Equatable {
  /// Most bytes of a head, with its empty line.
  package static let mostBytes = 16 << 10
  /// Most header fields.
  package static let mostFields = 64
  /// The bytes that end a head.
  static let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

  /// The method as it was sent.
  package let method: String
  /// The path's components, decoded.
  package let path: [String]
  /// The query, after the question mark.
  package let query: String
  /// Values by name in lower case.
  package let fields: [String: String]
  /// Bytes of the body.
  package let bodyBytes: Int
  /// Whether the client may send another request on its connection.
  let keepsAlive: Bool

  /// Reads a head that ends with its empty line.
  ///
  /// - Throws: `Refusal.badRequest` or `.lengthRequired`.
  package init(_ bytes: [UInt8]) throws {
    guard bytes.count <= Self.mostBytes else { throw Refusal.headTooLarge }
    guard bytes.suffix(4) == Self.end[...] else { throw Refusal.badRequest("the request has no end") }
    var lines = try Self.lines(bytes.dropLast(4))
    let (method, target, version) = try Self.requestLine(lines.removeFirst())
    guard lines.count <= Self.mostFields else { throw Refusal.headTooLarge }
    var fields: [String: String] = [:]
    for line in lines {
      let (name, value) = try Self.field(line)
      // Two answers to one question, such as two lengths, are how one request is made to look like two.
      guard fields.updateValue(value, forKey: name) == nil else {
        throw Refusal.badRequest("the request says \(name) twice")
      }
    }
    guard fields["content-type"]?.lowercased().hasPrefix("application/grpc") != true else {
      throw Refusal.unsupportedMedia(Refusal.noGRPC)
    }
    guard fields["transfer-encoding"] == nil else { throw Refusal.lengthRequired }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = try Self.components(parts[0])
    query = parts.count > 1 ? String(parts[1]) : ""
    self.fields = fields
    bodyBytes = try Self.length(fields["content-length"])
    keepsAlive = version == "HTTP/1.1" && fields["connection"]?.lowercased() != "close"
  }

  /// Lines between CR LF, in printable ASCII, and UTF-8 where values have it.
  private static func lines(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> [Substring] {
    // CR and LF make one character.
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    let isPrintable = lines.allSatisfy { line in
      line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
    guard isPrintable else { throw .badRequest("the request has a control character") }
    return lines
  }

  private static func requestLine(
    _ line: Substring
  ) throws(Refusal) -> (method: String, target: Substring, version: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    if words.last == "HTTP/2.0" || words.last == "HTTP/2" { throw .onlyHTTP1 }
    guard words.count == 3, words[0].allSatisfy({ $0.isASCII && $0.isUppercase }), !words[0].isEmpty,
      words[1].first == "/", words[1].utf8.allSatisfy({ $0 < 0x80 }),
      words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
    else { throw .badRequest("the request does not begin as one of HTTP/1.1") }
    return (String(words[0]), words[1], String(words[2]))
  }

  private static func field(_ line: Substring) throws(Refusal) -> (name: String, value: String) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x7A).contains($0) || $0 == 0x2D })
    else { throw .badRequest("the request has a header field without a name") }
    return (parts[0].lowercased(), parts[1].trimmingBlanks())
  }

  /// Most bytes of a body that a head may announce; the limits on accepted bodies are far lower.
  private static let longestBody = 1 << 50

  private static func length(_ text: String?) throws(Refusal) -> Int {
    guard let text else { return 0 }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = CheckedInt(text)?.within(0...longestBody)
    else {
      throw .badRequest("the request's Content-Length is not a number")
    }
    return length
  }

  /// The path's components, decoded.
  ///
  /// - Throws: `Refusal.badRequest` for a component that is not a plain name: `.`, `..`, hidden, or with a slash or a
  ///   control character.
  private static func components(_ path: Substring) throws(Refusal) -> [String] {
    var components: [String] = []
    for part in path.split(separator: "/") {
      guard let name = part.decodingPercents(), PlainName.isPlain(name) else {
        throw .badRequest("the address has a name that is not allowed")
      }
      components.append(name)
    }
    return components
  }
}

extension Substring {
  fileprivate func trimmingBlanks() -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  /// The text with percent escapes such as `%20` decoded; nil where the result is no UTF-8, or an escape is malformed.
  fileprivate func decodingPercents() -> String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
