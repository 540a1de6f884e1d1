/// The type of a tensor's elements, by the protocol's names.
package enum Datatype: String, Sendable, CaseIterable {
  case bool = "BOOL"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case float16 = "FP16"
  case bf16 = "BF16"
  case float32 = "FP32"
  case float64 = "FP64"
  /// Elements of any length: texts, or the bytes of files.
  case bytes = "BYTES"

  /// Bytes of an element; nil where elements differ in length.
  package var size: Int? {
    switch self {
    case .bool, .uint8, .int8: 1
    case .uint16, .int16, .float16, .bf16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .bytes: nil
    }
  }

  /// Name in a model configuration.
  package var configurationName: String { self == .bytes ? "TYPE_STRING" : "TYPE_\(rawValue)" }
}

/// Conversion of numbers to elements: a number beyond the datatype is refused, never rounded to infinity or wrapped.
extension Datatype {
  /// The whole numbers that an element can be; of `UINT64` those of 63 bits.
  var integers: ClosedRange<Int> {
    switch self {
    case .bool: 0...1
    case .uint8: 0...Int(UInt8.max)
    case .uint16: 0...Int(UInt16.max)
    case .uint32: 0...Int(UInt32.max)
    case .uint64: 0...Int.max
    case .int8: Int(Int8.min)...Int(Int8.max)
    case .int16: Int(Int16.min)...Int(Int16.max)
    case .int32: Int(Int32.min)...Int(Int32.max)
    case .int64, .float16, .bf16, .float32, .float64, .bytes: Int.min...Int.max
    }
  }

  /// The largest finite number of `FP16`, `BF16` and `FP32`.
  private var largest: Float {
    switch self {
    case .float16: 65504
    case .bf16: Float(bitPattern: 0x7f7f_0000)
    case .bool, .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64, .float32, .float64, .bytes:
      .greatestFiniteMagnitude
    }
  }

  /// The number in single precision; nil for one that the datatype cannot hold.
  func single(_ number: Double) -> Float? {
    let single = Float(number)
    // What is not a number is at most nothing.
    return abs(single) <= largest && abs(number) <= Double(largest) ? single : nil
  }

  /// The range of an element, in words.
  var elementText: String {
    switch self {
    case .bool: "true or false"
    case .float16, .bf16, .float32: "a number from -\(largest) to \(largest)"
    case .float64: "a finite number"
    case .bytes: "a text"
    case .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64:
      "a whole number from \(integers.lowerBound) to \(integers.upperBound)"
    }
  }
}
