// Registers of four lanes, and parts of vectors by them: for instruction sets whose vectors are four such registers, and
// that have no loads and stores of some lanes.

/// Four lanes.
typealias Quad = SIMD4<Float>

@inline(__always)
func loadQuad(_ pointer: UnsafeRawPointer, _ offset: Int) -> Quad {
  pointer.loadUnaligned(fromByteOffset: offset, as: Quad.self)
}

@inline(__always)
func storeQuad(_ quad: Quad, _ pointer: UnsafeMutableRawPointer, _ offset: Int) {
  pointer.storeBytes(of: quad, toByteOffset: offset, as: Quad.self)
}

/// The first `count` floats at `pointer`, at most 16, zeros after them.
@inline(__always)
func loadByQuads(_ pointer: UnsafePointer<Float>, count: Int) -> Vector {
  Vector(
    lowHalf: SIMD8(lowHalf: loadFew(pointer, count), highHalf: loadFew(pointer + 4, count &- 4)),
    highHalf: SIMD8(lowHalf: loadFew(pointer + 8, count &- 8), highHalf: loadFew(pointer + 12, count &- 12)))
}

/// Writes the first `count` lanes only.
@inline(__always)
func storeByQuads(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
  storeFew(vector.lowHalf.lowHalf, pointer, count)
  storeFew(vector.lowHalf.highHalf, pointer + 4, count &- 4)
  storeFew(vector.highHalf.lowHalf, pointer + 8, count &- 8)
  storeFew(vector.highHalf.highHalf, pointer + 12, count &- 12)
}

/// One register: the first `count` floats, none where that is negative, zeros after them.
@inline(__always)
private func loadFew(_ pointer: UnsafePointer<Float>, _ count: Int) -> Quad {
  let bytes = UnsafeRawPointer(pointer)
  switch count {
  case 4...: return bytes.loadUnaligned(as: Quad.self)
  case 3: return Quad(lowHalf: bytes.loadUnaligned(as: SIMD2<Float>.self), highHalf: SIMD2(pointer[2], 0))
  case 2: return Quad(lowHalf: bytes.loadUnaligned(as: SIMD2<Float>.self), highHalf: SIMD2(0, 0))
  case 1: return Quad(pointer[0], 0, 0, 0)
  default: return Quad(repeating: 0)
  }
}

/// Writes the first `count` lanes of one register, none where that is negative.
@inline(__always)
private func storeFew(_ vector: Quad, _ pointer: UnsafeMutablePointer<Float>, _ count: Int) {
  let bytes = UnsafeMutableRawPointer(pointer)
  if count >= 4 { return bytes.storeBytes(of: vector, as: Quad.self) }
  if count >= 2 { bytes.storeBytes(of: vector.lowHalf, as: SIMD2<Float>.self) }
  if count == 3 { pointer[2] = vector.z }
  if count == 1 { pointer[0] = vector.x }
}
