// Functions that an instruction set may replace by its own, with the defaults that apply elsewhere.

import NNKernelInterface

/// Functions with defaults: the `InstructionSet` of a target alone conforms, so that calls are resolved at compile time.
protocol Specializations: DepthwiseGroups {
  /// Whether columns from beyond the second-level cache are prefetched a page ahead, where the hardware prefetchers of x86
  /// stop.
  static var asksForColumns: Bool { get }
  /// A number in all lanes, to multiply with.
  static func repeated(_ pointer: UnsafePointer<Float>) -> Vector
  /// Whether multiply-adds take an element of a register for a number in all lanes; tiles have six rows and sixteen columns
  /// then.
  static var multipliesElements: Bool { get }
  /// Multiplies a tile of `rows` rows of sixteen columns, beginning with the sums `initial`, and stores those of every segment
  /// or the last; false where all is yet to be done.
  static func multiplied(
    _ product: TileProduct, rows: Int, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
  ) -> Bool
}

extension Specializations {
  @inline(__always) static var asksForColumns: Bool { true }
  @inline(__always) static func repeated(_ pointer: UnsafePointer<Float>) -> Vector {
    Vector(repeating: pointer.pointee)
  }
  @inline(__always) static var multipliesElements: Bool { false }
  @inline(__always) static func multiplied(
    _ product: TileProduct, rows: Int, from initial: UnsafePointer<Float>?, storesEverySegment: Bool
  ) -> Bool { false }
}
