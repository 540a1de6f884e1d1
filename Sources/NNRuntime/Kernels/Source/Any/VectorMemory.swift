// Sixteen elements between memory and registers; in registers all are floats.

import CKernelShims
import NNKernelInterface

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Vector {
  UnsafeRawPointer(pointer).loadUnaligned(as: Vector.self)
}

@inline(__always)
func store(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: Vector.self)
}

/// Element type of a map: a type without a value where a loop is compiled for it, or a value that every load checks.
protocol MapElement {
  /// Bytes.
  var size: Int { get }
  /// Sixteen elements.
  func load(_ pointer: UnsafeRawPointer) -> Vector
  /// The first `count` elements, at most sixteen; zeros after them.
  func load(_ pointer: UnsafeRawPointer, count: Int) -> Vector
  /// Stores sixteen elements.
  func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer)
  /// Stores the first `count` elements, at most sixteen.
  func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, count: Int)
  /// Stores thirty-two elements.
  func storeTwo(_ low: Vector, _ high: Vector, _ pointer: UnsafeMutableRawPointer)
  /// The least of `count` elements and zero, and the largest; one of them is NaN where an element is NaN.
  func range(_ pointer: UnsafeRawPointer, _ count: Int) -> (low: Float, high: Float)
}

extension MapElement {
  /// Sixteen elements, or the `count` there are and zeros after them.
  @inline(__always)
  func loadSome(_ pointer: UnsafeRawPointer, _ count: Int) -> Vector {
    count == 16 ? load(pointer) : load(pointer, count: count)
  }

  /// Stores sixteen elements, or the `count` there are.
  @inline(__always)
  func storeSome(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, _ count: Int) {
    if count == 16 { store(vector, pointer) } else { store(vector, pointer, count: count) }
  }

  /// Stores thirty-two elements.
  @inline(__always)
  func storeTwo(_ low: Vector, _ high: Vector, _ pointer: UnsafeMutableRawPointer) {
    store(low, pointer)
    store(high, pointer + 16 &* size)
  }

  /// Bits of floats are ordered as integers: of positive ones as signed, of negative ones, the other way round, as
  /// unsigned; those that are not numbers lie beyond infinities.
  @inline(__always)
  func range(_ pointer: UnsafeRawPointer, _ count: Int) -> (low: Float, high: Float) {
    var (most, least) = (Vector(repeating: 0), Vector(repeating: -0.0))
    forEachVector(count) {
      let x = loadSome(pointer + $0 &* size, $1)
      most = ardf_larger_signed(most, x)
      least = ardf_larger_unsigned(least, x)
    }
    return (
      Float(bitPattern: ardf_largest_unsigned(least)), Float(bitPattern: ardf_largest_signed(most))
    )
  }
}

/// Single precision.
struct Float32Element: MapElement {
  @inline(__always) var size: Int { MemoryLayout<Float>.size }
  @inline(__always) func load(_ pointer: UnsafeRawPointer) -> Vector {
    pointer.loadUnaligned(as: Vector.self)
  }
  @inline(__always) func load(_ pointer: UnsafeRawPointer, count: Int) -> Vector {
    loadPartial(pointer.assumingMemoryBound(to: Float.self), count: count)
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer) {
    pointer.storeBytes(of: vector, as: Vector.self)
  }
  @inline(__always) func store(_ vector: Vector, _ pointer: UnsafeMutableRawPointer, count: Int) {
    storePartial(vector, pointer.assumingMemoryBound(to: Float.self), count: count)
  }
}

/// A loop that is compiled once for each type of element that the maps of an instruction set's kernels may hold.
protocol ElementLoop {
  /// Operands of the loop.
  associatedtype Operands

  static func run<Element: MapElement>(_ element: Element, _ operands: Operands)
}

extension MapPointer {
  /// The address of the element `offset` elements after the first.
  @inline(__always) func address(_ offset: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(base) + offset &* element.asked.size
  }
}

extension MutableMapPointer {
  /// The address of the element `offset` elements after the first.
  @inline(__always) func address(_ offset: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(base) + offset &* element.asked.size
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
