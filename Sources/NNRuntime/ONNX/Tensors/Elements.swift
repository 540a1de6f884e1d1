package import FileFormats

/// A tensor's elements in row-major order: an array, bytes of a mapped file, or what is computed of these.
package enum Elements: Sendable {
  case float([Float])
  case double([Double])
  case int8([Int8])
  case int16([Int16])
  case int32([Int32])
  case int64([Int64])
  case uint8([UInt8])
  case uint16([UInt16])
  case uint32([UInt32])
  case uint64([UInt64])
  case bool([Bool])
  case string([String])
  case mapped(FileBytes)
  case computed(ComputedElements)
}

/// A type that elements have in memory.
package protocol Element: Sendable, Equatable {
  /// Zero, false or no text.
  static var blank: Self { get }
  static func wrap(_ values: [Self]) -> Elements
  /// nil where the elements are of another type.
  static func unwrap(_ elements: Elements) -> [Self]?
  static func decode(_ bytes: FileBytes) -> [Self]
  static func bytes(_ values: [Self]) -> [UInt8]
}

extension Element where Self: BitwiseCopyable {
  package static func decode(_ bytes: FileBytes) -> [Self] { bytes.elements(of: Self.self) }
  package static func bytes(_ values: [Self]) -> [UInt8] { rawBytes(of: values) }
}
extension Element where Self: AdditiveArithmetic { package static var blank: Self { .zero } }

extension Float: Element {
  package static func wrap(_ values: [Float]) -> Elements { .float(values) }
  package static func unwrap(_ elements: Elements) -> [Float]? {
    if case .float(let values) = elements { values } else { nil }
  }
}
extension Double: Element {
  package static func wrap(_ values: [Double]) -> Elements { .double(values) }
  package static func unwrap(_ elements: Elements) -> [Double]? {
    if case .double(let values) = elements { values } else { nil }
  }
}
extension Int8: Element {
  package static func wrap(_ values: [Int8]) -> Elements { .int8(values) }
  package static func unwrap(_ elements: Elements) -> [Int8]? {
    if case .int8(let values) = elements { values } else { nil }
  }
}
extension Int16: Element {
  package static func wrap(_ values: [Int16]) -> Elements { .int16(values) }
  package static func unwrap(_ elements: Elements) -> [Int16]? {
    if case .int16(let values) = elements { values } else { nil }
  }
}
extension Int32: Element {
  package static func wrap(_ values: [Int32]) -> Elements { .int32(values) }
  package static func unwrap(_ elements: Elements) -> [Int32]? {
    if case .int32(let values) = elements { values } else { nil }
  }
}
extension Int64: Element {
  package static func wrap(_ values: [Int64]) -> Elements { .int64(values) }
  package static func unwrap(_ elements: Elements) -> [Int64]? {
    if case .int64(let values) = elements { values } else { nil }
  }
}
extension UInt8: Element {
  package static func wrap(_ values: [UInt8]) -> Elements { .uint8(values) }
  package static func unwrap(_ elements: Elements) -> [UInt8]? {
    if case .uint8(let values) = elements { values } else { nil }
  }
}
extension UInt16: Element {
  package static func wrap(_ values: [UInt16]) -> Elements { .uint16(values) }
  package static func unwrap(_ elements: Elements) -> [UInt16]? {
    if case .uint16(let values) = elements { values } else { nil }
  }
}
extension UInt32: Element {
  package static func wrap(_ values: [UInt32]) -> Elements { .uint32(values) }
  package static func unwrap(_ elements: Elements) -> [UInt32]? {
    if case .uint32(let values) = elements { values } else { nil }
  }
}
extension UInt64: Element {
  package static func wrap(_ values: [UInt64]) -> Elements { .uint64(values) }
  package static func unwrap(_ elements: Elements) -> [UInt64]? {
    if case .uint64(let values) = elements { values } else { nil }
  }
}
extension Bool: Element {
  package static var blank: Bool { false }
  package static func wrap(_ values: [Bool]) -> Elements { .bool(values) }
  package static func unwrap(_ elements: Elements) -> [Bool]? {
    if case .bool(let values) = elements { values } else { nil }
  }
  package static func decode(_ bytes: FileBytes) -> [Bool] { bytes.array().map { $0 != 0 } }
  package static func bytes(_ values: [Bool]) -> [UInt8] { values.map { $0 ? 1 : 0 } }
}
extension String: Element {
  package static var blank: String { "" }
  package static func wrap(_ values: [String]) -> Elements { .string(values) }
  package static func unwrap(_ elements: Elements) -> [String]? {
    if case .string(let values) = elements { values } else { nil }
  }
  // Texts have no bytes of their own in a file.
  package static func decode(_ bytes: FileBytes) -> [String] { [] }
  package static func bytes(_ values: [String]) -> [UInt8] { [] }
}
