import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The bytes of a tensor: memory of its own, a part of a mapped file, or what is computed of another tensor.
///
/// Unsafe by nature; immutable once built, so it is shared freely.
package struct TensorStorage: Sendable {
  private enum Source: Sendable {
    case owned(AlignedMemory)
    case floats([Float])
    case file(FileBytes)
    indirect case derived(DerivedFloats)
  }

  private let source: Source
  /// The number of bytes.
  package let count: Int

  /// Shares bytes of a file; nothing is copied.
  package init(_ file: FileBytes) {
    source = .file(file)
    count = file.count
  }

  /// Shares numbers of single precision.
  package init(_ floats: [Float]) {
    source = .floats(floats)
    count = floats.count * MemoryLayout<Float>.stride
  }

  /// Numbers of single precision that are computed whenever they are read.
  init(_ floats: DerivedFloats) {
    source = .derived(floats)
    count = floats.count * MemoryLayout<Float>.stride
  }

  /// `count` numbers of single precision that `compute` makes whenever they are read.
  package init(count: Int, _ compute: @escaping @Sendable () -> [Float]) {
    self.init(.computed(count: count, compute))
  }

  /// Bytes that it keeps in memory, those of a file left out.
  package var heldBytes: Int {
    switch source {
    case .owned, .floats: count
    case .file: 0
    case .derived(let floats): floats.heldBytes
    }
  }

  /// Copies the bytes of plain values.
  package init<Element: BitwiseCopyable>(copying elements: [Element]) {
    let bytes = elements.count * MemoryLayout<Element>.stride
    let memory = AlignedMemory(count: bytes)
    unsafe elements.withUnsafeBytes { raw in
      if bytes > 0 { unsafe memcpy(memory.pointer, raw.baseAddress!, bytes) }
    }
    source = .owned(memory)
    count = bytes
  }

  /// Calls `body` with the bytes, valid only inside the call.
  ///
  /// Bytes of a file are aligned only as the file happens to place them.
  @unsafe package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    switch source {
    case .owned(let memory):
      defer { withExtendedLifetime(memory) {} }
      return try unsafe body(UnsafeRawBufferPointer(start: memory.pointer, count: count))
    case .floats(let floats): return try unsafe floats.withUnsafeBytes(body)
    case .file(let file): return try unsafe file.withUnsafeBytes(body)
    case .derived(let derived): return try unsafe derived.floats().withUnsafeBytes(body)
    }
  }

  /// Calls `body` with the bytes, for callers that need no raw buffer.
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes { raw in
      try unsafe body(Span(_unsafeElements: raw.bindMemory(to: UInt8.self)))
    }
  }

  /// The elements as single-precision numbers.
  ///
  /// Bytes of a file do not stay in memory beside them.
  func floats(_ dtype: DType) -> [Float] {
    if case .floats(let floats) = source, dtype == .float32 { return floats }
    if case .derived(let derived) = source { return derived.floats() }
    defer { release() }
    return unsafe [Float](count: count / dtype.size) { unsafe convert(dtype, $0) }
  }

  /// Calls `body` with the elements as single-precision numbers, valid only inside the call: where they lie, if they are
  /// such numbers and aligned, or else converted into `staging`.
  ///
  /// Bytes of a file do not stay in memory afterwards.
  func withFloats(_ dtype: DType, _ staging: StagingMemory, _ body: (UnsafePointer<Float>) -> Void) {
    defer { release() }
    if case .derived = source {
      let floats = staging.room(count / MemoryLayout<Float>.stride)
      unsafe convert(dtype, floats.base)
      return unsafe body(floats.base)
    }
    let isDone = unsafe withUnsafeBytes { raw in
      guard dtype == .float32, let base = raw.baseAddress,
        Int(bitPattern: base) % MemoryLayout<Float>.alignment == 0
      else { return false }
      unsafe body(base.assumingMemoryBound(to: Float.self))
      return true
    }
    if isDone { return }
    let floats = staging.room(count / dtype.size)
    unsafe convert(dtype, floats.base)
    unsafe body(floats.base)
  }

  /// Gives back the memory of a mapped file's bytes; they are read again when needed.
  func release() {
    if case .file(let file) = source { file.release() }
  }

  /// Writes the elements as single-precision numbers.
  func convert(_ dtype: DType, _ floats: UnsafeMutablePointer<Float>) {
    if case .derived(let derived) = source { return unsafe derived.fill(floats) }
    switch dtype {
    case .float32: unsafe convert(Float.self, floats) { $0 }
    case .float64: unsafe convert(Double.self, floats) { Float($0) }
    case .float16: unsafe convert(UInt16.self, floats) { HalfPrecision.float(fromBinary16: $0) }
    case .bfloat16: unsafe convert(UInt16.self, floats) { Float(bitPattern: UInt32($0) << 16) }
    case .int64: unsafe convert(Int64.self, floats) { Float($0) }
    case .int32: unsafe convert(Int32.self, floats) { Float($0) }
    case .int16: unsafe convert(Int16.self, floats) { Float($0) }
    case .int8: unsafe convert(Int8.self, floats) { Float($0) }
    case .uint64: unsafe convert(UInt64.self, floats) { Float($0) }
    case .uint32: unsafe convert(UInt32.self, floats) { Float($0) }
    case .uint16: unsafe convert(UInt16.self, floats) { Float($0) }
    case .uint8: unsafe convert(UInt8.self, floats) { Float($0) }
    case .bool: unsafe convert(UInt8.self, floats) { $0 == 0 ? 0 : 1 }
    }
  }

  @inline(__always)
  private func convert<Element: BitwiseCopyable>(
    _ type: Element.Type, _ floats: UnsafeMutablePointer<Float>, _ float: (Element) -> Float
  ) {
    let stride = MemoryLayout<Element>.stride
    unsafe withUnsafeBytes { raw in
      for index in 0..<count / stride {
        unsafe floats[index] = float(
          raw.baseAddress!.loadUnaligned(fromByteOffset: index &* stride, as: type))
      }
    }
  }

  /// The index of the first element that is an infinity or a NaN in single precision, to which doubles beyond its
  /// greatest number round.
  func firstNonFinite(_ dtype: DType) -> Int? {
    defer { release() }
    return switch dtype {
    case .float16: first(from: 0x7c00 as UInt16)
    case .bfloat16: first(from: 0x7f80 as UInt16)
    case .float32: first(from: 0x7f80_0000 as UInt32)
    // 2^128 - 2^103: half a step above the greatest single-precision number.
    case .float64: first(from: 0x47ef_ffff_f000_0000 as UInt64)
    case .int64, .int32, .int16, .int8, .uint64, .uint32, .uint16, .uint8, .bool: nil
    }
  }

  /// The index of the first element whose bits but the sign's are a number of at least `least`, as magnitudes are ordered.
  @inline(__always)
  private func first<Bits: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(from least: Bits) -> Int? {
    let stride = MemoryLayout<Bits>.stride
    let length = count / stride
    let mask = Bits.max >> 1
    let carry = ~mask
    // Added to a magnitude of `least` or more, and to no other, this carries into the sign's place.
    let rest = carry - least
    let block = 4096
    return unsafe withUnsafeBytes { raw in
      guard let source = raw.baseAddress else { return nil }
      for start in Swift.stride(from: 0, to: length, by: block) {
        let end = min(start + block, length)
        var sums: Bits = 0
        for index in start..<end {
          let bits = unsafe source.loadUnaligned(fromByteOffset: index &* stride, as: Bits.self)
          sums |= (bits & mask) &+ rest
        }
        guard sums & carry != 0 else { continue }
        for index in start..<end
        where unsafe source.loadUnaligned(fromByteOffset: index &* stride, as: Bits.self) & mask >= least {
          return index
        }
      }
      return nil
    }
  }
}

extension Tensor {
  /// Calls `body` with all elements as `floats()` has them, without a copy where none is needed.
  func withFloats(_ staging: StagingMemory, _ body: (UnsafePointer<Float>) -> Void) {
    unsafe storage.withFloats(dtype, staging, body)
  }
}

/// 64-byte aligned memory, written once before it is shared.
private final class AlignedMemory: Sendable {
  private let address: UInt

  var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(bitPattern: address)! }

  init(count: Int) {
    address = UInt(
      bitPattern: UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64))
  }

  deinit { unsafe pointer.deallocate() }
}
