// Loops of this instruction set's own: those whose sums and operands are all registers (Arm64Loops.h).

import CKernelShims
import NNKernelInterface

extension InstructionSet {
  /// Processors of arm64 foresee by virtual addresses, over the ends of pages.
  @inline(__always) static var asksForColumns: Bool { false }

  /// An element of a register, which multiply-adds take as it is.
  @inline(__always) static func repeated(_ pointer: UnsafePointer<Float>) -> Vector {
    Vector(repeating: ardf_element(pointer))
  }

  @inline(__always) static var multipliesElements: Bool { true }

  /// Five rows, or six.
  @inline(__always) static func multiplied(
    _ product: TileProduct, rows: Int, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
  ) -> Bool {
    guard rows >= 5 else { return false }
    var tile = ardf_tile(
      segments: product.segments, depth: product.depth, row_capacity: product.rowCapacity,
      column_stride: product.columnStride, output_stride: product.outputStride, ahead: product.ahead,
      rows: UnsafeRawPointer(product.rows).assumingMemoryBound(to: UnsafePointer<Float>?.self),
      columns: product.columns, initial: initial, output: product.output,
      tile_floats: storesEverySegment ? tileFloats : 0)
    if rows == 6 { ardf_multiply_tile_6(&tile) } else { ardf_multiply_tile_5(&tile) }
    return true
  }

  /// A pixel that is loaded serves three sums, so that multiply-adds, not loads, take the time.
  @inline(__always) static var stripPixels: Int { 12 }

  @inline(__always) static func strip(_ strip: DepthwiseStrip) -> StripSums {
    let sums = ardf_depthwise_strip(
      strip.source, strip.pixelStride, strip.rowStride, strip.weights, strip.channels, strip.rows, strip.bias)
    return sums.sums
  }
}
