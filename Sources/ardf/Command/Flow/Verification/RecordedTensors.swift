import Archives
import FileFormats
import NNRuntime
import ONNX

/// Tensors of an npz or safetensors file by their names, in their own types.
struct RecordedTensors {
  let path: String
  /// In the order of the file.
  let names: [String]
  private let read: (String) throws -> ONNX.Tensor

  /// - Throws: `FileError`, `ZipError`, `WeightError`.
  init(path: String) throws {
    self.path = path
    let bytes = try FileBytes(path: path)
    if bytes.slice(0..<min(4, bytes.count)).array() == [0x50, 0x4b, 0x03, 0x04] {
      let archive = try InFile.naming(path) { try NPZArchive(path: path) }
      names = archive.names
      read = { name in
        try InFile.naming(path) { ONNX.Tensor(try archive.array(named: name)) }
      }
      return
    }
    let header = try SafetensorsHeader(bytes, file: path)
    names = header.entries.map(\.name)
    let entries = NameTable(header.entries.map { ($0.name, $0) })
    read = { name in
      guard let entry = entries[name] else {
        throw WeightError(.missing(nearest: []), tensor: name, file: path)
      }
      let range = header.dataOffset + entry.range.lowerBound..<header.dataOffset + entry.range.upperBound
      return ONNX.Tensor(
        type: Self.type(of: entry.dtype), shape: entry.shape, littleEndian: bytes.slice(range))
    }
  }

  /// One tensor.
  func tensor(_ name: String) throws -> ONNX.Tensor { try read(name) }

  private static func type(of dtype: DType) -> ONNX.ElementType {
    switch dtype {
    case .float64: .double
    case .float32: .float
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int64: .int64
    case .int32: .int32
    case .int16: .int16
    case .int8: .int8
    case .uint64: .uint64
    case .uint32: .uint32
    case .uint16: .uint16
    case .uint8: .uint8
    case .bool: .bool
    }
  }
}
