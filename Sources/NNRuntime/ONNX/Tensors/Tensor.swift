package import FileFormats

/// Elements of one type in a shape, row-major.
package struct Tensor: Sendable {
  /// Elements that one tensor may have in a run, which takes a few copies in double precision.
  package static let mostElements = 1 << 28
  /// Bytes that one tensor may take in a file.
  static let largest = 1 << 34

  package let type: ElementType
  package let shape: [Int]
  package let elements: Elements
  /// The integers of 8 bits that it was made of by `DequantizeLinear`; nil for others.
  package var dequantized: DequantizedBytes?

  init(type: ElementType, shape: [Int], elements: Elements) {
    self.type = type
    self.shape = shape
    self.elements = elements
  }

  /// A tensor of a type of Swift's own, or of the bits of `type`.
  package init<T: Element>(_ shape: [Int], _ values: [T], type: ElementType? = nil) {
    precondition(shape.reduce(1, *) == values.count, "\(shape) of \(values.count) elements")
    self.shape = shape
    elements = T.wrap(values)
    self.type = type ?? Self.kind(of: elements)
  }

  /// A tensor of whatever type, of values that are rounded to it.
  package init(_ type: ElementType, _ shape: [Int], doubles values: [Double]) {
    func made<T: Number>(_: T.Type) -> Tensor { Tensor(shape, values.map { T(truncating: $0) }, type: type) }
    if type == .double {
      self.init(shape, values)
    } else if type == .float {
      self.init(shape, values.map { Float($0) })
    } else if let number = type.number {
      self = made(number)
    } else if let format = type.narrow {
      let bits = values.map { format.bits($0, saturating: !type.isHalf) }
      self =
        type.isHalf
        ? Tensor(shape, bits.map { UInt16($0) }, type: type)
        : Tensor(shape, bits.map { UInt8($0) }, type: type)
    } else if let format = type.narrowInteger {
      self.init(
        shape, values.map { UInt8(truncatingIfNeeded: Int64(clamping: $0)) & UInt8(1 << format.bits - 1) },
        type: type)
    } else {
      precondition(type == .bool, "texts are not made of numbers")
      self.init(shape, values.map { $0 != 0 })
    }
  }

  /// A tensor whose elements lie in memory as in a file, which must hold as many as the shape has.
  package init(type: ElementType, shape: [Int], littleEndian bytes: FileBytes) {
    precondition(bytes.count == (shape.reduce(1, *) * type.bits + 7) / 8, "bytes and shape differ")
    self.init(type: type, shape: shape, elements: .mapped(bytes))
  }

  package init(scalar value: Int64) { self.init([], [value]) }
  package init(integers values: [Int]) { self.init([values.count], values.map { Int64($0) }) }

  package var count: Int { shape.reduce(1, *) }
  var rank: Int { shape.count }

  private static func kind(of elements: Elements) -> ElementType {
    switch elements {
    case .float: .float
    case .double: .double
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .bool: .bool
    case .string: .string
    case .mapped, .computed: preconditionFailure("elements of a file have a type")
    }
  }

  /// The elements, which must be of `T` in memory.
  package func array<T: Element>(of _: T.Type) -> [T] {
    if case .mapped(let bytes) = elements { return T.decode(bytes) }
    if case .computed(let computed) = elements { return computed.tensor().array(of: T.self) }
    guard let values = T.unwrap(elements) else { preconditionFailure("\(type) is not \(T.self) in memory") }
    return values
  }

  /// The same elements in another shape of as many.
  func reshaped(_ shape: [Int]) -> Tensor {
    precondition(shape.reduce(1, *) == count)
    return Tensor(type: type, shape: shape, elements: elements)
  }

  /// The elements in little-endian memory; those of less than a byte one to a byte.
  package var bytes: [UInt8] {
    if case .mapped(let bytes) = elements { return bytes.array() }
    return bytes(of: self.type.storage)
  }

  private func bytes<T: Element>(of _: T.Type) -> [UInt8] {
    T.bytes(array(of: T.self))
  }
}

extension Tensor {
  /// The elements as numbers of double precision, rounded where 64-bit integers need more digits.
  package func doubles() -> [Double] {
    func converted<T: Number>(_: T.Type) -> [Double] { array(of: T.self).map(\.double) }
    switch type {
    case .double: return array(of: Double.self)
    case .float: return array(of: Float.self).map { Double($0) }
    case .bool: return array(of: Bool.self).map { $0 ? 1 : 0 }
    case .string: return []
    case .bfloat16, .float16: return floats().map { Double($0) }
    default:
      if let number = type.number { return converted(number) }
      let bits = array(of: UInt8.self)
      if let format = type.narrow { return bits.map { format.value(Int($0)) } }
      return integers().map { Double($0) }
    }
  }

  /// The elements in single precision.
  package func floats() -> [Float] {
    switch type {
    case .float: array(of: Float.self)
    case .float16: HalfPrecision.floats(fromBinary16: array(of: UInt16.self).span)
    case .bfloat16: HalfPrecision.floats(fromBFloat16: array(of: UInt16.self).span)
    // As weights are, which are many.
    case .int8: array(of: Int8.self).map { Float($0) }
    case .uint8: array(of: UInt8.self).map { Float($0) }
    default: doubles().map { Float($0) }
    }
  }

  /// The elements as integers: fractions cut off, what is too large wrapped around.
  package func integers() -> [Int] {
    func converted<T: Number>(_: T.Type) -> [Int] { array(of: T.self).map { Int($0.int64) } }
    if type == .int64 { return array(of: Int64.self).map { Int($0) } }
    if type == .bool { return array(of: Bool.self).map { $0 ? 1 : 0 } }
    if let format = type.narrowInteger {
      let half = 1 << (format.bits - 1)
      return array(of: UInt8.self).map { format.isSigned && Int($0) >= half ? Int($0) - 2 * half : Int($0) }
    }
    if let number = type.number { return converted(number) }
    return doubles().map { Int(clamping: $0) }
  }

  /// Half precision as single precision, which holds all of its values; others as they are.
  func widened() -> Tensor { type.isHalf ? Tensor(shape, floats()) : self }

  /// Single precision rounded to a type of half precision.
  func rounded(to half: ElementType) -> Tensor {
    let values = array(of: Float.self)
    let format = half.narrow!
    return half == .float16
      ? Tensor(shape, values.map { HalfPrecision.binary16(from: $0) }, type: half)
      : Tensor(shape, values.map { UInt16(format.bits(Double($0), saturating: false)) }, type: half)
  }
}
