/// Element types of stored tensors, by their safetensors names.
public enum DType: String, Sendable, CaseIterable, CustomStringConvertible {
  /// IEEE binary64.
  case float64 = "F64"
  /// IEEE binary32.
  case float32 = "F32"
  /// IEEE binary16.
  case float16 = "F16"
  /// The upper half of a binary32.
  case bfloat16 = "BF16"
  /// Signed 64-bit.
  case int64 = "I64"
  /// Signed 32-bit.
  case int32 = "I32"
  /// Signed 16-bit.
  case int16 = "I16"
  /// Signed 8-bit.
  case int8 = "I8"
  /// Unsigned 64-bit.
  case uint64 = "U64"
  /// Unsigned 32-bit.
  case uint32 = "U32"
  /// Unsigned 16-bit.
  case uint16 = "U16"
  /// Unsigned 8-bit.
  case uint8 = "U8"
  /// A truth value in a byte.
  case bool = "BOOL"

  /// Bytes of one element.
  public var size: Int {
    switch self {
    case .float64, .int64, .uint64: 8
    case .float32, .int32, .uint32: 4
    case .float16, .bfloat16, .int16, .uint16: 2
    case .int8, .uint8, .bool: 1
    }
  }

  /// Whether elements are floating-point numbers, of any width.
  public var isFloat: Bool {
    switch self {
    case .float64, .float32, .float16, .bfloat16: true
    case .int64, .int32, .int16, .int8, .uint64, .uint32, .uint16, .uint8, .bool: false
    }
  }

  /// The safetensors name.
  public var description: String { rawValue }

  /// The bytes of an array of `shape`, nil when the product overflows or an extent is negative.
  public func byteCount(shape: [Int]) -> Int? {
    var bytes = size
    for extent in shape {
      let (product, overflow) = bytes.multipliedReportingOverflow(by: extent)
      guard extent >= 0, !overflow else { return nil }
      bytes = product
    }
    return bytes
  }
}
