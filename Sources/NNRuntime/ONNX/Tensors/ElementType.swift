/// The element types of ONNX's tensors, by the numbers that files have.
public enum ElementType: Int, Sendable, CaseIterable {
  case float = 1
  case uint8, int8, uint16, int16, int32, int64, string, bool, float16, double, uint32, uint64
  case bfloat16 = 16
  case float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, uint4, int4, float4e2m1, float8e8m0
  case uint2, int2

  /// The type by its number in a file.
  init(number: Int) throws {
    guard let type = ElementType(rawValue: number) else {
      throw number == 14 || number == 15
        ? ONNXError.unsupported("element type complex\(number == 14 ? 64 : 128)")
        : ONNXError.malformed("element type \(number), which ONNX does not have")
    }
    self = type
  }

  /// The name in ONNX's documentation.
  public var name: String { "\(self)" }

  /// Bits of an element in a file; 0 for texts.
  var bits: Int {
    switch self {
    case .string: 0
    case .uint2, .int2: 2
    case .uint4, .int4, .float4e2m1: 4
    case .uint8, .int8, .bool, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0: 8
    case .uint16, .int16, .float16, .bfloat16: 16
    case .float, .int32, .uint32: 32
    case .double, .int64, .uint64: 64
    }
  }

  /// Storage of elements: types that Swift lacks are stored as their bits.
  var storage: any Element.Type {
    switch self {
    case .float: Float.self
    case .double: Double.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .uint16, .float16, .bfloat16: UInt16.self
    case .uint32: UInt32.self
    case .uint64: UInt64.self
    case .bool: Bool.self
    case .string: String.self
    case .uint8, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0, .uint4, .int4,
      .float4e2m1, .uint2, .int2:
      UInt8.self
    }
  }

  /// The type to compute with; nil for what is not computed with as it is.
  var number: (any Number.Type)? {
    switch self {
    case .float16, .bfloat16, .bool, .string: nil
    case .float, .uint8, .int8, .uint16, .int16, .int32, .int64, .double, .uint32, .uint64, .float8e4m3fn,
      .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4, .float4e2m1, .float8e8m0, .uint2, .int2:
      narrow == nil && narrowInteger == nil ? storage as? any Number.Type : nil
    }
  }

  /// The format of a floating-point type that Swift lacks.
  var narrow: NarrowFloat? {
    switch self {
    case .float16: NarrowFloat(mantissa: 10, bias: 15, greatest: 0x7bff, infinity: 0x7c00, nan: 0x7e00)
    case .bfloat16: NarrowFloat(mantissa: 7, bias: 127, greatest: 0x7f7f, infinity: 0x7f80, nan: 0x7fc0)
    case .float8e4m3fn: NarrowFloat(mantissa: 3, bias: 7, greatest: 0x7e, nan: 0x7f)
    case .float8e4m3fnuz: NarrowFloat(mantissa: 3, bias: 8, greatest: 0x7f, nan: 0x80, hasNegativeZero: false)
    case .float8e5m2: NarrowFloat(mantissa: 2, bias: 15, greatest: 0x7b, infinity: 0x7c, nan: 0x7f)
    case .float8e5m2fnuz:
      NarrowFloat(mantissa: 2, bias: 16, greatest: 0x7f, nan: 0x80, hasNegativeZero: false)
    case .float4e2m1: NarrowFloat(mantissa: 1, bias: 1, greatest: 0x7)
    case .float8e8m0: NarrowFloat(mantissa: 0, bias: 127, greatest: 0xfe, nan: 0xff, isScale: true)
    case .float, .uint8, .int8, .uint16, .int16, .int32, .int64, .string, .bool, .double, .uint32, .uint64,
      .uint4, .int4, .uint2, .int2:
      nil
    }
  }

  /// Bits and sign of an integer type that Swift lacks.
  var narrowInteger: (bits: Int, isSigned: Bool)? {
    switch self {
    case .uint4: (4, false)
    case .int4: (4, true)
    case .uint2: (2, false)
    case .int2: (2, true)
    case .float, .uint8, .int8, .uint16, .int16, .int32, .int64, .string, .bool, .float16, .double, .uint32,
      .uint64, .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float4e2m1,
      .float8e8m0:
      nil
    }
  }

  /// Whether elements are floating-point numbers, of any width.
  package var isFloating: Bool { isFloat }
  var isFloat: Bool { self == .float || self == .double || narrow != nil }
  /// Half-precision types: computed as `float`, and rounded.
  var isHalf: Bool { self == .float16 || self == .bfloat16 }
  var isInteger: Bool { !isFloat && self != .bool && self != .string }
  var isSigned: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .int4, .int2: true
    case .float, .uint8, .uint16, .string, .bool, .float16, .double, .uint32, .uint64, .bfloat16,
      .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .float4e2m1, .float8e8m0, .uint2:
      isFloat
    }
  }

  /// The smallest and largest value of an integer type.
  var range: (low: Double, high: Double) {
    let bits = narrowInteger?.bits ?? self.bits
    return isSigned
      ? (
        -Double(sign: .plus, exponent: bits - 1, significand: 1),
        Double(sign: .plus, exponent: bits - 1, significand: 1) - 1
      )
      : (0, Double(sign: .plus, exponent: bits, significand: 1) - 1)
  }
}
