import Glibc

extension Span<UInt8> {
  /// Whether the `count` bytes from offset `first` on are those from `second` on; both must lie within.
  func matches(_ first: Int, _ second: Int, count: Int) -> Bool {
    precondition(count >= 0 && min(first, second) >= 0 && max(first, second) <= self.count - count)
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe memcmp(bytes.baseAddress! + first, bytes.baseAddress! + second, count) == 0
    }
  }
}
