import FileFormats
import NNRuntime
import NNVerification
import ONNX
import ONNXEngine

/// `ardf trace` of an ONNX file: every tensor that a run makes, by the name that the file gives it.
struct ONNXTrace {
  private let path: String
  private let network: LoweredNetwork
  private let values: NameTable<ONNX.Value>
  private let patterns: [NamePattern]

  let kernels: String
  /// Names of values that the file cannot hold: texts, complex numbers, sequences.
  private(set) var leftOut: [String] = []

  /// - `values`: by the names of inputs.
  /// - `layers`: patterns of the names to write; all without patterns.
  init(
    _ model: ONNXModel, _ values: NameTable<ONNX.Value>, options: PlanOptions, pool: ThreadPool,
    layers: [String]
  ) throws {
    path = model.path
    network = try InFile.naming(model.path) {
      try model.check(values)
      return try LoweredModel(model, options: options, pool: pool).network(for: values)
    }
    self.values = values
    patterns = layers.map(NamePattern.init)
    kernels = network.kernelName
  }

  /// Writes a safetensors file; returns the names in it, in the order of a run.
  ///
  /// The network is run twice: types and shapes precede the elements in the file.
  mutating func write(to path: String, metadata: [String: String], overwrite: Bool) throws -> [String] {
    var (entries, leftOut) = ([SafetensorsWriter.Entry](), [String]())
    try forEach { name, held in
      guard let (tensor, type) = held else { return leftOut.append(name) }
      entries.append(SafetensorsWriter.Entry(name: name, dtype: type, shape: tensor.shape))
    }
    self.leftOut = leftOut
    guard patterns.isEmpty || entries.contains(where: { fits($0.name) }) else {
      throw CommandError.usage("--layers: no tensor fits; ardf trace without --layers --json lists all")
    }
    let writer = try SafetensorsWriter(path: path, entries: entries, metadata: metadata, overwrite: overwrite)
    try forEach { _, held in
      guard let (tensor, type) = held else { return }
      try writer.append(
        NNRuntime.Tensor(
          shape: tensor.shape, dtype: type, storage: TensorStorage(FileBytes(tensor.bytes))))
    }
    try writer.finish()
    return entries.map(\.name)
  }

  /// Calls `body` with the inputs, which a reference needs, and every value whose name fits; nil for one that the file
  /// cannot hold.
  private func forEach(_ body: (String, (ONNX.Tensor, DType)?) throws -> Void) throws {
    try InFile.naming(path) {
      try network.trace(values) { name, value in
        guard patterns.isEmpty || values[name] != nil || fits(name) else { return }
        guard case .tensor(let tensor) = value, let type = DType(tensor.type) else {
          return try body(name, nil)
        }
        try body(name, (tensor, type))
      }
    }
  }

  private func fits(_ name: String) -> Bool { patterns.contains { $0.matches(name) } }
}

extension DType {
  /// The type of elements in a safetensors file; nil of texts, complex numbers and those narrower than a byte.
  fileprivate init?(_ type: ONNX.ElementType) {
    switch type {
    case .double: self = .float64
    case .float: self = .float32
    case .float16: self = .float16
    case .bfloat16: self = .bfloat16
    case .int64: self = .int64
    case .int32: self = .int32
    case .int16: self = .int16
    case .int8: self = .int8
    case .uint64: self = .uint64
    case .uint32: self = .uint32
    case .uint16: self = .uint16
    case .uint8: self = .uint8
    case .bool: self = .bool
    default: return nil
    }
  }
}
