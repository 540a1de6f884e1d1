// Pixels of three channels from planes of a channel each.

import CKernelShims
import NNKernelInterface

/// Three channels of the pixels of a row, each in a row of its own.
struct PlaneRow {
  /// First elements of the three rows.
  let first, second, third: UnsafeRawPointer
  let element: ElementType

  /// Row `y` of the planes of `map`.
  @inline(__always)
  init(_ map: MapPointer, _ y: Int) {
    element = map.element
    first = map.address(y &* map.pixelStride)
    second = map.address(map.rowStride &+ y &* map.pixelStride)
    third = map.address(2 &* map.rowStride &+ y &* map.pixelStride)
  }

  /// Writes `count` pixels to `target`, and up to `slack` more elements of any value.
  @inline(__always)
  func interleave<Element: MapElement>(
    _ count: Int, into target: UnsafeMutableRawPointer, as made: Element
  ) {
    let source = element.asked
    let size = source.size
    forEachVector(count) { x, pixels in
      let a = source.loadSome(first + x &* size, pixels)
      let b = source.loadSome(second + x &* size, pixels)
      let c = source.loadSome(third + x &* size, pixels)
      let place = target + 3 &* x &* made.size
      made.storeTwo(ardf_first_third(a, b, c), ardf_second_third(a, b, c), place)
      made.store(ardf_last_third(a, b, c), place + 32 &* made.size)
    }
  }

  /// Elements after the last pixel that are written too.
  @inline(__always) static var slack: Int { 48 }
}
