// Vectors of sixteen in memory, and their exponentials. Unsafe, since the standard library neither loads nor stores vectors
// from spans nor knows their bits, and what is written lane by lane is compiled lane by lane.

extension HeadDecoding {
  /// Sixteen elements from `first` on.
  @inline(__always)
  static func load(_ elements: Span<Float>, at first: Int) -> SIMD16<Float> {
    precondition(first >= 0 && first + 16 <= elements.count)
    return unsafe elements.withUnsafeBufferPointer {
      unsafe UnsafeRawPointer($0.baseAddress! + first).loadUnaligned(as: SIMD16<Float>.self)
    }
  }

  /// Sixteen elements, to `first` and what follows.
  @inline(__always)
  static func store(_ vector: SIMD16<Float>, in elements: inout MutableSpan<Float>, at first: Int) {
    precondition(first >= 0 && first + 16 <= elements.count)
    unsafe elements.withUnsafeMutableBufferPointer {
      unsafe UnsafeMutableRawPointer($0.baseAddress! + first).storeBytes(of: vector, as: SIMD16<Float>.self)
    }
  }

  /// The logistic function of sixteen numbers, within 3e-7 of it; NaN of NaN.
  @inline(__always)
  package static func sigmoids(_ x: SIMD16<Float>) -> SIMD16<Float> {
    1 / (1 + exponentials(0 - x))
  }

  /// e to the power of sixteen numbers, which are taken to -87 and 87 if beyond, within 2e-7 of it; NaN of NaN.
  @inline(__always)
  static func exponentials(_ x: SIMD16<Float>) -> SIMD16<Float> {
    // exp(x) = 2^n exp(r) with |r| <= ln(2) / 2.
    let t = x.replacing(with: 87, where: x .> 87).replacing(with: -87, where: x .< -87)
    // In the sum, whose last digit is 1, n is rounded, and lies in the lowest bits.
    let shifted = t * 1.442_695_04 + 0x1.8p23
    let n = shifted - 0x1.8p23
    let r = (t - n * 0.693_359_375) - n * -2.121_944_4e-4
    var p = r * 1.987_569_15e-4 + 1.398_199_95e-3
    p = p * r + 8.333_451_9e-3
    p = p * r + 4.166_579_6e-2
    p = p * r + 0.166_666_65
    p = p * r + 0.5
    let exponent = (unsafe unsafeBitCast(shifted, to: SIMD16<UInt32>.self) &+ 127) &<< 23
    return (p * r * r + r + 1) * (unsafe unsafeBitCast(exponent, to: SIMD16<Float>.self))
  }

  /// The unnormalized weights of a softmax over sixteen logits from `first` on: the exponentials of their distances
  /// from the largest.
  @inline(__always)
  static func weights(_ logits: Span<Float>, at first: Int) -> SIMD16<Float> {
    var largest = logits[first]
    for index in first + 1..<first + 16 { largest = max(largest, logits[index]) }
    return exponentials(load(logits, at: first) - largest)
  }
}
