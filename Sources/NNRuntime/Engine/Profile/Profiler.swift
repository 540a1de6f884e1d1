/// Measures what every layer of a session costs.
public struct Profiler: Sendable {
  /// Profiled iterations; as many more run without being profiled.
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
    let plan = session.plan
    let recorder = RunRecorder(session, input: input)
    for _ in 0..<warmUp { _ = recorder.plainRun() }
    var layerTimes = [[Double]](repeating: [], count: plan.layers.count)
    var (inputTimes, betweenTimes, outputTimes): ([Double], [Double], [Double]) = ([], [], [])
    var (wall, plain): ([Double], [Double]) = ([], [])
    var recorded: [RunTrace] = []
    for iteration in 0..<iterations {
      if iteration.isMultiple(of: 2) { plain.append(milliseconds(recorder.plainRun())) }
      let isRecorded = iteration >= iterations - traces
      let trace = recorder.observedRun(chunks: isRecorded)
      if isRecorded { recorded.append(trace) }
      if !iteration.isMultiple(of: 2) { plain.append(milliseconds(recorder.plainRun())) }
      for span in trace.layers { layerTimes[span.layer].append(milliseconds(span.time)) }
      wall.append(milliseconds(trace.whole))
      inputTimes.append(milliseconds(trace.input))
      betweenTimes.append(milliseconds(trace.betweenLayers))
      outputTimes.append(milliseconds(trace.output))
      progress(iteration + 1)
    }
    let bytes = plan.layerBytes
    let layers = plan.layers.indices.filter { !layerTimes[$0].isEmpty }.map { index in
      NetworkProfile.Row(plan.layers[index], bytes: bytes[index], times: layerTimes[index])
    }
    let overhead = [
      ("[input]", inputTimes), ("[between layers]", betweenTimes), ("[output]", outputTimes),
    ].map { NetworkProfile.Row(name: $0.0, times: $0.1, isOverhead: true) }
    return NetworkProfile(
      network: plan.name, kernels: plan.kernelName, threads: session.threads,
      rows: layers + overhead, wall: wall, plain: plain, ceiling: ceiling, traces: recorded)
  }
}

extension NetworkProfile.Row {
  fileprivate init(_ layer: PlannedLayer, bytes: Int, times: [Double]) {
    self.init(
      name: layer.name, operation: layer.operation, algorithm: layer.choice.algorithm.rawValue,
      shape: layer.inputs.map(\.description).joined(separator: " ") + " -> " + layer.output.description,
      operations: layer.operations, bytes: bytes, times: times)
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
