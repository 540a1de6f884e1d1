// The maps of these kernels hold floats or bf16, each map one of them. All arithmetic is in floats.

import CKernelShims
import NNKernelInterface

/// The upper halves of floats.
struct BFloat16Element: MapElement {
  @inline(__always) var size: Int { MemoryLayout<UInt16>.size }
  @inline(__always) func load(_ pointer: UnsafeRawPointer) -> Vector { ardf_bf16_load(pointer) }
  @inline(__always) func load(_ pointer: UnsafeRawPointer, count: Int) -> Vector {
    ardf_bf16_load_partial(pointer, count)
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer) {
    ardf_bf16_store(pointer, vector)
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, count: Int) {
    ardf_bf16_store_partial(pointer, vector, count)
  }
  @inline(__always) func storeTwo(_ low: Vector, _ high: Vector, _ pointer: UnsafeMutableRawPointer) {
    ardf_bf16_store_two(pointer, low, high)
  }
}

/// A type that is known when the loop runs.
extension ElementType: MapElement {
  @inline(__always) var size: Int { self == .float32 ? Float32Element().size : BFloat16Element().size }
  @inline(__always) func load(_ pointer: UnsafeRawPointer) -> Vector {
    switch self {
    case .float32: Float32Element().load(pointer)
    case .bfloat16: BFloat16Element().load(pointer)
    }
  }
  @inline(__always) func load(_ pointer: UnsafeRawPointer, count: Int) -> Vector {
    switch self {
    case .float32: Float32Element().load(pointer, count: count)
    case .bfloat16: BFloat16Element().load(pointer, count: count)
    }
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer) {
    switch self {
    case .float32: Float32Element().store(vector, pointer)
    case .bfloat16: BFloat16Element().store(vector, pointer)
    }
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, count: Int) {
    switch self {
    case .float32: Float32Element().store(vector, pointer, count: count)
    case .bfloat16: BFloat16Element().store(vector, pointer, count: count)
    }
  }

  @inline(__always)
  func range(_ source: UnsafeRawPointer, _ count: Int) -> (low: Float, high: Float) {
    switch self {
    case .float32: Float32Element().range(source, count)
    case .bfloat16: BFloat16Element().range(source, count)
    }
  }

  /// The type as a value that loads ask.
  @inline(__always) var asked: ElementType { self }

  /// Runs the loop that is compiled for this type.
  @inline(__always)
  func run<Loop: ElementLoop>(_: Loop.Type, _ operands: Loop.Operands) {
    switch self {
    case .float32: Loop.run(Float32Element(), operands)
    case .bfloat16: Loop.run(BFloat16Element(), operands)
    }
  }
}

/// The activation functions of steps without products.
typealias StepFunctions = RoughFunctions

/// Copies `count` elements as bf16.
@inline(__always)
func copyRounded(
  _ source: UnsafeRawPointer, _ element: ElementType, _ target: UnsafeMutableRawPointer, _ count: Int
) {
  var index = 0
  if element == .bfloat16 {
    while index &+ 32 <= count {
      let words = (source + 2 &* index).loadUnaligned(as: SIMD16<UInt32>.self)
      (target + 2 &* index).storeBytes(of: words, as: SIMD16<UInt32>.self)
      index &+= 32
    }
  } else {
    while index &+ 32 <= count {
      ardf_bf16_store_two(
        target + 2 &* index, Float32Element().load(source + 4 &* index),
        Float32Element().load(source + 4 &* index + 64))
      index &+= 32
    }
  }
  while index &+ 16 <= count {
    BFloat16Element().store(element.load(source + element.size &* index), target + 2 &* index)
    index &+= 16
  }
  if index < count {
    BFloat16Element().store(
      element.load(source + element.size &* index, count: count &- index), target + 2 &* index,
      count: count &- index)
  }
}

/// Writes `count` zeros of bf16.
@inline(__always)
func clear(_ target: UnsafeMutableRawPointer, _ count: Int) {
  let zero = Vector(repeating: 0)
  forEachVector(count) { BFloat16Element().storeSome(zero, target + 2 &* $0, $1) }
}

/// The nearest bf16, ties to even; not for NaN.
@inline(__always)
func rounded(_ x: Float) -> UInt16 {
  let bits = x.bitPattern
  return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
}
