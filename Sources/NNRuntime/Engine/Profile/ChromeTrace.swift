import FileFormats

/// Recorded iterations in the Trace Event Format, which Perfetto and Chromium's tracing page open.
///
/// One track a thread. On the calling thread an iteration holds its layers, and a layer its chunks; on the
/// others there are chunks. A counter shows the bytes of intermediate results alive. A layer's arguments are those of its
/// row in the profile.
package enum ChromeTrace {
  /// The document of `profile.traces`.
  package static func document(_ profile: NetworkProfile) -> JSONValue {
    let start = profile.traces.first?.whole.lowerBound ?? 0
    var events: [JSONValue] = [metadata("process_name", thread: 0, "ardf \(profile.network)")]
    for thread in 0..<profile.threads {
      events.append(
        metadata("thread_name", thread: thread, thread == 0 ? "thread 0 (calling)" : "thread \(thread)"))
    }
    let rows = Dictionary(profile.rows.map { ($0.name, arguments($0)) }) { first, _ in first }
    for (index, trace) in profile.traces.enumerated() {
      events += Self.events(trace, iteration: index, start: start, rows: rows)
    }
    return [
      "schema": "ardf.trace-events/1", "traceEvents": .array(events), "displayTimeUnit": "ms",
      "otherData": [
        "network": .string(profile.network), "kernels": .string(profile.kernels),
        "iterations": .string(
          "the last \(profile.traces.count) of the \(profile.wall.count) profiled"),
      ],
    ]
  }

  /// The arguments of a layer's event: the figures in its row of the profile.
  private static func arguments(_ row: NetworkProfile.Row) -> JSONValue {
    [
      "operation": .string(row.operation), "algorithm": .string(row.algorithm), "shape": .string(row.shape),
      "MFLOP": .rounded(row.operations / 1e6, decimals: 3),
      "kB": .rounded(Double(row.bytes) / 1e3, decimals: 3),
      "iterations": .integer(row.times.count), "sumMs": .rounded(row.total, decimals: 6),
      "medianMs": .rounded(TimingSummary(row.times).median, decimals: 6),
    ]
  }

  private static func events(
    _ trace: RunTrace, iteration: Int, start: UInt64, rows: [String: JSONValue]
  ) -> [JSONValue] {
    func event(
      _ name: String, _ kind: JSONValue, _ thread: Int, _ time: Range<UInt64>, arguments: JSONValue? = nil
    ) -> JSONValue {
      var members: [String: JSONValue] = [
        "name": .string(name), "cat": kind, "ph": "X", "pid": 1, "tid": .integer(identifier(thread)),
        "ts": microseconds(time.lowerBound - start), "dur": microseconds(time.upperBound - time.lowerBound),
      ]
      members["args"] = arguments
      return .object(members)
    }
    var events = [
      event("iteration \(iteration)", "iteration", 0, trace.whole),
      event("[input]", "overhead", 0, trace.input),
    ]
    for span in trace.layers {
      let name = trace.names[span.layer]
      events.append(event(name, "layer", 0, span.time, arguments: rows[name]))
      events.append([
        "name": "live bytes", "ph": "C", "pid": 1, "ts": microseconds(span.time.lowerBound - start),
        "args": ["bytes": .integer(trace.liveBytes[span.layer])],
      ])
    }
    for (thread, spans) in trace.chunks.enumerated() {
      events += spans.map { event(trace.names[$0.layer], "chunk", thread, $0.time) }
    }
    return events + [event("[output]", "overhead", 0, trace.output)]
  }

  private static func metadata(_ kind: JSONValue, thread: Int, _ name: String) -> JSONValue {
    ["name": kind, "ph": "M", "pid": 1, "tid": .integer(identifier(thread)), "args": ["name": .string(name)]]
  }

  /// The format's number of a thread: from 1, since Perfetto takes 0 for the main thread, whose number is `pid`.
  private static func identifier(_ thread: Int) -> Int { thread + 1 }

  /// The format's unit; thousandths are nanoseconds.
  private static func microseconds(_ nanoseconds: UInt64) -> JSONValue {
    .rounded(Double(nanoseconds) / 1000, decimals: 3)
  }
}
