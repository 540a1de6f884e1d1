import Dispatch
import FileFormats

/// Products of matrices, in column panels that are packed once and multiplied by every row.
///
/// Unsafe: the innermost loops, over memory whose sizes `multiply` checks.
struct MatrixProduct<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable>
where T: AdditiveArithmetic {
  /// Columns of a panel.
  static var width: Int { 16 }

  /// Columns of the right matrix, packed: `depth` rows of `width` elements.
  @unsafe typealias Packing = (_ first: Int, _ count: Int, _ panel: UnsafeMutablePointer<T>) -> Void

  let rows: Int
  let depth: Int
  let columns: Int

  /// `left` (rows x depth) by `right` (depth x columns).
  func multiply(_ left: ArraySlice<T>, _ right: ArraySlice<T>) -> [T] {
    precondition(right.count == depth * columns)
    return unsafe right.withUnsafeBufferPointer { right in
      unsafe multiply(left) { first, count, panel in
        for k in 0..<depth {
          for column in 0..<count {
            unsafe panel[k * Self.width + column] = right[k * columns + first + column]
          }
        }
      }
    }
  }

  /// `left` by a matrix whose columns are packed when they are needed, on all processors.
  @unsafe func multiply(_ left: ArraySlice<T>, packing: @escaping Packing) -> [T] {
    precondition(left.count == rows * depth)
    guard rows > 0, columns > 0 else { return [] }
    let panels = (columns + Self.width - 1) / Self.width
    // A few panels a share: each packs into memory of its own.
    let shares = min(panels, 16)
    return unsafe [T](count: rows * columns) { result in
      unsafe left.withUnsafeBufferPointer { left in
        let shared = unsafe Shared(left: left.baseAddress, result: result, packing: packing)
        let body = { @Sendable (share: Int) in
          unsafe withUnsafeTemporaryAllocation(of: T.self, capacity: max(depth, 1) * Self.width) { memory in
            let panel = memory.baseAddress!
            unsafe panel.initialize(repeating: 0, count: max(depth, 1) * Self.width)
            for index in stride(from: share, to: panels, by: shares) {
              let first = index * Self.width
              let count = min(Self.width, columns - first)
              unsafe shared.packing(first, count, panel)
              unsafe rowBlocks(shared.left, panel, first, count, shared.result)
            }
          }
        }
        if shares > 1, rows * depth * columns > 1 << 16 {
          DispatchQueue.concurrentPerform(iterations: shares, execute: body)
        } else {
          for share in 0..<shares { body(share) }
        }
      }
    }
  }

  /// What all shares use: each writes columns of its own.
  @unsafe private struct Shared: @unchecked Sendable {
    let left: UnsafePointer<T>?
    let result: UnsafeMutablePointer<T>
    let packing: Packing
  }

  /// All rows by one panel.
  @unsafe private func rowBlocks(
    _ left: UnsafePointer<T>?, _ panel: UnsafePointer<T>, _ first: Int, _ count: Int,
    _ result: UnsafeMutablePointer<T>
  ) {
    guard depth > 0, let left = unsafe left else {
      for row in 0..<rows { for column in 0..<count { unsafe result[row * columns + first + column] = 0 } }
      return
    }
    for half in stride(from: 0, to: count, by: 8) {
      let taken = min(8, count - half)
      var row = 0
      while row + 4 <= rows {
        let sums = unsafe four(left + row * depth, panel + half)
        unsafe store(sums.0, taken, result + row * columns + first + half)
        unsafe store(sums.1, taken, result + (row + 1) * columns + first + half)
        unsafe store(sums.2, taken, result + (row + 2) * columns + first + half)
        unsafe store(sums.3, taken, result + (row + 3) * columns + first + half)
        row += 4
      }
      while row < rows {
        unsafe store(one(left + row * depth, panel + half), taken, result + row * columns + first + half)
        row += 1
      }
    }
  }

  @unsafe @inline(__always) private func four(
    _ left: UnsafePointer<T>, _ panel: UnsafePointer<T>
  ) -> (SIMD8<T>, SIMD8<T>, SIMD8<T>, SIMD8<T>) {
    var (a, b, c, d) = (SIMD8<T>.zero, SIMD8<T>.zero, SIMD8<T>.zero, SIMD8<T>.zero)
    for k in 0..<depth {
      let column = unsafe UnsafeRawPointer(panel + k * Self.width).loadUnaligned(as: SIMD8<T>.self)
      unsafe a += column * SIMD8(repeating: left[k])
      unsafe b += column * SIMD8(repeating: left[depth + k])
      unsafe c += column * SIMD8(repeating: left[2 * depth + k])
      unsafe d += column * SIMD8(repeating: left[3 * depth + k])
    }
    return (a, b, c, d)
  }

  @unsafe @inline(__always) private func one(_ left: UnsafePointer<T>, _ panel: UnsafePointer<T>) -> SIMD8<T>
  {
    var sum = SIMD8<T>.zero
    for k in 0..<depth {
      unsafe sum +=
        UnsafeRawPointer(panel + k * Self.width).loadUnaligned(as: SIMD8<T>.self) * SIMD8(repeating: left[k])
    }
    return sum
  }

  @unsafe @inline(__always) private func store(
    _ sum: SIMD8<T>, _ count: Int, _ result: UnsafeMutablePointer<T>
  ) {
    for column in 0..<count { unsafe result[column] = sum[column] }
  }
}
