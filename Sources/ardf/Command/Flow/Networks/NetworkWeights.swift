import FileFormats
import Models
import NNRuntime
import ONNX

/// A weight file, or an ONNX file that is run as it is, and the task of its network.
struct NetworkWeights {
  /// The task of a network, with its weights and the family that builds it.
  enum Task {
    case objects(DetectorSource)
    case depth(WeightStore, any DepthNetworkFamily.Type)
    /// The class of the whole picture.
    case classes(WeightStore, any ClassNetworkFamily.Type)
  }

  let file: GivenPath
  let task: Task
  /// The weights; nil of an ONNX file.
  let store: WeightStore?

  init(_ file: GivenPath, allowNonFinite: Bool) throws {
    self.file = file
    if let (model, family) = try Self.asItIs(file.path) {
      (task, store) = (.objects(.onnx(model, family)), nil)
      return
    }
    let store = try WeightStore(file, allowNonFinite: allowNonFinite)
    self.store = store
    task =
      switch try InFile.naming(file.name, { try RecognizedNetwork.family(of: store).task }) {
      case .objects(let family): .objects(.weights(store, family))
      case .depth(let family): .depth(store, family)
      case .classes(let family): .classes(store, family)
      }
  }

  /// The model of an ONNX file that is run as it is, and its family; nil of other files.
  ///
  /// - Throws: `InFile` for an ONNX file that cannot be read.
  static func asItIs(_ path: String) throws -> (ONNXModel, any ONNXDetectorFamily.Type)? {
    guard hasEnding(path, ".onnx"), pathKind(path) == .file else { return nil }
    try ForeignModel.refuse(path)
    return try InFile.naming(path) {
      let model = try ONNXModel(path: path)
      return RecognizedNetwork.onnxFamily(of: model).map { (model, $0) }
    }
  }

  /// The source of a detector.
  func detectorSource() throws -> DetectorSource {
    switch task {
    case .objects(let source): return source
    case .classes:
      throw CommandError.input(
        "\(file): holds a classifier, which finds no objects; ardf detect runs it, this needs a detector")
    case .depth: throw isDepthNetwork
    }
  }

  /// The weights of a depth network, and their family.
  func depthWeights() throws -> (WeightStore, any DepthNetworkFamily.Type) {
    switch task {
    case .depth(let store, let family): return (store, family)
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
