#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Floats on a cache line boundary, freed with their last owner.
///
/// Not synchronized: whoever hands it to several threads sees to it that they write different floats.
@safe final class FloatMemory: @unchecked Sendable {
  static let alignment = 64

  let count: Int
  let base: UnsafeMutablePointer<Float>
  private let allocation: UnsafeMutableRawPointer

  /// `count` zeros.
  ///
  /// Of a large block the system's own zero pages are used until they are written.
  init(count: Int) {
    self.count = count
    let bytes = max(count, 1) * MemoryLayout<Float>.stride + Self.alignment
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

  deinit { unsafe free(allocation) }
}
