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
    guard case .depth(let family) = task else {
      throw CommandError.input(
        "\(file): holds a YOLO network; give it as --yolo, and depth weights as --depth")
    }
    return family
  }

  /// The error where weights of a detector or a classifier are needed, and these are a depth network's.
  var isDepthNetwork: CommandError {
    .input("\(file): holds a depth network; give it as --depth, and YOLO weights as --yolo")
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
