import FileFormats
import NNRuntime

/// Networks of one design in all their sizes: how they are recognized, converted and built.
///
/// A family is one file next to its network and one row of `RecognizedNetwork.families`.
package protocol NetworkFamily {
  /// Task of its networks, with the family that builds them.
  static var task: NetworkTask { get }
  /// The networks whose checkpoints can be converted, for people.
  static var convertible: [String] { get }

  /// Whether tensors belong to the family or to an unsupported relative; nil for neither.
  static func recognize(_ tensors: TensorShapes) -> Kinship?
  /// Checks that a checkpoint's tensors are exactly a network's, and says which one's.
  static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint
  /// The network of a weight file, for inspection of its layers.
  static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork
}

/// Task of networks, with the family that builds them.
package enum NetworkTask {
  case objects(any ObjectNetworkFamily.Type)
  case depth(any DepthNetworkFamily.Type)
  /// The class of the whole picture.
  case classes(any ClassNetworkFamily.Type)
}

/// Networks of one design that find objects.
package protocol ObjectNetworkFamily: NetworkFamily {
  /// The side of the square that pictures were fitted into when the network was trained.
  static func trainedSide(of weights: WeightStore) -> Int
  /// The network of a weight file, ready to find objects.
  static func detector(
    _ weights: WeightStore, input: ObjectInput, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInObjectNetwork
}

/// Networks of one design that classify whole pictures.
package protocol ClassNetworkFamily: NetworkFamily {
  /// The side of the square that pictures were cut to when the network was trained.
  static func trainedSide(of weights: WeightStore) -> Int
  /// The network of a weight file, ready to classify pictures.
  static func classifier(
    _ weights: WeightStore, side: Int, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any ClassNetwork
}

/// Networks of one design that estimate depth.
package protocol DepthNetworkFamily: NetworkFamily {
  /// The network of a weight file, ready to estimate depth.
  ///
  /// - `side`: The least side of its input; nil for the family's own.
  static func estimator(
    _ weights: WeightStore, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInDepthNetwork
}

/// How a picture is fitted into a detector's input, and which of its heads is used.
package struct ObjectInput: Sendable, Equatable {
  /// Sides that an input can have, in pixels; each is a multiple of `step`.
  package static let sides = 32...4096
  /// Divisor of sides.
  package static let step = 32

  /// The side that most detectors were trained on, where weights do not say it.
  package static let usualSide = 640

  /// The side of the square that pictures are fitted into, in pixels.
  package var side: Int
  /// Whether the input is the smallest rectangle around the picture instead of the whole square.
  package var isRectangle: Bool
  /// Whether a network with two heads uses the one that needs non-maximum suppression.
  package var isSuppressed: Bool

  /// An input from its parts.
  package init(side: Int, isRectangle: Bool = false, isSuppressed: Bool = false) {
    self.side = side
    self.isRectangle = isRectangle
    self.isSuppressed = isSuppressed
  }

  /// The rule in words.
  package static let sideRule = "a multiple of \(step) from \(sides.lowerBound) to \(sides.upperBound)"

  /// Whether an input can have such a side.
  package static func isSide(_ side: Int) -> Bool { side.isMultiple(of: step) && sides.contains(side) }

  /// The side that metadata says a network was trained with, where it can be one.
  static func trainedSide(of weights: WeightStore) -> Int? {
    let side = TrainingSide(written: weights.metadata[TrainingSide.key]).side
    return side.flatMap { isSide($0) ? $0 : nil }
  }
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
  /// The network's name in its weight file.
  let architecture: String
  /// The size's name in its weight file.
  let variant: String
  /// Further metadata of its weight file.
  var metadata: [String: String]
  /// Remarks for its user.
  var remarks: [String]
}

/// The names and shapes of a file's tensors, by which networks are recognized.
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
