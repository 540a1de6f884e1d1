import FileFormats

/// Elements to and from their bytes, little-endian as they travel and as they lie in memory here.
///
/// Unsafe where arrays are filled and read as bytes.
enum TensorBytes {
  /// The elements that the bytes make; a remainder is left out.
  static func elements<Element: BitwiseCopyable>(_ bytes: ArraySlice<UInt8>, of type: Element.Type)
    -> [Element]
  {
    unsafe bytes.withUnsafeBytes { source in
      let size = MemoryLayout<Element>.size
      let count = source.count / size
      return unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
        unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[..<(count * size)]))
        initialized = count
      }
    }
  }

  /// Appends the elements' bytes.
  static func append<Element: BitwiseCopyable>(_ elements: [Element], to bytes: inout [UInt8]) {
    unsafe elements.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// The elements of a datatype; `count` says how many there must be of `BYTES`.
  ///
  /// - Throws: `ProtocolError.malformedBytes`, `.elementCount`; `.element` for what is neither 0 nor 1 in `BOOL`, and beyond 63 bits in `UINT64`.
  static func elements(
    _ bytes: ArraySlice<UInt8>, datatype: Datatype, count: Int, tensor: String
  ) throws(ProtocolError) -> ProtocolTensor.Elements {
    switch datatype {
    case .bool:
      if let index = bytes.firstIndex(where: { $0 > 1 }) {
        throw .element(tensor: tensor, index: index - bytes.startIndex, datatype: .bool)
      }
      return .octets(Array(bytes))
    case .uint8: return .octets(Array(bytes))
    case .int8: return .integers(bytes.map { Int(Int8(bitPattern: $0)) })
    case .uint16: return .integers(elements(bytes, of: UInt16.self).map(Int.init))
    case .int16: return .integers(elements(bytes, of: Int16.self).map(Int.init))
    case .uint32: return .integers(elements(bytes, of: UInt32.self).map(Int.init))
    case .int32: return .integers(elements(bytes, of: Int32.self).map(Int.init))
    case .int64: return .integers(elements(bytes, of: Int.self))
    case .uint64:
      let numbers = elements(bytes, of: Int.self)
      if let index = numbers.firstIndex(where: { $0 < 0 }) {
        throw .element(tensor: tensor, index: index, datatype: .uint64)
      }
      return .integers(numbers)
    case .float16:
      return .floats(HalfPrecision.floats(fromBinary16: elements(bytes, of: UInt16.self).span))
    case .bf16:
      return .floats(HalfPrecision.floats(fromBFloat16: elements(bytes, of: UInt16.self).span))
    case .float32: return .floats(elements(bytes, of: Float.self))
    case .float64: return .doubles(elements(bytes, of: Double.self))
    case .bytes: return .texts(try texts(bytes, count: count, tensor: tensor))
    }
  }

  /// Elements of `BYTES`: four bytes of length before each.
  private static func texts(
    _ bytes: ArraySlice<UInt8>, count: Int, tensor: String
  ) throws(ProtocolError) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    var rest = bytes
    while !rest.isEmpty {
      guard texts.count < count else {
        throw .elementCount(tensor: tensor, found: count + 1, expected: count)
      }
      guard rest.count >= 4 else { throw .malformedBytes(tensor: tensor) }
      let length = Int(littleEndianBytes: rest.prefix(4))
      rest = rest.dropFirst(4)
      guard rest.count >= length else { throw .malformedBytes(tensor: tensor) }
      texts.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    guard texts.count == count else {
      throw .elementCount(tensor: tensor, found: texts.count, expected: count)
    }
    return texts
  }

  /// Appends a tensor's bytes in the protocol's format.
  static func append(_ tensor: ProtocolTensor, to bytes: inout [UInt8]) {
    switch tensor.elements {
    case .floats(let elements):
      switch tensor.datatype {
      case .float16: append(elements.map(HalfPrecision.binary16), to: &bytes)
      case .bf16: append(elements.map { UInt16(truncatingIfNeeded: $0.bitPattern >> 16) }, to: &bytes)
      case .bool, .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64, .float32, .float64,
        .bytes:
        append(elements, to: &bytes)
      }
    case .doubles(let elements): append(elements, to: &bytes)
    case .octets(let elements): bytes += elements
    case .integers(let elements):
      switch tensor.datatype.size {
      case 1: bytes += elements.map { UInt8(truncatingIfNeeded: $0) }
      case 2: append(elements.map { UInt16(truncatingIfNeeded: $0) }, to: &bytes)
      case 4: append(elements.map { UInt32(truncatingIfNeeded: $0) }, to: &bytes)
      default: append(elements, to: &bytes)
      }
    case .texts(let elements):
      for element in elements {
        append([UInt32(truncatingIfNeeded: element.count)], to: &bytes)
        bytes += element
      }
    }
  }

  /// Bytes that `append` adds.
  static func count(_ tensor: ProtocolTensor) -> Int {
    switch tensor.elements {
    case .texts(let elements): elements.reduce(0) { $0 + 4 + $1.count }
    case .floats, .doubles, .octets, .integers: tensor.shape.reduce(1, *) * (tensor.datatype.size ?? 0)
    }
  }
}
