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

  /// What a model configuration calls it.
  package var configurationName: String { self == .bytes ? "TYPE_STRING" : "TYPE_\(rawValue)" }
}
