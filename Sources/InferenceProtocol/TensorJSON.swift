import FileFormats
import FoundationEssentials

/// Elements to and from JSON.
enum TensorJSON {
  /// The elements of a list, or of lists in lists, in their order.
  ///
  /// - `isBase64`: whether texts of `BYTES` stand for bytes so.
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
          value.bool.map { $0 ? 1 : 0 } ?? value.integer.flatMap { (0...1).contains($0) ? UInt8($0) : nil }
        })
    case .uint8:
      return .octets(try mapped(values, datatype, tensor) { $0.integer.flatMap(UInt8.init(exactly:)) })
    case .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64:
      let range = range(of: datatype)
      return .integers(
        try mapped(values, datatype, tensor) { $0.integer.flatMap { range.contains($0) ? $0 : nil } })
    case .float16, .bf16, .float32:
      return .floats(try mapped(values, datatype, tensor) { $0.number.map { Float($0) } })
    case .float64: return .doubles(try mapped(values, datatype, tensor, \.number))
    case .bytes:
      return .texts(
        try mapped(values, datatype, tensor) { value in
          guard isBase64 else { return value.string.map { Array($0.utf8) } }
          return value.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        })
    }
  }

  private static func range(of datatype: Datatype) -> ClosedRange<Int> {
    switch datatype {
    case .uint16: 0...Int(UInt16.max)
    case .uint32: 0...Int(UInt32.max)
    case .uint64: 0...Int.max
    case .int8: Int(Int8.min)...Int(Int8.max)
    case .int16: Int(Int16.min)...Int(Int16.max)
    case .int32: Int(Int32.min)...Int(Int32.max)
    default: Int.min...Int.max
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
