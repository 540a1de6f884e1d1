import NNRuntime

/// Networks of one design in all their sizes: how they are told from others, converted and built.
///
/// A family is one file beside its network, and one row of `RecognizedNetwork.families`.
package protocol NetworkFamily {
  /// What its networks find in a picture.
  static var task: NetworkTask { get }
  /// The networks whose checkpoints can be converted, for people.
  static var convertible: [String] { get }

  /// What the family knows of weights by their tensors; nil where they are none of its own, nor of a relative's.
  static func recognize(_ tensors: TensorShapes) -> Kinship?
  /// Checks that a checkpoint's tensors are exactly a network's, and says which one's.
  static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint
  /// The network of a weight file.
  ///
  static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork
}

/// What networks find in a picture.
package enum NetworkTask: Sendable {
  case objects, depth
  /// The class of the whole picture.
  case classes
}

/// How weights are related to a family.
package enum Kinship: Sendable, Equatable {
  /// They are of one of its networks.
  case member
  /// They are of a network with this name, which resembles them and is not supported.
  case relative(String)
}

/// A checkpoint whose tensors' names, shapes and types are a network's.
package struct IdentifiedCheckpoint {
  /// What its weight file calls the network.
  let architecture: String
  /// What its weight file calls the size.
  let variant: String
  /// What else its weight file says.
  var metadata: [String: String]
  /// What its user should know, for people.
  var remarks: [String]
}

/// The names and shapes of a file's tensors: what networks are told by.
package struct TensorShapes: Sendable {
  private let shapes: [String: [Int]]

  /// Names and shapes.
  package init(_ shapes: [String: [Int]]) { self.shapes = shapes }

  /// Those of a weight file.
  package init(_ weights: WeightStore) {
    var shapes: [String: [Int]] = [:]
    for name in weights.names { shapes[name] = weights.shape(of: name) }
    self.shapes = shapes
  }

  /// Those of a checkpoint.
  package init(_ source: CheckpointSource) { shapes = source.tensors.mapValues(\.shape) }

  /// The shape of a tensor; nil where there is none of that name.
  subscript(name: String) -> [Int]? { shapes[name] }

  /// All names.
  var names: some Collection<String> { shapes.keys }

  /// Whether a tensor's name begins so.
  func contains(prefix: String) -> Bool { shapes.keys.contains { $0.hasPrefix(prefix) } }
}
