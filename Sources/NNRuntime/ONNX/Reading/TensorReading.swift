import FileFormats

extension TensorMessage {
  /// Elements from here on stay in the mapped file; fewer are copied.
  private static let mappedCount = 256

  /// The tensor that the message describes.
  ///
  /// `files`: where external data lies; nil where there can be none.
  package func tensor(_ files: ExternalData?) throws -> Tensor {
    do {
      return try read(files)
    } catch let error as ONNXError {
      if name.isEmpty { throw error }
      switch error {
      case .malformed(let text): throw ONNXError.malformed("tensor \"\(printableName(name))\": \(text)")
      case .unsupported(let text): throw ONNXError.unsupported("tensor \"\(printableName(name))\": \(text)")
      default: throw error
      }
    }
  }

  private func read(_ files: ExternalData?) throws -> Tensor {
    let kind = try ElementType(number: type)
    let sizes = shape.map { Int($0) }
    let count = try Shape.count(sizes, most: Tensor.largest / max(kind.bits / 8, 1))
    if kind == .string {
      guard strings.count == count else { throw wrongCount(strings.count, count) }
      return Tensor(sizes, try strings.map(Self.text))
    }
    if isExternal {
      guard let files else { throw ONNXError.malformed("external data where there can be none") }
      return try fromRaw(try files.bytes(external, of: name), kind, sizes, count)
    }
    if let raw { return try fromRaw(raw, kind, sizes, count) }
    return try fromFields(kind, sizes, count)
  }

  private func fromRaw(_ raw: FileBytes, _ kind: ElementType, _ sizes: [Int], _ count: Int) throws -> Tensor {
    let needed = (count * kind.bits + 7) / 8
    guard raw.count == needed else {
      throw ONNXError.malformed(
        "\(counted(raw.count, "byte")) where shape \(Shape.text(sizes)) of \(kind) needs \(needed)")
    }
    if kind.bits < 8 { return unpacked(raw.array(), kind, sizes, count) }
    if count >= Self.mappedCount { return Tensor(type: kind, shape: sizes, elements: .mapped(raw)) }
    func decoded<T: Element>(_: T.Type) -> Tensor { Tensor(sizes, T.decode(raw), type: kind) }
    return decoded(kind.storage)
  }

  /// Elements of 2 or 4 bits, the first in the lowest bits, one to a byte.
  private func unpacked(_ bytes: [UInt8], _ kind: ElementType, _ sizes: [Int], _ count: Int) -> Tensor {
    let perByte = 8 / kind.bits
    let values = (0..<count).map { index in
      bytes[index / perByte] >> UInt8(index % perByte * kind.bits) & UInt8(1 << kind.bits - 1)
    }
    return Tensor(sizes, values, type: kind)
  }

  private func fromFields(_ kind: ElementType, _ sizes: [Int], _ count: Int) throws -> Tensor {
    func whole<T>(_ values: [T]) throws -> [T] {
      guard values.count == count else { throw wrongCount(values.count, count) }
      return values
    }
    func wrapped<T: FixedWidthInteger & Number>(_: T.Type) throws -> Tensor {
      Tensor(sizes, try whole(ints).map { T(truncatingIfNeeded: $0) }, type: kind)
    }
    switch kind {
    case .float: return Tensor(sizes, try whole(floats))
    case .double: return Tensor(sizes, try whole(doubles))
    case .bool: return Tensor(sizes, try whole(ints).map { $0 != 0 })
    case .int8: return try wrapped(Int8.self)
    case .int16: return try wrapped(Int16.self)
    case .int32: return try wrapped(Int32.self)
    case .int64: return try wrapped(Int64.self)
    case .uint16, .float16, .bfloat16: return try wrapped(UInt16.self)
    case .uint32: return try wrapped(UInt32.self)
    case .uint64: return try wrapped(UInt64.self)
    case .uint8, .string, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4,
      .float4e2m1, .float8e8m0, .uint2, .int2:
      guard kind.bits < 8 else { return try wrapped(UInt8.self) }
      let bytes = ints.map { UInt8(truncatingIfNeeded: $0) }
      guard bytes.count == (count * kind.bits + 7) / 8 else { throw wrongCount(bytes.count, count) }
      return unpacked(bytes, kind, sizes, count)
    }
  }

  private func wrongCount(_ found: Int, _ needed: Int) -> ONNXError {
    .malformed(
      "\(counted(found, "element")) where shape \(Shape.text(shape.map { Int($0) })) needs \(needed)")
  }

  static func text(_ bytes: [UInt8]) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ONNXError.malformed("a text that is not UTF-8")
    }
    return text
  }
}

extension SparseTensorMessage {
  /// The tensor with its zeros.
  func tensor(_ files: ExternalData?) throws -> Tensor {
    guard let values, let indices else {
      throw ONNXError.malformed("a sparse tensor without values or indices")
    }
    let (given, places) = (try values.tensor(files), try indices.tensor(files))
    let sizes = shape.map { Int($0) }
    let count = try Shape.count(sizes, bits: given.type.bits)
    let strides = Shape.strides(sizes)
    let numbers = places.integers()
    guard given.rank == 1, places.type == .int64,
      places.shape == [given.count]
        || places.shape == [given.count, sizes.count]
    else { throw ONNXError.malformed("a sparse tensor whose indices do not fit its values") }
    func filled<T: Element>(_: T.Type) throws -> Tensor {
      var dense = [T](repeating: T.blank, count: count)
      for (position, value) in given.array(of: T.self).enumerated() {
        var flat = 0
        if places.rank == 1 {
          flat = numbers[position]
        } else {
          for (axis, stride) in strides.enumerated() {
            let index = numbers[position * strides.count + axis]
            guard (0..<sizes[axis]).contains(index) else { throw outside }
            flat += index * stride
          }
        }
        guard dense.indices.contains(flat) else { throw outside }
        dense[flat] = value
      }
      return Tensor(sizes, dense, type: given.type)
    }
    return try filled(given.type.storage)
  }

  private var outside: ONNXError { .malformed("a sparse tensor with an index outside of its shape") }
}
