import FileFormats

/// Values as ONNX's test data has them.
extension Value {
  /// `TensorProto`, `SequenceProto` or `OptionalProto`.
  package func encoded(name: String) -> [UInt8] {
    var writer = WireWriter()
    write(to: &writer, name: name)
    return writer.bytes
  }

  /// The number of the field that holds it, and of its kind.
  private var kind: (field: Int, number: Int) {
    switch self {
    case .tensor: (3, 1)
    case .sequence: (5, 3)
    case .optional: (7, 5)
    }
  }

  private func write(to writer: inout WireWriter, name: String) {
    switch self {
    case .tensor(let tensor): tensor.write(to: &writer, name: name)
    case .sequence(let values):
      writer.text(1, name)
      // An empty sequence is one of tensors.
      writer.integer(2, values.first?.kind.number ?? 1)
      for value in values { writer.bytes(value.kind.field, value.encoded(name: "")) }
    case .optional(let value):
      writer.text(1, name)
      writer.integer(2, value?.kind.number ?? 0)
      if let value { writer.bytes(value.kind.field, value.encoded(name: "")) }
    }
  }
}

extension Tensor {
  fileprivate func write(to writer: inout WireWriter, name: String) {
    for size in shape { writer.integer(1, size) }
    writer.integer(2, type.rawValue)
    if type == .string {
      for text in array(of: String.self) { writer.bytes(6, Array(text.utf8)) }
    }
    writer.text(8, name)
    if type != .string { writer.bytes(9, type.bits < 8 ? packed : bytes) }
  }

  /// Elements of 2 or 4 bits, the first in the lowest bits.
  private var packed: [UInt8] {
    let perByte = 8 / type.bits
    var result = [UInt8](repeating: 0, count: (count + perByte - 1) / perByte)
    for (index, bits) in bytes.enumerated() {
      result[index / perByte] |= bits << UInt8(index % perByte * type.bits)
    }
    return result
  }
}

/// Fields of a protocol-buffer message.
private struct WireWriter {
  private(set) var bytes: [UInt8] = []

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func integer(_ field: Int, _ value: Int) {
    varint(UInt64(field << 3))
    varint(UInt64(bitPattern: Int64(value)))
  }

  mutating func bytes(_ field: Int, _ value: [UInt8]) {
    varint(UInt64(field << 3 | 2))
    varint(UInt64(value.count))
    bytes += value
  }

  mutating func text(_ field: Int, _ value: String) { if !value.isEmpty { bytes(field, Array(value.utf8)) } }
}
