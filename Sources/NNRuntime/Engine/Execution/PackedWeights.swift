import NNKernelInterface
import Synchronization

/// Weights in the order that the kernels read them, shared by all sessions of one model: whatever the input
/// size, a layer is packed once.
public final class PackedWeights: Sendable {
  struct Key: Hashable {
    var layer: String
    /// Which of a layer's weights: its own are part 0.
    var part: Int
    var inChannels: Range<Int>?
    /// Each kernel has its own order.
    var kernel: String
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
