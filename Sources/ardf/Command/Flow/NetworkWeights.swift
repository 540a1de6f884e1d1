import FileFormats
import Models
import NNRuntime

/// A weight file, and the task of its network.
struct NetworkWeights {
  let file: GivenPath
  let store: WeightStore
  /// The network's task, with the family that builds it.
  let task: NetworkTask

  init(_ file: GivenPath, allowNonFinite: Bool) throws {
    let store = try WeightStore(file, allowNonFinite: allowNonFinite)
    task = try InFile.naming(file.name) { try RecognizedNetwork.family(of: store).task }
    (self.file, self.store) = (file, store)
  }

  /// The family of a detector's weights.
  func detectorFamily() throws -> any ObjectNetworkFamily.Type {
    switch task {
    case .objects(let family): return family
    case .classes:
      throw CommandError.input(
        "\(file): holds a classifier, which finds no objects; ardf detect runs it, this needs a detector")
    case .depth: throw isDepthNetwork
    }
  }

  /// The family of a depth network's weights.
  func depthFamily() throws -> any DepthNetworkFamily.Type {
    switch task {
    case .depth(let family): return family
    case .objects:
      throw CommandError.input(
        "\(file): holds a detector, which estimates no depth; ardf detect and ardf run take it as --yolo")
    case .classes:
      throw CommandError.input(
        "\(file): holds a classifier, which estimates no depth; ardf detect takes it as --yolo")
    }
  }

  /// The error where weights of a detector or a classifier are needed, and these are a depth network's.
  var isDepthNetwork: CommandError {
    .input(
      "\(file): holds a depth network, which finds no objects; ardf depth and ardf run take it as --depth")
  }
}

extension WeightStore {
  /// Opens a weight file that a command was given.
  ///
  /// - Throws: `CommandError` where it holds no weights, or weights in a format that is not read; `WeightError`.
  convenience init(_ file: GivenPath, allowNonFinite: Bool) throws {
    try ForeignModel.refuse(file.path)
    try self.init(path: file.path, name: file.name, allowNonFinite: allowNonFinite)
  }
}
