// Integers that are multiplied four bytes at a time: pairs of 16 bits (`vpdpwssd`, `vpmaddwd`), four of 8 bits (`vpdpbusd`).

import CKernelShims

typealias ScaledWords = IntegerPairs

/// Pairs of 16 bits; the bits of sums lie in floats.
enum IntegerPairs: WordArithmetic, ScaledNumbers {
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_int16_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { ardf_int32_floats(sum) }
}

/// Four of 8 bits, those of rows from 0 to 255, those of columns signed; the bits of sums lie in floats.
enum IntegerQuads: WordArithmetic, ByteArithmetic {
  @inline(__always) static var shift: Float { 0 }
  @inline(__always) static func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    ardf_int8_dot(sum, a, b)
  }
  @inline(__always) static func floats(_ sum: Vector) -> Vector { ardf_int32_floats(sum) }

  @inline(__always)
  static func storeNumbers(_ integers: Vector, _ target: UnsafeMutableRawPointer) {
    ardf_uint8_store(target, integers)
  }
}

extension IntegerArithmetic where Self: WordArithmetic {
  @inline(__always) static var unit: Int { 4 }
  @inline(__always) static var granule: Int { 4 }
  @inline(__always) static var tileRows: Int { InstructionSet.tileRows }

  @inline(__always)
  static func multiply(
    _ left: UnsafeRawPointer, leftStride: Int, rows: Int, words: Int, _ right: UnsafeRawPointer,
    columns: Int, _ output: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: 0) { segment in
      let product: BlockProduct = (
        rows: left, rowStride: leftStride, segments: segment, segmentCount: 1, steps: 1, step: 2 &* words,
        columns: right, output: output, readsAhead: false
      )
      let groups = (rows &+ tileRows &- 1) / tileRows
      for group in 0..<groups {
        let first = rows &* group / groups
        let count = rows &* (group &+ 1) / groups &- first
        if panelWidth > 16, columns > 16 {
          multiplyRows(WideSums<Self>.self, product, first, count)
        } else {
          multiplyRows(NarrowSums<Self>.self, product, first, count)
        }
      }
    }
  }
}
