import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Independent work on several threads.
package enum Parallel {
  /// Steps of work below which threads cost more than they save.
  private static let least = 1 << 15
  private static let processors = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)

  /// Threads that work side by side: one per processor, unless who runs a network says how many.
  @TaskLocal package static var threads = processors

  /// Calls `body` with ranges that make up `0..<count`, side by side where that is worth it.
  ///
  /// `cost`: steps of work of one of them.
  package static func ranges(_ count: Int, cost: Int, _ body: @Sendable (Range<Int>) -> Void) {
    guard count > 0 else { return }
    let shares = min(count, 4 * threads)
    let work = count.multipliedReportingOverflow(by: cost)
    guard shares > 1, work.overflow || work.partialValue > least else { return body(0..<count) }
    forEach(shares) { share in body(count * share / shares..<count * (share + 1) / shares) }
  }

  /// Calls `body` with each of `0..<count`, side by side: who is done takes the next.
  package static func forEach(_ count: Int, threads: Int = threads, _ body: @Sendable (Int) -> Void) {
    let workers = min(count, threads)
    guard workers > 1 else {
      for index in 0..<count { body(index) }
      return
    }
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        body(index)
      }
    }
  }

  /// Two arrays of `count` rows each, of which `fill` writes whole ranges of rows, side by side.
  ///
  /// - Parameters:
  ///   - count: Rows.
  ///   - width: Elements of a row.
  ///   - threads: That work side by side.
  ///   - fill: Called with a range of rows and their elements in both arrays, all of which it writes.
  /// - Returns: Both arrays, of `count` x `width` elements each.
  package static func rows<First: BitwiseCopyable, Second: BitwiseCopyable>(
    _ count: Int, width: Int, threads: Int,
    _ fill: @Sendable (Range<Int>, inout MutableSpan<First>, inout MutableSpan<Second>) -> Void
  ) -> ([First], [Second]) {
    var second: [Second] = []
    let shares = threads > 1 ? min(count, 4 * threads) : 1
    let first = unsafe [First](count: count * width) { first in
      second = unsafe [Second](count: count * width) { second in
        nonisolated(unsafe) let (first, second) = unsafe (first, second)
        forEach(shares, threads: threads) { share in
          let rows = count * share / shares..<count * (share + 1) / shares
          let (start, length) = (rows.lowerBound * width, rows.count * width)
          let own = unsafe UnsafeMutableBufferPointer(start: first + start, count: length)
          let other = unsafe UnsafeMutableBufferPointer(start: second + start, count: length)
          var elements = unsafe own.mutableSpan
          var others = unsafe other.mutableSpan
          fill(rows, &elements, &others)
        }
      }
    }
    return (first, second)
  }

  /// An array of `count` rows, of which `fill` writes whole ranges of rows, side by side.
  ///
  /// - Parameters:
  ///   - count: Rows.
  ///   - width: Elements of a row.
  ///   - threads: That work side by side.
  ///   - fill: Called with a range of rows and their elements, all of which it writes.
  /// - Returns: The array, of `count` x `width` elements.
  package static func rows<Element: BitwiseCopyable>(
    _ count: Int, width: Int, threads: Int,
    _ fill: @Sendable (Range<Int>, inout MutableSpan<Element>) -> Void
  ) -> [Element] {
    let shares = threads > 1 ? min(count, 4 * threads) : 1
    return unsafe [Element](count: count * width) { all in
      nonisolated(unsafe) let all = unsafe all
      forEach(shares, threads: threads) { share in
        let rows = count * share / shares..<count * (share + 1) / shares
        let own = unsafe UnsafeMutableBufferPointer(
          start: all + rows.lowerBound * width, count: rows.count * width)
        var elements = unsafe own.mutableSpan
        fill(rows, &elements)
      }
    }
  }
}
