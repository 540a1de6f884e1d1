extension Plane<Float> {
  /// Each value times `scale` as the nearest whole number, halves upwards: 0 for what is less than that and for what is not a
  /// number, 65535 for all that is more.
  package func wholeNumbers(scale: Float) -> Plane<UInt16> {
    var numbers = [UInt16](repeating: 0, count: elements.count)
    Self.fill(numbers: &numbers, elements.span, scale)
    return Plane<UInt16>(width: width, height: height, elements: numbers)
  }

  private static func fill(numbers: inout [UInt16], _ values: Span<Float>, _ scale: Float) {
    var numbers = numbers.mutableSpan
    precondition(values.count <= numbers.count)
    let most: Float = 65535
    for index in 0..<values.count {
      let value = values[index] * scale + 0.5
      let bounded = value > 0 ? (value < most ? value : most) : 0
      numbers[index] = UInt16(truncatingIfNeeded: bounded.wholePart)
    }
  }
}

extension Float {
  /// The greatest whole number that is not above this one, which is from 0 to less than 2^23, without a conversion: loops of
  /// it are of vectors.
  @inline(__always)
  var wholePart: UInt32 {
    // Numbers from 2^23 on have no fraction in single precision: adding it rounds, and its last bits count.
    let whole: Float = 0x1p23
    let nearest = (self + whole) - whole
    let below = nearest > self ? nearest - 1 : nearest
    return (below + whole).bitPattern & 0x7f_ffff
  }
}
