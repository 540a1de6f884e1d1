import Synchronization

/// The memory of all requests, the data made from them, and answers: a request that does not fit is refused before
/// memory is allocated.
package final class MemoryBudget: Sendable {
  /// Most bytes of all requests together.
  package let limit: Int
  /// Most bytes of one request; a quarter is left for others.
  package var each: Int { limit - limit / 4 }
  private let taken = Mutex(0)

  /// - `limit`: bytes, not negative.
  package init(limit: Int) { self.limit = max(0, limit) }

  /// Bytes that are held now.
  var held: Int { taken.withLock { $0 } }

  /// One request's reservation, from its first byte to the last of its answer; the last reference returns it.
  package final class Reservation: Sendable {
    private let budget: MemoryBudget
    private let bytes = Mutex(0)

    package init(_ budget: MemoryBudget) { self.budget = budget }

    /// Bytes that all requests hold now.
    package var heldByAll: Int { budget.held }

    /// Takes more of the budget; call it before allocating.
    ///
    /// - Throws: `Refusal.needsTooMuch` where one request may not hold that, `.overloaded` where others hold it now.
    package func take(_ count: Int) throws(Refusal) {
      precondition(count >= 0, "bytes are counted from 0")
      let refusal: Refusal? = bytes.withLock { bytes in
        guard count <= budget.each - bytes else {
          let (needed, overflow) = bytes.addingReportingOverflow(count)
          return .needsTooMuch(bytes: overflow ? .max : needed, limit: budget.each)
        }
        let fits = budget.taken.withLock { taken in
          guard count <= budget.limit - taken else { return false }
          taken += count
          return true
        }
        guard fits else {
          return .overloaded("requests under way hold the memory that there is; try again", retryAfter: 1)
        }
        bytes += count
        return nil
      }
      if let refusal { throw refusal }
    }

    /// Returns bytes that were taken and are no longer held.
    package func give(_ count: Int) {
      let given = bytes.withLock { bytes in
        let given = min(max(0, count), bytes)
        bytes -= given
        return given
      }
      budget.taken.withLock { $0 -= given }
    }

    /// Sets the bytes that the request holds, whatever it held before.
    ///
    /// - Throws: as `take`.
    package func hold(_ count: Int) throws(Refusal) {
      let held = bytes.withLock { $0 }
      if count > held { try take(count - held) } else { give(held - count) }
    }

    /// Takes more while `body` runs.
    ///
    /// - Throws: as `take`, and what `body` throws.
    package func holding<Result>(_ count: Int, _ body: () throws -> Result) throws -> Result {
      try take(count)
      defer { give(count) }
      return try body()
    }

    deinit { give(.max) }
  }
}
