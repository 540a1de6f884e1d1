import FileFormats

/// The fields of a form as programs send them with files (`multipart/form-data`, RFC 7578), by where they lie in the body:
/// nothing is copied.
package struct MultipartForm: Sendable {
  /// The most fields of a form.
  package static let mostFields = 64
  /// The most bytes before a field's value.
  static let mostHeadBytes = 4096
  /// The most characters of a boundary.
  private static let longestBoundary = 70

  private let body: [UInt8]
  private let fields: [(name: String, place: Range<Int>)]

  /// Reads a form.
  ///
  /// - `contentType`: the request's field of that name.
  ///
  /// - Throws: `Refusal.unsupportedMedia` for another type of body, `.badRequest` for a malformed form.
  package init(_ body: [UInt8], contentType: String?) throws(Refusal) {
    guard let boundary = Self.boundary(in: contentType ?? "") else {
      throw .unsupportedMedia("send a form: Content-Type: multipart/form-data; boundary=...")
    }
    self.body = body
    let mark = Array("--\(boundary)".utf8)
    // The first mark may begin the body; all others follow the end of a line.
    let lineMark = Array("\r\n".utf8) + mark
    guard
      var position = body.starts(with: mark)
        ? mark.count : Self.place(of: lineMark, in: body, from: 0)?.upperBound
    else { throw .badRequest("the form does not begin with its boundary") }
    var fields: [(name: String, place: Range<Int>)] = []
    while !body[position...].starts(with: Array("--".utf8)) {
      guard fields.count < Self.mostFields else {
        throw .badRequest("the form has more than \(Self.mostFields) fields")
      }
      let near = body[position..<min(body.count, position + Self.mostHeadBytes)]
      guard let lineEnd = near.firstRange(of: Array("\r\n".utf8)),
        near[lineEnd.lowerBound...].count > 2,
        near[..<lineEnd.lowerBound].allSatisfy({ $0 == 0x20 || $0 == 0x09 }),
        let headEnd = near[lineEnd.lowerBound...].firstRange(of: Array("\r\n\r\n".utf8)),
        let end = Self.place(of: lineMark, in: body, from: headEnd.upperBound - 2)
      else { throw .badRequest("the form ends within a field, or a field's head is too long") }
      let head = String(decoding: near[lineEnd.lowerBound..<headEnd.lowerBound], as: UTF8.self)
      guard let name = Self.name(in: head) else { throw .badRequest("the form has a field without a name") }
      // A value may be empty: the line's end that closes the head is then the mark's.
      fields.append((name, headEnd.upperBound..<max(headEnd.upperBound, end.lowerBound)))
      position = end.upperBound
    }
    self.fields = fields
  }

  /// The range of a field's value in the body; nil without a field of that name.
  ///
  /// - Throws: `Refusal.badRequest` where there are several.
  package func place(of name: String) throws(Refusal) -> Range<Int>? {
    let found = fields.filter { $0.name == name }
    guard found.count <= 1 else { throw .badRequest("the form says \(name) twice") }
    return found.first?.place
  }

  /// A field's value as a text; nil where there is none.
  ///
  /// - Throws: `Refusal.badRequest` for a value that is not text, or longer than a number or a token.
  package func text(_ name: String) throws(Refusal) -> String? {
    guard let place = try place(of: name) else { return nil }
    guard place.count <= Self.mostHeadBytes, let text = String(validating: body[place], as: UTF8.self) else {
      throw .badRequest("the form's \(name) is too long, or not text")
    }
    return text
  }

  /// Where a mark lies first, from `start` on: a few instructions per byte, since bodies are long and read before it is known
  /// whose they are.
  private static func place(of mark: [UInt8], in body: [UInt8], from start: Int) -> Range<Int>? {
    var position = start
    while position <= body.count - mark.count {
      if body[position] == mark[0], body[position + 1] == mark[1],
        body[position..<position + mark.count].elementsEqual(mark)
      {
        return position..<position + mark.count
      }
      position += 1
    }
    return nil
  }

  private static func boundary(in type: String) -> String? {
    let parts = type.split(separator: ";").map { part in
      let ended = part.reversed().drop { $0 == " " }
      return Substring(String(ended.reversed().drop { $0 == " " }))
    }
    guard parts.first?.lowercased() == "multipart/form-data",
      let given = parts.first(where: { $0.lowercased().hasPrefix("boundary=") })?.dropFirst(9)
    else { return nil }
    let boundary =
      given.count >= 2 && given.first == "\"" && given.last == "\"" ? given.dropFirst().dropLast() : given
    return (1...longestBoundary).contains(boundary.utf8.count)
      && boundary.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) ? String(boundary) : nil
  }

  /// The name in a field's head.
  private static func name(in head: String) -> String? {
    for line in head.split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-disposition" else { continue }
      for part in parts[1].split(separator: ";").map({ $0.drop { $0 == " " } }) where part.hasPrefix("name=")
      {
        let name = part.dropFirst(5)
        return String(
          name.first == "\"" && name.last == "\"" && name.count >= 2 ? name.dropFirst().dropLast() : name)
      }
    }
    return nil
  }
}
