import NNKernelInterface

extension ElementType {
  /// The address `offset` elements after `base`, typed as a map's first element always is.
  func pointer(_ base: UnsafeMutablePointer<Float>, offset: Int) -> UnsafeMutablePointer<Float> {
    unsafe (UnsafeMutableRawPointer(base) + offset * size).assumingMemoryBound(to: Float.self)
  }

  /// The element at `index`, as a float.
  func element(_ base: UnsafePointer<Float>, _ index: Int) -> Float {
    switch self {
    case .float32: unsafe base[index]
    case .bfloat16:
      unsafe Float(
        bitPattern: UInt32(UnsafeRawPointer(base).loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
          << 16)
    }
  }

  /// Writes `value` as element `index`, rounded to nearest, ties to even.
  func store(_ value: Float, _ base: UnsafeMutablePointer<Float>, _ index: Int) {
    switch self {
    case .float32: unsafe base[index] = value
    case .bfloat16:
      let bits = value.bitPattern
      let rounded = value.isNaN ? bits | 0x40_0000 : bits &+ 0x7FFF &+ (bits >> 16 & 1)
      unsafe UnsafeMutableRawPointer(base).storeBytes(
        of: UInt16(rounded >> 16), toByteOffset: 2 * index, as: UInt16.self)
    }
  }
}
