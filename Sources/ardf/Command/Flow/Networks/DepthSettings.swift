import FileFormats
import Models
import NNRuntime
import Perception

/// How a depth network is made ready.
struct DepthSettings: Sendable {
  /// Least side of its input; nil for the network's own.
  var side: Int?

  /// The depth network of a weight file.
  func network(
    _ file: GivenPath, _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> any BuiltInDepthNetwork {
    try network(NetworkWeights(file, allowNonFinite: compute.allowsNonFinite), compute, pool: pool)
  }

  /// The depth network of these weights.
  func network(
    _ weights: NetworkWeights, _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> any BuiltInDepthNetwork {
    let (store, family) = try weights.depthWeights()
    return try InFile.naming(weights.file.name) {
      try family.estimator(store, side: side, options: compute.planOptions(for: store), pool: pool)
    }
  }
}
