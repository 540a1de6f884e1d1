import Glibc

/// Floats on a cache line boundary, freed with their last owner.
///
/// Not synchronised: whoever hands it to several threads sees to it that they write different floats.
@safe final class FloatMemory: @unchecked Sendable {
  static let alignment = 64

  let count: Int
  let base: UnsafeMutablePointer<Float>
  private let allocation: UnsafeMutableRawPointer
  /// Bytes that were mapped; 0 where the heap has them.
  private let mappedBytes: Int

  /// `count` zeros.
  ///
  /// Of a large block the system's own zero pages are used until they are written, huge ones where it has them: walking
  /// over maps and weights by large strides then misses no translations.
  init(count: Int) {
    self.count = count
    let bytes = max(count, 1) * MemoryLayout<Float>.stride + Self.alignment
    if bytes >= hugePageBytes, let memory = unsafe mapHugePages(bytes) {
      unsafe allocation = memory
      mappedBytes = bytes
      unsafe base = memory.bindMemory(to: Float.self, capacity: count)
      return
    }
    mappedBytes = 0
    guard let memory = unsafe calloc(bytes, 1) else { fatalError("out of memory: \(bytes) bytes") }
    unsafe allocation = memory
    unsafe base = memory.alignedUp(toMultipleOf: Self.alignment).bindMemory(
      to: Float.self, capacity: max(count, 1))
  }

  /// A copy of `values`, zeros up to `count`.
  convenience init(_ values: [Float], count: Int? = nil) {
    self.init(count: max(count ?? 0, values.count))
    unsafe values.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { unsafe base.update(from: first, count: source.count) }
    }
  }

  deinit {
    if mappedBytes > 0 {
      unsafe munmap(allocation, mappedBytes)
    } else {
      unsafe free(allocation)
    }
  }
}

private let hugePageBytes = 2 << 20

/// Zeros from the start of a huge page on, of which the last may be small ones; nil where the system has no memory.
private func mapHugePages(_ bytes: Int) -> UnsafeMutableRawPointer? {
  let reserved = bytes + hugePageBytes
  let memory = unsafe mmap(nil, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  guard unsafe memory != MAP_FAILED, let memory = unsafe memory else { return nil }
  let start = unsafe memory.alignedUp(toMultipleOf: hugePageBytes)
  // What lies before and behind is given back; the system rounds lengths up to its pages, not starts.
  let page = Int(getpagesize())
  let end = unsafe (start + bytes).alignedUp(toMultipleOf: page)
  if unsafe start > memory { unsafe munmap(memory, start - memory) }
  if unsafe memory + reserved > end { unsafe munmap(end, memory + reserved - end) }
  // Only advice: without huge pages the memory is the same.
  unsafe madvise(start, bytes, MADV_HUGEPAGE)
  return unsafe start
}
