import FileFormats
import Glibc

/// The bytes of a tensor: memory of its own, 64-byte aligned, or a part of a mapped file.
///
/// Unsafe by nature; immutable once built, so it is shared freely.
public struct TensorStorage: Sendable {
  private enum Source: Sendable {
    case owned(AlignedMemory)
    case file(FileBytes)
  }

  private let source: Source
  /// The number of bytes.
  public let count: Int

  /// Shares bytes of a file; nothing is copied.
  public init(_ file: FileBytes) {
    source = .file(file)
    count = file.count
  }

  /// Copies the bytes of plain values.
  public init<Element: BitwiseCopyable>(copying elements: [Element]) {
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
  @unsafe public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    switch source {
    case .owned(let memory):
      defer { withExtendedLifetime(memory) {} }
      return try unsafe body(UnsafeRawBufferPointer(start: memory.pointer, count: count))
    case .file(let file): return try unsafe file.withUnsafeBytes(body)
    }
  }

  /// Calls `body` with the bytes, for callers that need no raw buffer.
  public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe withUnsafeBytes { raw in
      try unsafe body(Span(_unsafeElements: raw.bindMemory(to: UInt8.self)))
    }
  }

  /// The elements as single-precision numbers.
  ///
  /// Bytes of a file do not stay in memory beside them.
  func floats(_ dtype: DType) -> [Float] {
    defer { release() }
    return switch dtype {
    case .float32: elements(Float.self) { $0 }
    case .float64: elements(Double.self) { Float($0) }
    case .float16: elements(UInt16.self) { HalfPrecision.float(fromBinary16: $0) }
    case .bfloat16: elements(UInt16.self) { Float(bitPattern: UInt32($0) << 16) }
    case .int64: elements(Int64.self) { Float($0) }
    case .int32: elements(Int32.self) { Float($0) }
    case .int16: elements(Int16.self) { Float($0) }
    case .int8: elements(Int8.self) { Float($0) }
    case .uint64: elements(UInt64.self) { Float($0) }
    case .uint32: elements(UInt32.self) { Float($0) }
    case .uint16: elements(UInt16.self) { Float($0) }
    case .uint8: elements(UInt8.self) { Float($0) }
    case .bool: elements(UInt8.self) { $0 == 0 ? 0 : 1 }
    }
  }

  private func release() {
    if case .file(let file) = source { file.release() }
  }

  @inline(__always)
  private func elements<Element: BitwiseCopyable>(
    _ type: Element.Type, _ convert: (Element) -> Float
  ) -> [Float] {
    let stride = MemoryLayout<Element>.stride
    let length = count / stride
    return unsafe withUnsafeBytes { raw in
      unsafe [Float](count: length) { elements in
        let source = raw.baseAddress!
        for index in 0..<length {
          unsafe elements[index] = convert(source.loadUnaligned(fromByteOffset: index &* stride, as: type))
        }
      }
    }
  }

  /// The index of the first element whose exponent bits are all set, that is an infinity or a NaN.
  func firstNonFinite(_ dtype: DType) -> Int? {
    defer { release() }
    return switch dtype {
    case .float16: first(allSet: 0x7c00 as UInt16)
    case .bfloat16: first(allSet: 0x7f80 as UInt16)
    case .float32: first(allSet: 0x7f80_0000 as UInt32)
    case .float64: first(allSet: 0x7ff0_0000_0000_0000 as UInt64)
    default: nil
    }
  }

  @inline(__always)
  private func first<Bits: FixedWidthInteger & BitwiseCopyable>(allSet mask: Bits) -> Int? {
    let stride = MemoryLayout<Bits>.stride
    let length = count / stride
    // Adding the lowest exponent bit to a full exponent, and to no other, carries into the sign's place.
    let lowest = mask & ~(mask << 1)
    let carry = ~(Bits.max >> 1)
    let block = 4096
    return unsafe withUnsafeBytes { raw in
      guard let source = raw.baseAddress else { return nil }
      for start in Swift.stride(from: 0, to: length, by: block) {
        let end = min(start + block, length)
        var sums: Bits = 0
        for index in start..<end {
          let bits = unsafe source.loadUnaligned(fromByteOffset: index &* stride, as: Bits.self)
          sums |= (bits & mask) &+ lowest
        }
        guard sums & carry != 0 else { continue }
        for index in start..<end
        where unsafe source.loadUnaligned(fromByteOffset: index &* stride, as: Bits.self) & mask == mask {
          return index
        }
      }
      return nil
    }
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
