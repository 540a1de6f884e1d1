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
  ///
  /// Within a team its free threads take part, `threads` in all at most.
  package static func forEach(_ count: Int, threads: Int = threads, _ body: @Sendable (Int) -> Void) {
    let workers = min(count, threads)
    guard workers > 1 else {
      for index in 0..<count { body(index) }
      return
    }
    team(of: threads) { team in team.share(count, workers: workers, body) }
  }

  /// Runs `body` so that loops within it, those within loops too, share as many threads in all.
  ///
  /// Loops of a team are divided by `forEach`, `rows` and `map`. A team within another's work has that one's threads.
  package static func team<Result>(of threads: Int, _ body: () throws -> Result) rethrows -> Result {
    try team(of: threads) { _ in try body() }
  }

  private static func team<Result>(of threads: Int, _ body: (Team) throws -> Result) rethrows -> Result {
    if let team = Team.current { return try body(team) }
    let team = Team(threads: threads)
    return try Team.$current.withValue(team) { try body(team) }
  }

  /// The number of threads that may work on what the calling thread's team does; 1 without a team.
  package static var teamThreads: Int { Team.current?.threads ?? 1 }

  /// `transform` of each of `0..<count`, in order, computed side by side by the calling thread's team, if it has one.
  package static func map<Value: Sendable>(
    _ count: Int, _ transform: @Sendable (Int) -> Value
  ) -> [Value] {
    let threads = teamThreads
    guard min(count, threads) > 1 else { return (0..<count).map(transform) }
    let found = Mutex([Value?](repeating: nil, count: count))
    forEach(count, threads: threads) { index in
      let value = transform(index)
      found.withLock { $0[index] = value }
    }
    return found.withLock { $0.compactMap(\.self) }
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

extension Parallel {
  /// Threads that share loops: the one that made the team, and helpers who come while they are free.
  ///
  /// `DispatchQueue.concurrentPerform` gives a loop within a loop no threads, even once the outer one has none left to do.
  final class Team: Sendable {
    /// The team of the calling thread's work.
    @TaskLocal static var current: Team?

    /// With the one that made it.
    let threads: Int
    private let free: Atomic<Int>
    /// Loops that have indices left; who waits for helpers takes part in the last.
    private let open = Mutex([Loop]())

    init(threads: Int) {
      self.threads = threads
      free = Atomic(threads - 1)
    }

    /// Calls `body` with each of `0..<count` on `workers` threads if so many are free, the caller's included.
    func share(_ count: Int, workers: Int, _ body: @Sendable (Int) -> Void) {
      withoutActuallyEscaping(body) { body in
        unsafe withUnsafePointer(to: body) { body in
          let loop = unsafe Loop(count, body)
          open.withLock { $0.append(loop) }
          for _ in 0..<take(workers - 1) {
            DispatchQueue.global().async {
              Self.$current.withValue(self) { loop.help() }
              self.free.add(1, ordering: .relaxed)
            }
          }
          loop.run()
          open.withLock { $0.removeAll { $0 === loop } }
          loop.close { self.open.withLock { $0.last } }
        }
      }
    }

    /// Takes up to so many helpers.
    private func take(_ most: Int) -> Int {
      var seen = free.load(ordering: .relaxed)
      while true {
        let taken = min(most, seen)
        guard taken > 0 else { return 0 }
        let (isTaken, now) = free.weakCompareExchange(
          expected: seen, desired: seen - taken, ordering: .relaxed)
        if isTaken { return taken }
        seen = now
      }
    }
  }

  /// A loop whose indices several threads take, each when it is done with one.
  ///
  /// Who comes after it is closed never touches `body`.
  @safe private final class Loop: Sendable {
    /// How often the caller looks whether the helpers are done before it looks for other work.
    private static let looks = 500
    /// How long it sleeps where there is none.
    private static let pause = DispatchTimeInterval.microseconds(30)
    /// Bit of `state` for a closed loop; helpers within it are counted above.
    private static let (closed, helper) = (1, 2)

    private let count: Int
    private nonisolated(unsafe) let body: UnsafePointer<@Sendable (Int) -> Void>
    private let next = Atomic(0)
    private let state = Atomic(0)
    private let isLeft = DispatchSemaphore(value: 0)

    init(_ count: Int, _ body: UnsafePointer<@Sendable (Int) -> Void>) {
      self.count = count
      unsafe self.body = unsafe body
    }

    /// Takes part until all indices are taken.
    @inline(never)
    func run() {
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        unsafe body.pointee(index)
      }
    }

    /// Takes part, unless the loop is closed.
    func help() {
      var seen = state.load(ordering: .relaxed)
      while true {
        guard seen & Self.closed == 0 else { return }
        let (isIn, now) = state.weakCompareExchange(
          expected: seen, desired: seen + Self.helper, ordering: .acquiring)
        if isIn { break }
        seen = now
      }
      run()
      let left = state.subtract(Self.helper, ordering: .acquiringAndReleasing).newValue
      if left == Self.closed { isLeft.signal() }
    }

    /// Lets no one in any more, and waits for those within; takes part in other loops in the meantime.
    func close(other: () -> Loop?) {
      guard state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue != 0 else { return }
      while true {
        for _ in 0..<Self.looks {
          if state.load(ordering: .acquiring) == Self.closed { return isLeft.wait() }
        }
        if let loop = other() {
          loop.help()
        } else if isLeft.wait(timeout: .now() + Self.pause) == .success {
          return
        }
      }
    }
  }
}
