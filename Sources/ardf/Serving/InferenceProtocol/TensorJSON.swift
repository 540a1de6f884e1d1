import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Elements to and from JSON.
enum TensorJSON {
  /// The elements of a list, or of lists in lists, in their order.
  ///
  /// - `isBase64`: whether texts of `BYTES` are base64.
  static func elements(
    _ data: [JSONValue], datatype: Datatype, count: Int, tensor: String, isBase64: Bool
  ) throws(ProtocolError) -> ProtocolTensor.Elements {
    var flat = Flattened(count: count)
    try flat.add(data, tensor: tensor)
    guard flat.values.count == count else {
      throw .elementCount(tensor: tensor, found: flat.values.count, expected: count)
    }
    let values = flat.values
    switch datatype {
    case .bool:
      return .octets(
        try mapped(values, datatype, tensor) { value in
          value.bool.map { $0 ? 1 : 0 } ?? value.integer(in: 0...1).map { UInt8($0) }
        })
    case .uint8:
      return .octets(try mapped(values, datatype, tensor) { $0.integer(in: 0...255).map { UInt8($0) } })
    case .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64:
      let range = datatype.integers
      return .integers(
        try mapped(values, datatype, tensor) { $0.integer(in: range) })
    case .float16, .bf16, .float32:
      return .floats(try mapped(values, datatype, tensor) { $0.number.flatMap(datatype.single) })
    case .float64:
      return .doubles(
        try mapped(values, datatype, tensor) { $0.number.flatMap { $0.isFinite ? $0 : nil } })
    case .bytes:
      return .texts(
        try mapped(values, datatype, tensor) { value in
          guard isBase64 else { return value.string.map { Array($0.utf8) } }
          return value.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        })
    }
  }

  private static func mapped<Element>(
    _ values: [JSONValue], _ datatype: Datatype, _ tensor: String, _ element: (JSONValue) -> Element?
  ) throws(ProtocolError) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      guard let element = element(value) else {
        throw .element(tensor: tensor, index: index, datatype: datatype)
      }
      elements.append(element)
    }
    return elements
  }

  /// Lists in lists as one.
  private struct Flattened {
    let count: Int
    var values: [JSONValue] = []

    mutating func add(_ data: [JSONValue], tensor: String) throws(ProtocolError) {
      for value in data {
        if case .array(let inner) = value { try add(inner, tensor: tensor) } else { values.append(value) }
        guard values.count <= count else {
          throw .elementCount(tensor: tensor, found: values.count, expected: count)
        }
      }
    }
  }

  /// Most bytes that `append` adds.
  static func mostBytes(_ tensor: ProtocolTensor) -> Int {
    // With the comma after each, and the two brackets.
    switch tensor.elements {
    case .floats(let elements): 2 + elements.count * 17
    case .doubles(let elements): 2 + elements.count * 25
    case .octets(let elements): 2 + elements.count * (tensor.datatype == .bool ? 6 : 4)
    case .integers(let elements): 2 + elements.count * 21
    // A byte that needs an escape, or is no UTF-8, takes six.
    case .texts(let elements): elements.reduce(2) { $0 + 3 + 6 * $1.count }
    }
  }

  /// Appends a tensor's elements as a list; numbers that JSON lacks become null.
  static func append(_ tensor: ProtocolTensor, to text: inout [UInt8]) {
    switch tensor.elements {
    case .floats(let elements): append(elements, to: &text) { $0.isFinite ? $0.description : "null" }
    case .doubles(let elements): append(elements, to: &text) { $0.isFinite ? $0.description : "null" }
    case .octets(let elements):
      append(elements, to: &text) { tensor.datatype == .bool ? ($0 == 0 ? "false" : "true") : $0.description }
    case .integers(let elements): append(elements, to: &text, \.description)
    case .texts(let elements):
      append(elements, to: &text) { JSONValue.string(String(decoding: $0, as: UTF8.self)).serialized() }
    }
  }

  private static func append<Element>(
    _ elements: [Element], to text: inout [UInt8], _ one: (Element) -> String
  ) {
    text.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += one(element).utf8
    }
    text.append(UInt8(ascii: "]"))
  }
}
