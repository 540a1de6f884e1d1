import FileFormats

/// Limits on a pickle.
struct PickleLimits: Sendable {
  var bytes = 16 << 20
  var nodes = 200_000
  var stack = 200_000
  var marks = 1000
  var memo = 250_000
  /// Elements of all compound values together.
  var elements = 500_000
  /// Views of storages; the largest network here has 1,100, a training script keeps a few copies.
  var tensors = 20_000
  /// Bytes of a class's name: its parts may come from the memo, so that the pickle's size does not bound them.
  var nameBytes = 1000
}

/// Runs the instructions of a pickle (protocols 2 to 5) as data.
///
/// Lists, dictionaries, texts and numbers are built, the few constructors of `construct(_:_:)` are
/// understood, and every other class becomes an inert record. Nothing is imported, nothing is called.
struct PickleMachine {
  private static let mark = 0x28 as UInt8

  private let bytes: [UInt8]
  let limits: PickleLimits
  private var position = 0
  /// Where the instruction being run begins.
  private(set) var offset = 0
  private var stack: [PickleValue] = []
  private var marks: [Int] = []
  private var memo: [Int: PickleValue] = [:]
  private var elements = 0
  var tensors = 0
  var heap = PickleHeap()

  private init(_ bytes: [UInt8], limits: PickleLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The values of the pickle.
  static func run(_ bytes: [UInt8], limits: PickleLimits = PickleLimits()) throws(PickleError) -> PickleHeap {
    guard bytes.count <= limits.bytes else { throw .tooLarge(bytes: bytes.count, limit: limits.bytes) }
    var machine = PickleMachine(bytes, limits: limits)
    try machine.run()
    return machine.heap
  }

  private mutating func run() throws(PickleError) {
    guard try byte() == 0x80 else { throw .unsupportedProtocol(0) }
    let version = try byte()
    guard (2...5).contains(version) else { throw .unsupportedProtocol(version) }
    while true {
      offset = position
      let code = try byte()
      if code == UInt8(ascii: ".") { break }
      try execute(code)
      guard stack.count <= limits.stack else {
        throw .limitReached("values on its stack", limit: limits.stack)
      }
    }
    guard stack.count == 1, marks.isEmpty else { throw .unbalancedEnd }
    guard position == bytes.count else { throw .trailingBytes(offset: position) }
    heap.root = stack[0]
  }

  // MARK: - Instructions

  private mutating func execute(_ code: UInt8) throws(PickleError) {
    switch code {
    case Self.mark:
      guard marks.count < limits.marks else { throw .limitReached("nested marks", limit: limits.marks) }
      marks.append(stack.count)
    case UInt8(ascii: "0"): _ = try pop()
    case UInt8(ascii: "1"): _ = try popToMark()
    case UInt8(ascii: "2"): stack.append(try top())
    case 0x95: try checkFrame()
    case UInt8(ascii: "q"): try memorize(Int(byte()))
    case UInt8(ascii: "r"): try memorize(number(4))
    case 0x94: try memorize(memo.count)
    case UInt8(ascii: "h"): try recall(Int(byte()))
    case UInt8(ascii: "j"): try recall(number(4))
    case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "s"), UInt8(ascii: "u"), 0x90:
      try fill(code)
    case UInt8(ascii: "R"), 0x81:
      let arguments = try pop()
      stack.append(try construct(pop(), arguments))
    case 0x92:
      let keywords = try pop()
      guard heap.members(keywords) != nil else {
        throw .wrongOperand("a dictionary is needed", offset: offset)
      }
      let arguments = try pop()
      stack.append(try construct(pop(), arguments))
    case UInt8(ascii: "b"):
      let state = try pop()
      try setState(state, of: top())
    case UInt8(ascii: "Q"): stack.append(try storage(pop()))
    case UInt8(ascii: "c"), 0x93: try pushGlobal(code)
    default:
      if let value = try scalar(code) {
        stack.append(value)
      } else {
        try pushContainer(code)
      }
    }
  }

