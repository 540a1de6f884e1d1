/// Measures what every layer of a session costs.
public struct Profiler: Sendable {
  /// Profiled iterations; the same number is run without profiling, too.
  public var iterations: Int
  /// Iterations before the first that counts.
  public var warmUp: Int
  /// How many of the profiled iterations, the last ones, have every chunk recorded.
  public var traces: Int

  /// Measures `iterations` after `warmUp`, and records the last `traces` of them.
  public init(iterations: Int, warmUp: Int, traces: Int = 0) {
    precondition(iterations > 0 && warmUp >= 0 && traces >= 0, "what to measure")
    self.iterations = iterations
    self.warmUp = warmUp
    self.traces = traces
  }

  /// Runs `session` on `input` (the elements of its only input, channels last).
  ///
  /// Outputs are read in place. Profiled iterations are interleaved with plain ones, in alternating order, so
  /// that the cost of profiling is not mistaken for other load on the machine. `progress` gets the number of
  /// iterations done.
  public func profile(
    _ session: Session, input: [Float], ceiling: MachineCeiling, progress: (Int) -> Void = { _ in }
  ) -> NetworkProfile {
    profile(RunRecorder(session, input: input), ceiling: ceiling, progress: progress)
  }

  /// Runs whatever has layers; as of a session.
  package func profile<Run: ProfiledRun>(
    _ run: Run, ceiling: MachineCeiling, progress: (Int) -> Void = { _ in }
  ) throws(Run.Failure) -> NetworkProfile {
    for _ in 0..<warmUp { _ = try run.plainRun() }
    let rows = run.rows
    var layerTimes = [[Double]](repeating: [], count: rows.count)
    var (inputTimes, betweenTimes, outputTimes): ([Double], [Double], [Double]) = ([], [], [])
    var (wall, plain): ([Double], [Double]) = ([], [])
    var recorded: [RunTrace] = []
    for iteration in 0..<iterations {
      if iteration.isMultiple(of: 2) { plain.append(milliseconds(try run.plainRun())) }
      let isRecorded = iteration >= iterations - traces
      let trace = try run.observedRun(chunks: isRecorded)
      if isRecorded { recorded.append(trace) }
      if !iteration.isMultiple(of: 2) { plain.append(milliseconds(try run.plainRun())) }
      for span in trace.layers { layerTimes[span.layer].append(milliseconds(span.time)) }
      wall.append(milliseconds(trace.whole))
      inputTimes.append(milliseconds(trace.input))
      betweenTimes.append(milliseconds(trace.betweenLayers))
      outputTimes.append(milliseconds(trace.output))
      progress(iteration + 1)
    }
    let layers = zip(rows, layerTimes).filter { !$1.isEmpty }.map { row, times in
      var row = row
      row.times = times
      return row
    }
    let overhead = [
      ("[input]", inputTimes), ("[between layers]", betweenTimes), ("[output]", outputTimes),
    ].map { NetworkProfile.Row(name: $0.0, times: $0.1, isOverhead: true) }
    return NetworkProfile(
      network: run.name, kernels: run.kernels, threads: run.threads,
      rows: layers + overhead, wall: wall, plain: plain, ceiling: ceiling, traces: recorded)
  }
}

/// A network on one input, that is run repeatedly.
package protocol ProfiledRun {
  /// The error of a run.
  associatedtype Failure: Error

  /// The network's name, whose kernels run, and how many threads.
  var name: String { get }
  var kernels: String { get }
  var threads: Int { get }
  /// Every layer of the plan, without times.
  var rows: [NetworkProfile.Row] { get }

  /// Begin and end of a run without recording, in nanoseconds.
  func plainRun() throws(Failure) -> Range<UInt64>
  /// A run whose layers, and on request chunks, are timed; spans name layers by their index in `rows`.
  func observedRun(chunks: Bool) throws(Failure) -> RunTrace
}

extension Plan {
  /// A row for every layer, without times.
  package var profileRows: [NetworkProfile.Row] {
    zip(layers, layerBytes).map { layer, bytes in
      NetworkProfile.Row(
        name: layer.name, operation: layer.operation, algorithm: layer.choice.algorithm.rawValue,
        shape: layer.inputs.map(\.description).joined(separator: " ") + " -> " + layer.output.description,
        operations: layer.operations, bytes: bytes, times: [])
    }
  }
}

extension RunTrace {
  /// Nanoseconds inside the run, outside its layers: from the end of one to the begin of the next.
  var betweenLayers: UInt64 {
    var end = input.upperBound
    var total: UInt64 = 0
    for span in layers {
      total += span.time.lowerBound - end
      end = span.time.upperBound
    }
    return total + output.lowerBound - end
  }
}

/// The length of a time in milliseconds.
package func milliseconds(_ time: Range<UInt64>) -> Double { milliseconds(time.upperBound - time.lowerBound) }

/// Nanoseconds as milliseconds.
package func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }
