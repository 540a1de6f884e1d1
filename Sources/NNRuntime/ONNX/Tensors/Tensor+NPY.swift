package import FileFormats

extension Tensor {
  /// The tensor of a NumPy array.
  package init(_ array: NPYArray) {
    switch array.storage {
    case .bool(let values): self.init(array.shape, values)
    case .uint8(let values): self.init(array.shape, values)
    case .int8(let values): self.init(array.shape, values)
    case .uint16(let values): self.init(array.shape, values)
    case .int16(let values): self.init(array.shape, values)
    case .uint32(let values): self.init(array.shape, values)
    case .int32(let values): self.init(array.shape, values)
    case .uint64(let values): self.init(array.shape, values)
    case .int64(let values): self.init(array.shape, values)
    case .float16(let values): self.init(array.shape, values, type: .float16)
    case .float32(let values): self.init(array.shape, values)
    case .float64(let values): self.init(array.shape, values)
    }
  }

  /// The NumPy array of the same elements; nil where NumPy has no such type.
  package var npy: NPYArray? {
    switch type {
    case .bool: NPYArray(shape: shape, .bool(array(of: Bool.self)))
    case .uint8: NPYArray(shape: shape, .uint8(array(of: UInt8.self)))
    case .int8: NPYArray(shape: shape, .int8(array(of: Int8.self)))
    case .uint16: NPYArray(shape: shape, .uint16(array(of: UInt16.self)))
    case .int16: NPYArray(shape: shape, .int16(array(of: Int16.self)))
    case .uint32: NPYArray(shape: shape, .uint32(array(of: UInt32.self)))
    case .int32: NPYArray(shape: shape, .int32(array(of: Int32.self)))
    case .uint64: NPYArray(shape: shape, .uint64(array(of: UInt64.self)))
    case .int64: NPYArray(shape: shape, .int64(array(of: Int64.self)))
    case .float16: NPYArray(shape: shape, .float16(array(of: UInt16.self)))
    case .float: NPYArray(shape: shape, .float32(array(of: Float.self)))
    case .double: NPYArray(shape: shape, .float64(array(of: Double.self)))
    case .string, .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4,
      .float4e2m1, .float8e8m0, .uint2, .int2:
      nil
    }
  }

  /// Smallest, greatest and mean element; nil for texts and for nothing.
  package var statistics: (low: Double, high: Double, mean: Double)? {
    let values = doubles()
    guard let low = values.min(), let high = values.max() else { return nil }
    return (low, high, values.reduce(0, +) / Double(values.count))
  }
}
