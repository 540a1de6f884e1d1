import Synchronization

/// Hands over the newest value only: a value that was not taken is replaced by the next.
///
/// Putting never waits, so a slow reader does not delay the writer. One task reads.
package final class NewestMailbox<Value: Sendable>: Sendable {
  /// The values put in, newest only, until `close`.
  package let values: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation
  private let replacedCount = Mutex(0)

  /// An empty mailbox.
  package init() {
    (values, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How many values were replaced before they were taken.
  package var replaced: Int { replacedCount.withLock { $0 } }

  /// Puts a value in, in place of one that is still there.
  package func put(_ value: Value) {
    if case .dropped = continuation.yield(value) { replacedCount.withLock { $0 += 1 } }
  }

  /// Ends the stream after the value that is still there.
  package func close() { continuation.finish() }
}
