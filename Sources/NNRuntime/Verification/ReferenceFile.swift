import Archives
import FileFormats
import NNRuntime

/// Reference tensors in a safetensors or npz file, named by module path.
///
/// Tensors are read one at a time, and nothing of them stays: memory does not grow with their number.
public struct ReferenceFile: Sendable {
  private enum Contents: Sendable {
    case safetensors(dataOffset: Int, entries: NameTable<Entry>)
    case npz(names: NameSet)
  }

  private struct Entry: Sendable {
    let dtype: DType
    let shape: [Int]
    let range: Range<Int>
  }

  /// The file's path.
  public let path: String
  /// Metadata on the file's origin: `library`, `version`, `profile`; empty for npz.
  public let metadata: [String: String]
  /// The tensors' names, sorted.
  public let names: [String]
  private let contents: Contents

  /// Reads the list of tensors.
  ///
  /// - Throws: `WeightError` for safetensors; `FileError`, `ZipError` for npz.
  public init(path: String) throws {
    self.path = path
    if path.hasSuffix(".npz") {
      names = try NPZArchive(path: path).names
      metadata = [:]
      contents = .npz(names: NameSet(names))
      return
    }
    let header = try SafetensorsHeader(Self.map(path), file: path)
    metadata = header.metadata
    names = header.entries.map(\.name).sortedByBytes()
    contents = .safetensors(
      dataOffset: header.dataOffset,
      entries: NameTable(
        header.entries.map {
          ($0.name, Entry(dtype: $0.dtype, shape: $0.shape, range: $0.range))
        }))
  }

  /// Whether there is a tensor of that name.
  public func contains(_ name: String) -> Bool {
    switch contents {
    case .safetensors(_, let entries): entries[name] != nil
    case .npz(let names): names.contains(name)
    }
  }

  /// Numbers of floating-point tensors by the type that they are stored as, of those that are less exact than what is
  /// compared; empty for npz.
  package var reducedTypes: [String: Int] {
    guard case .safetensors(_, let entries) = contents else { return [:] }
    var counts: [String: Int] = [:]
    for entry in entries.values where entry.dtype == .float16 || entry.dtype == .bfloat16 {
      counts[entry.dtype.rawValue, default: 0] += 1
    }
    return counts
  }

  /// The tensors' names in the order in which the file holds them; sorted for npz.
  var namesInOrder: [String] {
    guard case .safetensors(_, let entries) = contents else { return names }
    return names.sorted {
      (entries[$0]?.range.lowerBound ?? 0, ByteName($0)) < (entries[$1]?.range.lowerBound ?? 0, ByteName($1))
    }
  }

  /// Shape and elements of the tensor `name`, in single precision.
  ///
  /// - Parameters:
  ///   - name: The tensor's name.
  ///   - most: The most elements that are of use; a larger compressed tensor is refused before it is unpacked.
  /// - Returns: Its shape, and its elements row-major.
  /// - Throws: `WeightError` or `ZipError`, by the file's format, for a tensor that is not there or cannot be read.
  public func tensor(
    _ name: String, atMost most: Int = .max
  ) throws -> (shape: [Int], elements: [Float]) {
    switch contents {
    case .npz:
      let array = try NPZArchive(path: path).array(named: name, atMost: most)
      return (array.shape, array.floats())
    case .safetensors(let dataOffset, let entries):
      guard let entry = entries[name] else {
        throw WeightError(.missing(nearest: []), tensor: name, file: path)
      }
      // Mapped anew for every tensor: pages that were read go with the mapping.
      let file = try Self.map(path)
      let range = dataOffset + entry.range.lowerBound..<dataOffset + entry.range.upperBound
      guard range.upperBound <= file.count else {
        throw WeightError(.incomplete(fileBytes: file.count, promised: range.upperBound), file: path)
      }
      let storage = TensorStorage(file.slice(range))
      let tensor = Tensor(shape: entry.shape, dtype: entry.dtype, storage: storage)
      return (entry.shape, tensor.floats())
    }
  }

  /// The tensors that a layer is compared with: under its name, and that of the output that it is.
  ///
  /// - Throws: `VerificationError.shape` where one cannot be the layer's result.
  package func maps(for layer: TracedLayer) throws -> [(name: String, map: StridedMap)] {
    let names = [layer.name] + [layer.output].compactMap(\.self).filter { $0 != layer.name }
    return try names.filter(contains).map { name in
      let (shape, elements) = try tensor(name, atMost: layer.shape.count)
      guard let map = StridedMap(shape, elements, as: layer.shape) else {
        throw VerificationError.shape(name, found: shape, expected: layer.tensorShape)
      }
      return (name, map)
    }
  }

  private static func map(_ path: String) throws(WeightError) -> FileBytes {
    do throws(FileError) {
      return try FileBytes(MappedFile(path: path))
    } catch {
      throw WeightError(.file(error), file: path)
    }
  }
}
