/// Memory of one thread in which it holds one tensor after another while it packs weights: at most twice as large as the
/// one that it holds, so that tensors of about one size share it.
///
/// Not synchronized: every thread has its own.
final class StagingMemory: @unchecked Sendable {
  private var memory: FloatMemory?

  /// Room for `count` floats or more, in the place of those before.
  func room(_ count: Int) -> FloatMemory {
    if let memory, memory.count >= count, memory.count / 2 <= count { return memory }
    memory = nil
    let larger = FloatMemory(count: count)
    memory = larger
    return larger
  }
}
