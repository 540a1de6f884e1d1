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
    precondition(left.count == rows * depth && right.count == depth * columns)
    if rows <= Self.fewRows { return unsafe multiplyFewRows(left, right) }
    return unsafe right.withUnsafeBufferPointer { right in
      unsafe multiply(left) { first, count, panel in
        for k in 0..<depth {
          let (from, to) = unsafe (right.baseAddress! + k * columns + first, panel + k * Self.width)
          if count == Self.width {
            for column in 0..<Self.width { unsafe to[column] = from[column] }
          } else {
            for column in 0..<count { unsafe to[column] = from[column] }
          }
        }
      }
    }
  }

  /// `left` (rows x depth) by the transpose of `right` (columns x depth).
  func multiply(_ left: ArraySlice<T>, transposed right: ArraySlice<T>) -> [T] {
    precondition(left.count == rows * depth && right.count == depth * columns)
    return unsafe right.withUnsafeBufferPointer { right in
      guard rows > Self.fewRows, depth > 0 else { return unsafe dotProducts(left, right) }
      return unsafe multiply(left) { first, count, panel in
        for column in 0..<count {
          let from = unsafe right.baseAddress! + (first + column) * depth
          for k in 0..<depth { unsafe panel[k * Self.width + column] = from[k] }
        }
      }
    }
  }

  /// Most rows for which packing a panel costs more than it saves.
  private static var fewRows: Int { 4 }

  /// Each row of the right matrix is added to the results as it lies there.
  @unsafe private func multiplyFewRows(_ left: ArraySlice<T>, _ right: ArraySlice<T>) -> [T] {
    unsafe [T](count: rows * columns) { made in
      unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
          nonisolated(unsafe) let shared = unsafe (
            left: left.baseAddress, right: right.baseAddress, made: made
          )
          Parallel.ranges((columns + 255) / 256, cost: 256 * rows * depth) { range in
            for block in range {
              let (first, last) = (256 * block, min(256 * (block + 1), columns))
              for row in 0..<rows {
                let to = unsafe shared.made + row * columns
                for column in first..<last { unsafe to[column] = 0 }
                guard depth > 0, let left = unsafe shared.left, let right = unsafe shared.right else {
                  continue
                }
                for k in 0..<depth {
                  let (factor, from) = unsafe (left[row * depth + k], right + k * columns)
                  for column in first..<last { unsafe to[column] += factor * from[column] }
                }
              }
            }
          }
        }
      }
    }
  }

  /// Rows of both matrices by each other.
  @unsafe private func dotProducts(_ left: ArraySlice<T>, _ right: UnsafeBufferPointer<T>) -> [T] {
    unsafe [T](count: rows * columns) { made in
      unsafe left.withUnsafeBufferPointer { left in
        nonisolated(unsafe) let shared = unsafe (left: left.baseAddress, right: right.baseAddress, made: made)
        Parallel.ranges(columns, cost: rows * depth) { range in
          for column in range {
            for row in 0..<rows {
              guard depth > 0, let left = unsafe shared.left, let right = unsafe shared.right else {
                unsafe shared.made[row * columns + column] = 0
                continue
              }
              let (a, b) = unsafe (left + row * depth, right + column * depth)
              unsafe shared.made[row * columns + column] = dot(a, b)
            }
          }
        }
      }
    }
  }

  @unsafe @inline(__always) private func dot(_ a: UnsafePointer<T>, _ b: UnsafePointer<T>) -> T {
    var (sums, k) = (SIMD8<T>.zero, 0)
    while k + 8 <= depth {
      unsafe sums +=
        UnsafeRawPointer(a + k).loadUnaligned(as: SIMD8<T>.self)
        * UnsafeRawPointer(b + k).loadUnaligned(as: SIMD8<T>.self)
      k += 8
    }
    var sum = sums.sum()
    while k < depth {
      unsafe sum += a[k] * b[k]
      k += 1
    }
    return sum
  }

  /// `left` by a matrix whose columns are packed when they are needed, on several threads.
  @unsafe func multiply(_ left: ArraySlice<T>, packing: @escaping Packing) -> [T] {
    precondition(left.count == rows * depth)
    guard rows > 0, columns > 0 else { return [] }
    let panels = (columns + Self.width - 1) / Self.width
    // A few panels per share: each packs into memory of its own.
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
          Parallel.forEach(shares, body)
        } else {
          for share in 0..<shares { body(share) }
        }
      }
    }
  }

  /// Memory that all shares use; each writes columns of its own.
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