  private mutating func scalar(_ code: UInt8) throws(PickleError) -> PickleValue? {
    switch code {
    case UInt8(ascii: "N"): return PickleValue.none
    case 0x88: return .bool(true)
    case 0x89: return .bool(false)
    case UInt8(ascii: "K"): return .integer(Int(try byte()))
    case UInt8(ascii: "M"): return .integer(try number(2))
    case UInt8(ascii: "J"): return .integer(Int(Int32(truncatingIfNeeded: try number(4))))
    case 0x8a: return try long(Int(byte()))
    case 0x8b: return try long(number(4))
    case UInt8(ascii: "G"): return .number(Double(bitPattern: UInt64(bigEndianBytes: try take(8))))
    case 0x8c: return try text(Int(byte()))
    case UInt8(ascii: "X"): return try text(number(4))
    case 0x8d: return try text(number(8))
    case UInt8(ascii: "C"), UInt8(ascii: "U"): return .bytes(Array(try take(Int(byte()))))
    case UInt8(ascii: "B"), UInt8(ascii: "T"): return .bytes(Array(try take(number(4))))
    case 0x8e, 0x96: return .bytes(Array(try take(number(8))))
    default: return nil
    }
  }

  private mutating func pushContainer(_ code: UInt8) throws(PickleError) {
    let node: PickleNode
    switch code {
    case UInt8(ascii: "]"): node = PickleNode(kind: .list)
    case UInt8(ascii: "}"): node = PickleNode(kind: .dictionary)
    case UInt8(ascii: ")"): node = PickleNode(kind: .tuple)
    case 0x8f: node = PickleNode(kind: .set)
    case UInt8(ascii: "l"): node = PickleNode(kind: .list, values: try popToMark())
    case UInt8(ascii: "t"): node = PickleNode(kind: .tuple, values: try popToMark())
    case 0x91: node = PickleNode(kind: .set, values: try popToMark())
    case UInt8(ascii: "d"):
      let values = try popToMark()
      guard values.count % 2 == 0 else { throw .wrongOperand("a key has no value", offset: offset) }
      node = PickleNode(kind: .dictionary, values: values)
    case 0x85, 0x86, 0x87: node = PickleNode(kind: .tuple, values: try pop(Int(code) - 0x84))
    default: throw .unsupportedInstruction(code, offset: offset)
    }
    stack.append(try allocate(node))
  }

  /// Adds elements to the compound value below them.
  private mutating func fill(_ code: UInt8) throws(PickleError) {
    let values: [PickleValue] =
      switch code {
      case UInt8(ascii: "a"): try pop(1)
      case UInt8(ascii: "s"): try pop(2)
      default: try popToMark()
      }
    let isDictionary = code == UInt8(ascii: "s") || code == UInt8(ascii: "u")
    guard case .compound(let index) = try top() else {
      throw .wrongOperand("elements are added to a plain value", offset: offset)
    }
    switch (heap.nodes[index].kind, isDictionary) {
    case (.dictionary, true):
      guard values.count % 2 == 0 else { throw .wrongOperand("a key has no value", offset: offset) }
    case (.list, false) where code != 0x90, (.set, false) where code == 0x90: break
    // The elements of a collection class that means nothing here are of no use.
    case (.record, _): return
    default: throw .wrongOperand("elements are added to a value of another kind", offset: offset)
    }
    try count(values.count)
    heap.nodes[index].values += values
  }

  private mutating func setState(_ state: PickleValue, of object: PickleValue) throws(PickleError) {
    guard case .compound(let index) = object else {
      throw .wrongOperand("a plain value is given a state", offset: offset)
    }
    switch heap.nodes[index].kind {
    case .record: heap.nodes[index].state = state
    // Attributes set on an ordered dictionary or a tensor carry no weights.
    case .dictionary, .tensor: break
    default: throw .wrongOperand("a value that has no state is given one", offset: offset)
    }
  }

