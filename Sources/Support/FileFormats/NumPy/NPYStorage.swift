/// Element types of `.npy` files and how their bytes become storage.
enum NPYType: String {
  case bool = "b1"
  case uint8 = "u1"
  case int8 = "i1"
  case uint16 = "u2"
  case int16 = "i2"
  case uint32 = "u4"
  case int32 = "i4"
  case uint64 = "u8"
  case int64 = "i8"
  case float16 = "f2"
  case float32 = "f4"
  case float64 = "f8"

  var size: Int {
    switch self {
    case .bool, .uint8, .int8: 1
    case .uint16, .int16, .float16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    }
  }

  func decode(_ data: FileBytes, bigEndian: Bool) -> NPYArray.Storage {
    func integers<Element: FixedWidthInteger & BitwiseCopyable>(_ type: Element.Type) -> [Element] {
      let values = data.elements(of: type)
      return bigEndian ? values.map(\.byteSwapped) : values
    }
    return switch self {
    case .bool: .bool(data.array().map { $0 != 0 })
    case .uint8: .uint8(integers(UInt8.self))
    case .int8: .int8(integers(Int8.self))
    case .uint16: .uint16(integers(UInt16.self))
    case .int16: .int16(integers(Int16.self))
    case .uint32: .uint32(integers(UInt32.self))
    case .int32: .int32(integers(Int32.self))
    case .uint64: .uint64(integers(UInt64.self))
    case .int64: .int64(integers(Int64.self))
    case .float16: .float16(integers(UInt16.self))
    case .float32:
      .float32(
        bigEndian ? integers(UInt32.self).map(Float.init(bitPattern:)) : data.elements(of: Float.self))
    case .float64:
      .float64(
        bigEndian ? integers(UInt64.self).map(Double.init(bitPattern:)) : data.elements(of: Double.self))
    }
  }
}

extension NPYArray.Storage {
  var littleEndianBytes: [UInt8] {
    switch self {
    case .bool(let values): values.map { $0 ? 1 : 0 }
    case .uint8(let values): values
    case .int8(let values): rawBytes(of: values)
    case .uint16(let values), .float16(let values): rawBytes(of: values)
    case .int16(let values): rawBytes(of: values)
    case .uint32(let values): rawBytes(of: values)
    case .int32(let values): rawBytes(of: values)
    case .uint64(let values): rawBytes(of: values)
    case .int64(let values): rawBytes(of: values)
    case .float32(let values): rawBytes(of: values)
    case .float64(let values): rawBytes(of: values)
    }
  }

  /// The same elements in row-major order, given first-index-fastest order of `shape`.
  func transposedFromFortranOrder(shape: [Int]) -> NPYArray.Storage {
    func transposed<Element>(_ values: [Element]) -> [Element] {
      var strides: [Int] = []
      var stride = 1
      for extent in shape {
        strides.append(stride)
        stride *= extent
      }
      var index = [Int](repeating: 0, count: shape.count)
      var offset = 0
      var result: [Element] = []
      result.reserveCapacity(values.count)
      for _ in 0..<values.count {
        result.append(values[offset])
        // The row-major successor: the last axis advances, full axes wrap to zero.
        for axis in shape.indices.reversed() {
          index[axis] += 1
          offset += strides[axis]
          if index[axis] < shape[axis] { break }
          offset -= index[axis] * strides[axis]
          index[axis] = 0
        }
      }
      return result
    }
    return switch self {
    case .bool(let values): .bool(transposed(values))
    case .uint8(let values): .uint8(transposed(values))
    case .int8(let values): .int8(transposed(values))
    case .uint16(let values): .uint16(transposed(values))
    case .int16(let values): .int16(transposed(values))
    case .uint32(let values): .uint32(transposed(values))
    case .int32(let values): .int32(transposed(values))
    case .uint64(let values): .uint64(transposed(values))
    case .int64(let values): .int64(transposed(values))
    case .float16(let values): .float16(transposed(values))
    case .float32(let values): .float32(transposed(values))
    case .float64(let values): .float64(transposed(values))
    }
  }
}
