/// Memory of one thread in which it holds one tensor after another while it packs weights: as large as the largest so
/// far, so that the system provides it once.
///
/// Not synchronized: every thread has its own.
final class StagingMemory: @unchecked Sendable {
  private var memory: FloatMemory?

  /// Room for `count` floats or more, in the place of those before.
  func room(_ count: Int) -> FloatMemory {
    if let memory, memory.count >= count { return memory }
    memory = nil
    let larger = FloatMemory(count: count)
    memory = larger
    return larger
  }
}
