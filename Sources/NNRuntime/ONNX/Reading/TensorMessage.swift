import FileFormats

/// `TensorProto`: type, shape, and where the elements lie.
package struct TensorMessage: Sendable {
  package var name = ""
  package var type = 0
  package var shape: [Int64] = []
  /// Elements as they lie in memory, little-endian.
  var raw: FileBytes?
  /// Elements of the typed fields.
  var floats: [Float] = []
  var ints: [Int64] = []
  var doubles: [Double] = []
  var strings: [[UInt8]] = []
  /// `location`, `offset`, `length` of a file beside the model.
  var external: [(key: String, value: String)] = []
  var isExternal = false

  package init(_ bytes: FileBytes) throws { try self.init(WireReader(bytes)) }

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: try field.appendIntegers(to: &shape)
      case 2: type = Int(try field.signed)
      case 3: throw ONNXError.unsupported("a tensor in segments")
      case 4: try field.appendFloats(to: &floats)
      case 5, 7, 11: try field.appendIntegers(to: &ints)
      case 6: strings.append(try field.bytes.array())
      case 8: name = try field.text
      case 9: raw = try field.bytes
      case 10: try field.appendDoubles(to: &doubles)
      case 13: external.append(try pair(WireReader(field)))
      case 14: isExternal = try field.signed == 1
      default: break
      }
    }
  }
}

/// `SparseTensorProto`: values and where they are.
package struct SparseTensorMessage: Sendable {
  package var values: TensorMessage?
  package var indices: TensorMessage?
  package var shape: [Int64] = []

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: values = try TensorMessage(WireReader(field))
      case 2: indices = try TensorMessage(WireReader(field))
      case 3: try field.appendIntegers(to: &shape)
      default: break
      }
    }
  }
}
