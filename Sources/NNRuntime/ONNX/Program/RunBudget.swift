#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Limits of one run of a program, its subprograms' runs included: a graph of a few bytes may loop for ever, or make
/// more than memory holds.
final class RunBudget {
  /// Steps; a recurrent network of a thousand positions takes a hundred thousand.
  static let mostSteps = 10_000_000
  /// Bytes of all values that are alive at once: most of this machine's memory.
  private static let mostBytes = sysconf(Int32(_SC_PHYS_PAGES)) / 4 * 3 * sysconf(Int32(_SC_PAGESIZE))

  private let mostSteps: Int
  private var steps = 0
  private var bytes = 0

  init(steps: Int = RunBudget.mostSteps) { mostSteps = steps }

  /// Counts a step, and what it has made.
  func add(_ made: Int) throws {
    steps += 1
    bytes += made
    guard steps <= mostSteps else {
      throw ONNXError.malformed("more than \(mostSteps) steps are run: a loop does not end")
    }
    guard bytes <= Self.mostBytes else {
      throw ONNXError.malformed(
        "its values take more than \(Self.mostBytes) bytes, which this machine has not")
    }
  }

  /// Counts what is no longer there.
  func remove(_ released: Int) { bytes -= released }
}
