/// A JSON document as a value.
///
/// Whole numbers written without fraction or exponent are `integer`; all others are `number`.
package enum JSONValue: Sendable, Equatable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number written without fraction and exponent that fits 64 bits.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Named values; names are unique by their bytes.
  case object(NameTable<JSONValue>)

  /// An object of names of our own.
  package static func object(_ members: [String: JSONValue]) -> JSONValue {
    var table = NameTable<JSONValue>()
    for (name, value) in members { table[name] = value }
    return .object(table)
  }

  /// Whether both are the same value: texts by their bytes, whole numbers not as `number`.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.isSameName(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  /// The value under `key` of an object, nil for other values and missing keys.
  package subscript(key: String) -> JSONValue? { object?[key] }

  /// The element at `index` of an array, nil for other values and out of range.
  package subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// The text of a string.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The value of a number, whole or not.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The value of a whole number; a `number` such as 2.0 counts when it is exact.
  package var integer: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// An integer of any size; arithmetic on it does not end the process.
  package var wholeNumber: CheckedInt? {
    switch self {
    case .integer(let value): CheckedInt(value)
    case .number(let value): Int(exactly: value).map { CheckedInt($0) }
    default: nil
    }
  }

  /// A whole number that `range` has, 2.0 for 2 too; nil for any other value.
  package func integer(in range: ClosedRange<Int>) -> Int? { wholeNumber?.within(range) }

  /// A list of whole numbers that `range` has, and of nothing else.
  package func integers(in range: ClosedRange<Int>) -> [Int]? {
    guard let array else { return nil }
    let integers = array.compactMap { $0.integer(in: range) }
    return integers.count == array.count ? integers : nil
  }

  /// The truth value of a boolean.
  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The elements of an array.
  package var array: [JSONValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The members of an object.
  package var object: NameTable<JSONValue>? {
    guard case .object(let value) = self else { return nil }
    return value
  }

  /// Whether this is the literal `null`.
  package var isNull: Bool { self == .null }

  /// The elements of an array made of numbers only.
  package var numbers: [Double]? {
    guard let array else { return nil }
    let numbers = array.compactMap(\.number)
    return numbers.count == array.count ? numbers : nil
  }

  /// A number rounded half away from zero to `decimals` places, for output with fixed formatting.
  package static func rounded(_ value: Double, decimals: Int) -> JSONValue {
    guard value.isFinite else { return .null }
    var power = 1.0
    for _ in 0..<decimals { power *= 10 }
    let scaled = (value * power).rounded(.toNearestOrAwayFromZero)
    return .number(scaled.isFinite ? scaled / power : value)
  }

  /// As `rounded`; null for nil.
  package static func rounded(_ value: Double?, decimals: Int) -> JSONValue {
    value.map { .rounded($0, decimals: decimals) } ?? .null
  }

  /// The number that a reader of `rounded` finds; one that is not finite, itself.
  package static func asWritten(_ value: Double, decimals: Int) -> Double {
    rounded(value, decimals: decimals).number ?? value
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  /// A text.
  package init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  package init(integerLiteral value: Int) { self = .integer(value) }
  /// A number.
  package init(floatLiteral value: Double) { self = .number(value) }
  /// A truth value.
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A list.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Named values; a name given twice is a programming error.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    var members = NameTable<JSONValue>()
    for (name, value) in elements {
      precondition(members.updateValue(value, forKey: name) == nil, "the name \(name) is given twice")
    }
    self = .object(members)
  }
  /// `null`.
  package init(nilLiteral: ()) { self = .null }
}
