import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Independent work on all processors.
enum Parallel {
  /// Steps of work below which threads cost more than they save.
  private static let least = 1 << 15
  private static let processors = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)

  /// Calls `body` with ranges that make up `0..<count`, side by side where that is worth it.
  ///
  /// `cost`: steps of work of one of them.
  static func ranges(_ count: Int, cost: Int, _ body: @Sendable (Range<Int>) -> Void) {
    guard count > 0 else { return }
    let shares = min(count, 4 * processors)
    let work = count.multipliedReportingOverflow(by: cost)
    guard shares > 1, work.overflow || work.partialValue > least else { return body(0..<count) }
    DispatchQueue.concurrentPerform(iterations: shares) { share in
      body(count * share / shares..<count * (share + 1) / shares)
    }
  }
}
