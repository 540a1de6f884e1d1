import CKernelShims

extension BFloat16Element {
  /// As of floats, whose upper halves these are; twice as many at a time.
  @inline(__always)
  func range(_ source: UnsafeRawPointer, _ count: Int) -> (low: Float, high: Float) {
    let negativeZeros = Float(bitPattern: 0x8000_8000)
    var (most, least) = (Vector(repeating: 0), Vector(repeating: negativeZeros))
    var index = 0
    while index < count {
      let pointer = source + 2 &* index
      let bits =
        index &+ 32 <= count ? ardf_bf16_bits(pointer) : ardf_bf16_bits_partial(pointer, count &- index)
      most = ardf_bf16_larger_signed(most, bits)
      least = ardf_bf16_larger_unsigned(least, bits)
      index &+= 32
    }
    return (ardf_bf16_largest_unsigned(least), ardf_bf16_largest_unsigned(most))
  }
}
