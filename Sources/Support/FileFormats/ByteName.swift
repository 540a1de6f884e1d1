/// A name from outside (of a file, a tensor, a key, a class), equal, ordered and hashed by its UTF-8 bytes.
///
/// `String` compares by canonical equivalence: two files whose names differ in Unicode's normal form alone would be one.
package struct ByteName: Hashable, Comparable, Sendable {
  /// The name.
  package let text: String

  /// A name of those bytes.
  package init(_ text: String) { self.text = text }

  package static func == (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var word: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      count += 1
      if count.isMultiple(of: 8) {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(count)
  }
}

/// Values by names from outside, distinguished by their bytes; its elements are in no order.
package struct NameTable<Value>: Sequence, ExpressibleByDictionaryLiteral {
  private var table: [ByteName: Value] = [:]

  /// Nothing yet.
  package init() {}

  /// The first value of each name.
  package init(_ pairs: some Sequence<(String, Value)>) {
    for (name, value) in pairs where self[name] == nil { self[name] = value }
  }

  /// A name given twice is a programming error.
  package init(dictionaryLiteral elements: (String, Value)...) {
    for (name, value) in elements {
      precondition(updateValue(value, forKey: name) == nil, "the name \(name) is given twice")
    }
  }

  /// The number of names.
  package var count: Int { table.count }
  package var isEmpty: Bool { table.isEmpty }

  /// The values in the order of their names.
  package var values: [Value] { keys.compactMap { self[$0] } }
  /// The names by their bytes.
  package var keys: [String] { table.keys.sorted().map(\.text) }

  package subscript(name: String) -> Value? {
    get { table[ByteName(name)] }
    set { table[ByteName(name)] = newValue }
  }

  package subscript(name: String, default value: @autoclosure () -> Value) -> Value {
    get { table[ByteName(name), default: value()] }
    set { table[ByteName(name)] = newValue }
    _modify { yield &table[ByteName(name), default: value()] }
  }

  /// Sets a value; returns the one that it replaces.
  @discardableResult
  package mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
    table.updateValue(value, forKey: ByteName(name))
  }

  /// Takes a value out.
  @discardableResult
  package mutating func removeValue(forKey name: String) -> Value? {
    table.removeValue(forKey: ByteName(name))
  }

  package func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> NameTable<Other> {
    var result = NameTable<Other>()
    for (name, value) in table { result.table[name] = try transform(value) }
    return result
  }

  package func compactMapValues<Other>(_ transform: (Value) throws -> Other?) rethrows -> NameTable<Other> {
    var result = NameTable<Other>()
    for (name, value) in table {
      if let value = try transform(value) { result.table[name] = value }
    }
    return result
  }

  /// The elements of both; of a name in both, what `combine` makes of its two values.
  package func merging(
    _ other: NameTable<Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> NameTable {
    var result = self
    try result.table.merge(other.table, uniquingKeysWith: combine)
    return result
  }

  package struct Iterator: IteratorProtocol {
    fileprivate var rest: [ByteName: Value].Iterator

    package mutating func next() -> (key: String, value: Value)? {
      rest.next().map { ($0.key.text, $0.value) }
    }
  }

  package func makeIterator() -> Iterator { Iterator(rest: table.makeIterator()) }
  package var underestimatedCount: Int { table.count }
}

extension NameTable: Sendable where Value: Sendable {}
extension NameTable: Equatable where Value: Equatable {}

/// Names from outside, distinguished by their bytes.
package struct NameSet: Sendable, Equatable, ExpressibleByArrayLiteral {
  private var names: Set<ByteName>

  /// Each of some names once.
  package init(_ names: some Sequence<String>) { self.names = Set(names.map(ByteName.init)) }

  package init(arrayLiteral elements: String...) { self.init(elements) }

  /// The number of names.
  package var count: Int { names.count }
  package var isEmpty: Bool { names.isEmpty }
  /// The names by their bytes.
  package var sorted: [String] { names.sorted().map(\.text) }

  package func contains(_ name: String) -> Bool { names.contains(ByteName(name)) }

  /// Whether all of some names are in it.
  package func isSuperset(of others: some Sequence<String>) -> Bool { others.allSatisfy(contains) }

  /// Adds a name; false where it is in it already.
  @discardableResult
  package mutating func insert(_ name: String) -> Bool { names.insert(ByteName(name)).inserted }

  /// Takes a name out; false where it was not in it.
  @discardableResult
  package mutating func remove(_ name: String) -> Bool { names.remove(ByteName(name)) != nil }

  /// A name that is not in it, which is in it then: `name`, or with `-2`, `-3` and so on after it.
  package mutating func taking(_ name: String) -> String {
    var (free, number) = (name, 2)
    while !insert(free) {
      free = "\(name)-\(number)"
      number += 1
    }
    return free
  }
}

extension Sequence<String> {
  /// In the order of their UTF-8 bytes.
  package func sortedByBytes() -> [String] {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// In the order in which people count: `2.jpg` before `10.jpg`; by bytes where that does not tell.
  package func sortedNaturally() -> [String] { sorted(by: naturallyPrecedes) }
}

extension String {
  /// Whether both are the same bytes.
  package func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether it begins with some bytes.
  package func startsWithBytes(of prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

/// Whether one name comes before another where runs of digits count as whole numbers, all other bytes as themselves.
package func naturallyPrecedes(_ left: String, _ right: String) -> Bool {
  let zero = UInt8(ascii: "0")
  func isDigit(_ byte: UInt8) -> Bool { (zero...UInt8(ascii: "9")).contains(byte) }
  var (a, b) = (left.utf8[...], right.utf8[...])
  while let x = a.first, let y = b.first {
    if isDigit(x), isDigit(y) {
      let (m, n) = (a.prefix(while: isDigit), b.prefix(while: isDigit))
      let (p, q) = (m.drop { $0 == zero }, n.drop { $0 == zero })
      if p.count != q.count { return p.count < q.count }
      if !p.elementsEqual(q) { return p.lexicographicallyPrecedes(q) }
      (a, b) = (a.dropFirst(m.count), b.dropFirst(n.count))
    } else {
      if x != y { return x < y }
      (a, b) = (a.dropFirst(), b.dropFirst())
    }
  }
  if a.isEmpty != b.isEmpty { return a.isEmpty }
  return left.utf8.lexicographicallyPrecedes(right.utf8)
}