  private mutating func pushGlobal(_ code: UInt8) throws(PickleError) {
    let name: String
    if code == 0x93 {
      let parts = try pop(2)
      guard case .text(let module) = parts[0], case .text(let symbol) = parts[1] else {
        throw .wrongOperand("a class is not named by texts", offset: offset)
      }
      guard module.utf8.count + symbol.utf8.count <= limits.nameBytes else {
        throw .limitReached("bytes in the name of a class", limit: limits.nameBytes)
      }
      name = "\(module).\(symbol)"
    } else {
      name = "\(try line()).\(try line())"
    }
    stack.append(try allocate(PickleNode(kind: .global(name))))
  }

  private mutating func memorize(_ index: Int) throws(PickleError) {
    guard memo.count < limits.memo else { throw .limitReached("memo entries", limit: limits.memo) }
    memo[index] = try top()
  }

  private mutating func recall(_ index: Int) throws(PickleError) {
    guard let value = memo[index] else { throw .unknownMemo(index, offset: offset) }
    stack.append(value)
  }

  // MARK: - Values

  /// Gives a node its place, within the limits.
  mutating func allocate(_ node: PickleNode) throws(PickleError) -> PickleValue {
    guard heap.nodes.count < limits.nodes else {
      throw .limitReached("compound values", limit: limits.nodes)
    }
    try count(node.values.count)
    heap.nodes.append(node)
    return .compound(heap.nodes.count - 1)
  }

  private mutating func count(_ added: Int) throws(PickleError) {
    elements += added
    guard elements <= limits.elements else { throw .limitReached("elements", limit: limits.elements) }
  }

  /// The lowest stack position that instructions may take from.
  private var floor: Int { marks.last ?? 0 }

  private func top() throws(PickleError) -> PickleValue {
    guard stack.count > floor, let value = stack.last else { throw .stackUnderflow(offset: offset) }
    return value
  }

  private mutating func pop() throws(PickleError) -> PickleValue {
    let value = try top()
    stack.removeLast()
    return value
  }

  private mutating func pop(_ count: Int) throws(PickleError) -> [PickleValue] {
    guard stack.count - floor >= count else { throw .stackUnderflow(offset: offset) }
    defer { stack.removeLast(count) }
    return Array(stack.suffix(count))
  }

  private mutating func popToMark() throws(PickleError) -> [PickleValue] {
    guard let start = marks.popLast() else { throw .missingMark(offset: offset) }
    defer { stack.removeSubrange(start...) }
    return Array(stack[start...])
  }

  // MARK: - Bytes

  private mutating func byte() throws(PickleError) -> UInt8 {
    guard position < bytes.count else { throw .unexpectedEnd(offset: position) }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func take(_ count: Int) throws(PickleError) -> ArraySlice<UInt8> {
    guard count >= 0 else { throw .invalidLength(offset: offset) }
    guard count <= bytes.count - position else { throw .unexpectedEnd(offset: bytes.count) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A little-endian whole number of `width` bytes; negative only for 8 bytes with the top bit set.
  private mutating func number(_ width: Int) throws(PickleError) -> Int {
    Int(truncatingIfNeeded: UInt64(littleEndianBytes: try take(width)))
  }

  private mutating func long(_ count: Int) throws(PickleError) -> PickleValue {
    let digits = try take(count)
    guard count <= 8 else { return .hugeInteger }
    let isNegative = (digits.last ?? 0) & 0x80 != 0
    return .integer(
      Int(truncatingIfNeeded: digits.reversed().reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }))
  }

  private mutating func text(_ count: Int) throws(PickleError) -> PickleValue {
    guard let text = String(validating: try take(count), as: UTF8.self) else {
      throw .invalidText(offset: offset)
    }
    return .text(text)
  }

  private mutating func line() throws(PickleError) -> String {
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else {
      throw .unexpectedEnd(offset: bytes.count)
    }
    defer { position = end + 1 }
    guard let line = String(validating: bytes[position..<end], as: UTF8.self) else {
      throw .invalidText(offset: offset)
    }
    return line
  }

  /// Frames only help streaming; their length must still fit.
  private mutating func checkFrame() throws(PickleError) {
    let length = try number(8)
    guard length >= 0, length <= bytes.count - position else { throw .invalidLength(offset: offset) }
  }
}
