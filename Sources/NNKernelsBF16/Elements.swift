// Loads and stores of sixteen elements, floats or bf16. All arithmetic is in floats.

import CKernelShims
import NNKernelInterface

extension ElementType {
  /// Bytes of an element.
  @inline(__always) var size: Int { self == .float32 ? Float32Element.size : BFloat16Element.size }
}

extension MapPointer {
  /// The address of the element `offset` elements behind the first.
  @inline(__always) func address(_ offset: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(base) + offset &* element.size
  }
}

extension MutableMapPointer {
  /// The address of the element `offset` elements behind the first.
  @inline(__always) func address(_ offset: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(base) + offset &* element.size
  }
}

/// The upper halves of floats.
enum BFloat16Element: MapElement {
  @inline(__always) static var size: Int { MemoryLayout<UInt16>.size }
  @inline(__always) static func load(_ pointer: UnsafeRawPointer) -> Vector { ardf_bf16_load(pointer) }
}

/// Sixteen elements.
@inline(__always)
func load(_ pointer: UnsafeRawPointer, _ element: ElementType) -> Vector {
  switch element {
  case .float32: pointer.loadUnaligned(as: Vector.self)
  case .bfloat16: ardf_bf16_load(pointer)
  }
}

/// The first `count` elements, at most sixteen; zeros behind them.
@inline(__always)
func load(_ pointer: UnsafeRawPointer, _ element: ElementType, count: Int) -> Vector {
  switch element {
  case .float32: ardf_load_partial(pointer.assumingMemoryBound(to: Float.self), count)
  case .bfloat16: ardf_bf16_load_partial(pointer, count)
  }
}

/// Stores sixteen elements.
@inline(__always)
func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, _ element: ElementType) {
  switch element {
  case .float32: pointer.storeBytes(of: vector, as: Vector.self)
  case .bfloat16: ardf_bf16_store(pointer, vector)
  }
}

/// Stores the first `count` elements, at most sixteen.
@inline(__always)
func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, _ element: ElementType, count: Int) {
  switch element {
  case .float32: ardf_store_partial(pointer.assumingMemoryBound(to: Float.self), vector, count)
  case .bfloat16: ardf_bf16_store_partial(pointer, vector, count)
  }
}

/// Calls `body(first channel, channels)` for whole vectors of channels, and for what is left.
@inline(__always)
func forEachVector(_ channels: Int, _ body: (_ first: Int, _ count: Int) -> Void) {
  var channel = 0
  while channel &+ 16 <= channels {
    body(channel, 16)
    channel &+= 16
  }
  if channel < channels { body(channel, channels &- channel) }
}

/// Sixteen elements, or the `count` there are.
@inline(__always)
func loadSome(_ pointer: UnsafeRawPointer, _ element: ElementType, _ count: Int) -> Vector {
  count == 16 ? load(pointer, element) : load(pointer, element, count: count)
}

/// Stores sixteen elements, or the `count` there are.
@inline(__always)
func storeSome(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, _ element: ElementType, _ count: Int) {
  if count == 16 { store(vector, pointer, element) } else { store(vector, pointer, element, count: count) }
}

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
        target + 2 &* index, load(source + 4 &* index, .float32), load(source + 4 &* index + 64, .float32))
      index &+= 32
    }
  }
  while index &+ 16 <= count {
    store(load(source + element.size &* index, element), target + 2 &* index, .bfloat16)
    index &+= 16
  }
  if index < count {
    store(
      load(source + element.size &* index, element, count: count &- index), target + 2 &* index, .bfloat16,
      count: count &- index)
  }
}

/// Writes `count` zeros of bf16.
@inline(__always)
func clear(_ target: UnsafeMutableRawPointer, _ count: Int) {
  let zero = Vector(repeating: 0)
  forEachVector(count) { storeSome(zero, target + 2 &* $0, .bfloat16, $1) }
}

/// The nearest bf16, ties to even; not for NaN.
@inline(__always)
func rounded(_ x: Float) -> UInt16 {
  let bits = x.bitPattern
  return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
}
