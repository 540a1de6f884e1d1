import Synchronization

/// One iteration as it went: when each layer ran, and each of its chunks on which thread; nanoseconds of the
/// monotonic clock.
package struct RunTrace: Sendable {
  /// A part of the time of one thread.
  package struct Span: Sendable, Equatable {
    /// The layer that ran: an index of `names`, or of the plan's layers.
    package let layer: Int
    /// From its begin to its end.
    package let time: Range<UInt64>

    /// Layer `layer` took `time`.
    package init(layer: Int, time: Range<UInt64>) {
      self.layer = layer
      self.time = time
    }
  }

  /// The whole iteration, the filling of the inputs, and the reading of the outputs.
  package let whole, input, output: Range<UInt64>
  /// Layers in running order, on the calling thread.
  package let layers: [Span]
  /// Chunks of each thread; the first is the calling one.
  package let chunks: [[Span]]
  /// Names of the plan's layers.
  package let names: [String]
  /// Bytes of intermediate results alive while each layer of the plan runs.
  package let liveBytes: [Int]

  /// Everything about a trace; see the properties.
  package init(
    whole: Range<UInt64>, input: Range<UInt64>, output: Range<UInt64>, layers: [Span], chunks: [[Span]],
    names: [String], liveBytes: [Int]
  ) {
    self.whole = whole
    self.input = input
    self.output = output
    self.layers = layers
    self.chunks = chunks
    self.names = names
    self.liveBytes = liveBytes
  }
}

/// The chunks that one thread ran; no other thread writes here, so that the lock is never waited for.
package final class ChunkTrack: Sendable {
  private let log = Mutex<[RunTrace.Span]>([])

  /// A thread that ran nothing yet.
  package init() {}

  /// Adds what the thread ran.
  package func append(_ span: RunTrace.Span) { log.withLock { $0.append(span) } }

  /// The chunks that the thread ran, in order.
  package func spans() -> [RunTrace.Span] { log.withLock { $0 } }
}
