import Archives
import FileFormats
import NNRuntime

/// Reference tensors in a safetensors or npz file, named by module path.
///
/// Tensors are read one at a time, and nothing of them stays: memory does not grow with their number.
public struct ReferenceFile: Sendable {
  private enum Contents: Sendable {
    case safetensors(dataOffset: Int, entries: [String: Entry])
    case npz(names: Set<String>)
  }

  private struct Entry: Sendable {
    let dtype: DType
    let shape: [Int]
    let range: Range<Int>
  }

  /// The file's path.
  public let path: String
  /// What the file says about its origin: `library`, `version`, `profile`; empty for npz.
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
      contents = .npz(names: Set(names))
      return
    }
    let header = try SafetensorsHeader(Self.map(path), file: path)
    metadata = header.metadata
    names = header.entries.map(\.name).sorted()
    contents = .safetensors(
      dataOffset: header.dataOffset,
      entries: Dictionary(
        uniqueKeysWithValues: header.entries.map {
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

  /// The tensors' names in the order in which the file holds them; sorted for npz.
  var namesInOrder: [String] {
    guard case .safetensors(_, let entries) = contents else { return names }
    return names.sorted {
      (entries[$0]?.range.lowerBound ?? 0, $0) < (entries[$1]?.range.lowerBound ?? 0, $1)
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

  /// The tensor that a layer is compared with: under its name, or that of the output that it is; nil where the
  /// file has none.
  ///
  /// - Throws: `VerificationError.shape` where it cannot be the layer's result.
  package func map(for layer: TracedLayer) throws -> (name: String, map: StridedMap)? {
    guard let name = [layer.name, layer.output].compactMap(\.self).first(where: contains) else { return nil }
    let (shape, elements) = try tensor(name, atMost: layer.shape.count)
    guard let map = StridedMap(shape, elements, as: layer.shape) else {
      throw VerificationError.shape(name, found: shape, expected: layer.tensorShape)
    }
    return (name, map)
  }

  private static func map(_ path: String) throws(WeightError) -> FileBytes {
    do throws(FileError) {
      return try FileBytes(MappedFile(path: path))
    } catch {
      throw WeightError(.file(error), file: path)
    }
  }
}

/// Why a network cannot be compared with a reference.
public enum VerificationError: Error, Equatable, CustomStringConvertible {
  /// A tensor has another shape than the layer of its name.
  case shape(String, found: [Int], expected: [Int])
  /// The reference lacks the network's input.
  case noInput(String)
  /// The reference holds none of the network's layers.
  case nothingToCompare
  /// The two sessions do not run the same layers.
  case differentPlans
  /// The two traces are of networks with these names.
  case differentNetworks(found: String, expected: String)
  /// The two traces are of other inputs: which, and how they differ.
  case differentInputs(String, String)
  /// The two traces have no layer in common.
  case noCommonLayers
  /// A file holds no trace.
  case notATrace(String)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .shape(let name, let found, let expected):
      "reference tensor \"\(printableName(name))\" has shape \(found), the network's layer \(expected): "
        + "is it of another network or input size?"
    case .noInput(let name):
      "the reference has no tensor \"\(name)\" of shape (1, 3, height, width): record the network's input with it"
    case .nothingToCompare:
      "none of the reference's tensors is named like a layer of the network: names are the checkpoint's module "
        + "paths, such as model.4.cv2"
    case .differentNetworks(let found, let expected):
      "the traces are of different networks, \(printableName(found)) and \(printableName(expected)): trace one network "
        + "twice"
    case .differentInputs(let name, let difference):
      "the traces are of different inputs (\"\(printableName(name))\": \(difference)): trace the second run with "
        + "--input of the first trace, which holds its input"
    case .noCommonLayers:
      "the traces have no layer in common: trace both with all layers, and both with --no-fuse or without"
    case .notATrace(let path):
      "\(printableName(path)): holds no tensor \"input\": it is no trace; ardf trace writes one"
    case .differentPlans: "the two sessions run different layers: plan both with the same options"
    }
  }
}
