import FileFormats

/// How text files of captures begin.
enum TextFile {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The bytes without the byte-order mark that editors put before them.
  static func contents(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
  }

  /// The same as text.
  static func text(_ bytes: [UInt8]) -> String { String(decoding: contents(bytes), as: UTF8.self) }
}

/// One line of a text file of numbers and names.
struct TextRow: Sendable {
  let file: String
  /// Counted from 1.
  let line: Int
  let fields: [String]

  /// The finite numbers of all fields from `start` on, which must be as many as `expected` names.
  func numbers(from start: Int = 0, count: Int, expected: String) throws(CaptureError) -> [Double] {
    guard fields.count == start + count else { throw bad(expected) }
    return try numbers(at: start..<start + count, expected: expected)
  }

  /// The finite numbers of some fields.
  func numbers(at positions: some Sequence<Int>, expected: String) throws(CaptureError) -> [Double] {
    var numbers: [Double] = []
    for position in positions {
      guard position < fields.count, let number = Double(fields[position]), number.isFinite else {
        throw bad(expected)
      }
      numbers.append(number)
    }
    return numbers
  }

  /// The numbers of all fields, a row of a trajectory, in which lost poses may be none (NaN) or infinite.
  ///
  /// - Throws: Where the fields are not numbers, or not as many as `expected` names.
  func poseNumbers(count: Int, expected: String) throws(CaptureError) -> [Double] {
    let numbers = fields.compactMap { Double($0) }
    guard numbers.count == fields.count, numbers.count == count else { throw bad(expected) }
    return numbers
  }

  /// The defect of a lost pose.
  var lostPose: CaptureError {
    .badPose(file: "\(file), line \(line)", reason: "contains NaN or infinity")
  }

  func bad(_ expected: String) -> CaptureError { .badLine(file: file, line: line, expected: expected) }
}

/// The separator of a line's fields.
enum TextSeparator {
  case blanks
  case commas

  func separates(_ byte: UInt8) -> Bool {
    switch self {
    case .blanks: Self.isBlank(byte)
    case .commas: byte == UInt8(ascii: ",")
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

extension CaptureFolder {
  /// The lines of a text file, without empty ones and those that start with `#`.
  ///
  /// - `limit`: The most bytes; nil for an index file's.
  /// - `namedBy`: The file that mentions it, for messages.
  func rows(
    _ name: String, separatedBy separator: TextSeparator, namedBy file: String, limit: Int? = nil
  ) throws(CaptureError) -> [TextRow] {
    let full = try location(of: name, namedBy: file, limit: limit ?? limits.indexBytes)
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.contents(of: full)
    } catch {
      throw CaptureError(error, of: name)
    }
    var rows: [TextRow] = []
    var rest = TextFile.contents(bytes)
    var number = 0
    var cost = 0
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest.dropFirst(line.count + 1)
      number += 1
      guard let first = line.first(where: { !TextSeparator.isBlank($0) }), first != UInt8(ascii: "#") else {
        continue
      }
      // Counted first: fields that are cut out take many times the memory of the line.
      let count = line.count(where: separator.separates) + 1
      guard count <= Self.mostSeparators else {
        throw .malformed(file: name, reason: "line \(number) holds more fields than any recording has")
      }
      let fields = line.split(omittingEmptySubsequences: separator == .blanks) { separator.separates($0) }
      cost += Self.rowCost + fields.count
      guard cost <= limits.indexFields else {
        throw .malformed(file: name, reason: "holds more lines than any recording has")
      }
      rows.append(TextRow(file: name, line: number, fields: fields.map(Self.trimmed)))
    }
    return rows
  }

  /// Fields that take as much memory as a line.
  private static let rowCost = 7
  /// Most separators in a line; blanks may come in long rows.
  private static let mostSeparators = 1000

  /// The text between surrounding blanks.
  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    guard let first = bytes.firstIndex(where: { !TextSeparator.isBlank($0) }),
      let last = bytes.lastIndex(where: { !TextSeparator.isBlank($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
