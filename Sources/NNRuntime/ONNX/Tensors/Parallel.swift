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

  /// Threads that work side by side: one a processor, unless who runs a network says how many.
  @TaskLocal package static var threads = processors

  /// Calls `body` with ranges that make up `0..<count`, side by side where that is worth it.
  ///
  /// `cost`: steps of work of one of them.
  static func ranges(_ count: Int, cost: Int, _ body: @Sendable (Range<Int>) -> Void) {
    guard count > 0 else { return }
    let shares = min(count, 4 * threads)
    let work = count.multipliedReportingOverflow(by: cost)
    guard shares > 1, work.overflow || work.partialValue > least else { return body(0..<count) }
    forEach(shares) { share in body(count * share / shares..<count * (share + 1) / shares) }
  }

  /// Calls `body` with each of `0..<count`, side by side.
  static func forEach(_ count: Int, _ body: @Sendable (Int) -> Void) {
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
}
