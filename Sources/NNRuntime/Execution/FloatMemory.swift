import Glibc

/// Floats on a cache line boundary, freed with their last owner.
///
/// Not synchronised: whoever hands it to several threads sees to it that they write different floats.
@safe final class FloatMemory: @unchecked Sendable {
  let count: Int
  let base: UnsafeMutablePointer<Float>

  /// `count` zeros. The pages are the system's own zero pages until they are written.
  init(count: Int) {
    self.count = count
    var pointer: UnsafeMutableRawPointer?
    let bytes = (max(count, 1) * MemoryLayout<Float>.stride + 63) / 64 * 64
    let status = unsafe posix_memalign(&pointer, 64, bytes)
    guard status == 0, let pointer = unsafe pointer else { fatalError("out of memory: \(bytes) bytes") }
    unsafe memset(pointer, 0, bytes)
    unsafe base = pointer.bindMemory(to: Float.self, capacity: bytes / MemoryLayout<Float>.stride)
  }

  /// A copy of `values`, zeros up to `count`.
  convenience init(_ values: [Float], count: Int? = nil) {
    self.init(count: max(count ?? 0, values.count))
    unsafe values.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { unsafe base.update(from: first, count: source.count) }
    }
  }

  deinit { unsafe free(base) }
}
