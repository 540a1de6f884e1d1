import NNKernelInterface
import Synchronization

/// Weights in the order that the kernels read them, shared by all sessions of one model: whatever the input
/// size, a layer is packed once.
public final class PackedWeights: Sendable {
  struct Key: Hashable {
    var layer: String
    var algorithm: Algorithm
    var kernels: String
    var part: Int
    var inChannels: Range<Int>?

    /// A node's weights, or a part of them.
    init(_ node: Node, _ algorithm: Algorithm, kernels: String, part: Int) {
      layer = node.name
      if case .convolution(let convolution) = node.operation { inChannels = convolution.inChannels }
      self.algorithm = algorithm
      self.kernels = kernels
      self.part = part
    }

    /// The weights of a 1x1 convolution that another node computes.
    init(_ projection: Projection, kernels: String) {
      (layer, algorithm, part) = (projection.name, .gemm, 0)
      self.kernels = kernels
    }
  }

  private let packed = Mutex<[Key: FloatMemory]>([:])

  /// Nothing packed yet.
  public init() {}

  /// The packed form under `key`, made by `pack` where it isn't there.
  func memory(_ key: Key, _ pack: () -> FloatMemory) -> FloatMemory {
    if let known = packed.withLock({ $0[key] }) { return known }
    let memory = pack()
    return packed.withLock { table in
      if let known = table[key] { return known }
      table[key] = memory
      return memory
    }
  }

  /// Bytes of all packed weights.
  public var bytes: Int {
    packed.withLock { $0.values.reduce(0) { $0 + $1.count } } * MemoryLayout<Float>.stride
  }
}
