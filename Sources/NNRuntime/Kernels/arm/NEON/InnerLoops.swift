// The functions of `Specializations` that NEON replaces.

import CKernelShims
import NNKernelInterface

extension InstructionSet {
  /// The hardware prefetchers of arm64 follow virtual addresses over the ends of pages.
  @inline(__always) static var asksForColumns: Bool { false }

  /// An element of a register, which multiply-adds take as it is.
  @inline(__always) static func repeated(_ pointer: UnsafePointer<Float>) -> Vector {
    Vector(repeating: ardf_element(pointer))
  }

  @inline(__always) static var multipliesElements: Bool { true }

  /// All rows.
  @inline(__always) static func multiplied(
    _ product: TileProduct, rows: Int, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
  ) -> Bool {
    multiplyRegisterTile(product, rows: rows, from: initial, storesEverySegment: storesEverySegment)
    return true
  }
}
