/// The header of a `.npy` file: a Python dictionary literal with exactly three entries.
package struct NPYHeader {
  static let signature: [UInt8] = [0x93] + Array("NUMPY".utf8)
  package static let maximumLength = 10_000
  static let maximumRank = 8

  let type: NPYType
  let isBigEndian: Bool
  let isFortranOrder: Bool
  let shape: [Int]
  let dataOffset: Int

  init(_ file: FileBytes) throws(NPYError) {
    let start = file.slice(0..<min(file.count, 12)).array()
    guard start.starts(with: Self.signature) else { throw .notNPY }
    guard start.count >= 10 else { throw .truncatedHeader(bytes: file.count, needed: 10) }
    let length: Int
    let prefix: Int
    switch (start[6], start[7]) {
    case (1, 0):
      prefix = 10
      length = Int(littleEndianBytes: start[8..<10])
    case (2, 0), (3, 0):
      prefix = 12
      guard start.count == 12 else { throw .truncatedHeader(bytes: file.count, needed: 12) }
      length = Int(littleEndianBytes: start[8..<12])
    default: throw .unsupportedVersion(major: start[6], minor: start[7])
    }
    guard length <= Self.maximumLength else { throw .headerTooLong(bytes: length) }
    guard prefix + length <= file.count else {
      throw .truncatedHeader(bytes: file.count, needed: prefix + length)
    }
    dataOffset = prefix + length
    var literal = NPYHeaderLiteral(file.slice(prefix..<dataOffset).array())
    let entries = try literal.parse()
    (type, isBigEndian) = try Self.elementType(entries.description)
    isFortranOrder = entries.isFortranOrder
    shape = entries.shape
    guard shape.count <= Self.maximumRank else { throw .tooManyDimensions(shape.count) }
  }

  private static func elementType(
    _ description: String
  ) throws(NPYError) -> (type: NPYType, isBigEndian: Bool) {
    guard let order = description.first else { throw .unsupportedType("''") }
    let name = description.dropFirst()
    guard !name.hasPrefix("O") && order != "O" else { throw .pickledObjects }
    guard "<>|=".contains(order), let type = NPYType(rawValue: String(name)),
      order != "|" || type.size == 1
    else { throw .unsupportedType("'\(description)'") }
    return (type, order == ">")
  }

  /// The number of elements, once the data is known to hold exactly that many.
  func checkedCount(dataBytes: Int) throws(NPYError) -> Int {
    var bytes = type.size
    for extent in shape {
      let (product, overflow) = bytes.multipliedReportingOverflow(by: extent)
      guard !overflow else { throw .shapeOverflows(shape) }
      bytes = product
    }
    guard bytes == dataBytes else { throw .wrongDataSize(bytes: dataBytes, needed: bytes) }
    return bytes / type.size
  }
}

/// A parser for the one kind of dictionary literal that NumPy writes.
private struct NPYHeaderLiteral {
  typealias Entries = (description: String, isFortranOrder: Bool, shape: [Int])

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() { while next == 0x20 || next == 0x0a { position += 1 } }

  private mutating func accept(_ character: Character) -> Bool {
    skipSpace()
    guard next == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Character) throws(NPYError) {
    guard accept(character) else { throw .malformedHeader("'\(character)' expected at byte \(position)") }
  }

  mutating func parse() throws(NPYError) -> Entries {
    var description: String?
    var isFortranOrder: Bool?
    var shape: [Int]?
    try expect("{")
    while !accept("}") {
      let key = try string()
      try expect(":")
      switch key {
      case "descr" where description == nil:
        skipSpace()
        guard next != UInt8(ascii: "[") else { throw .unsupportedType("with named fields") }
        description = try string()
      case "fortran_order" where isFortranOrder == nil: isFortranOrder = try boolean()
      case "shape" where shape == nil: shape = try tuple()
      case "descr", "fortran_order", "shape": throw .malformedHeader("'\(key)' given twice")
      default: throw .malformedHeader("unknown entry '\(key)'")
      }
      if !accept(",") {
        try expect("}")
        break
      }
    }
    skipSpace()
    guard position == bytes.count else { throw .malformedHeader("text after the dictionary") }
    guard let description else { throw .malformedHeader("'descr' is missing") }
    guard let isFortranOrder else { throw .malformedHeader("'fortran_order' is missing") }
    guard let shape else { throw .malformedHeader("'shape' is missing") }
    return (description, isFortranOrder, shape)
  }

  private mutating func string() throws(NPYError) -> String {
    skipSpace()
    guard let quote = next, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      throw .malformedHeader("a quoted name expected at byte \(position)")
    }
    position += 1
    let start = position
    while let byte = next, byte != quote {
      guard (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") else {
        throw .malformedHeader("unexpected byte \(byte) at byte \(position)")
      }
      position += 1
    }
    guard next == quote else { throw .malformedHeader("a quoted name does not end") }
    position += 1
    return String(decoding: bytes[start..<position - 1], as: UTF8.self)
  }

  private mutating func boolean() throws(NPYError) -> Bool {
    skipSpace()
    for (word, value) in [("True", true), ("False", false)] where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw .malformedHeader("True or False expected at byte \(position)")
  }

  private mutating func tuple() throws(NPYError) -> [Int] {
    var shape: [Int] = []
    try expect("(")
    while !accept(")") {
      skipSpace()
      let start = position
      while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
      let text = String(decoding: bytes[start..<position], as: UTF8.self)
      guard let extent = integer(of: text, in: 0...Int.max) else {
        throw .malformedHeader("a dimension expected at byte \(start)")
      }
      shape.append(extent)
      if !accept(",") {
        try expect(")")
        break
      }
    }
    return shape
  }
}
