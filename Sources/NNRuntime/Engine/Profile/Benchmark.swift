/// How long whole runs of a session take.
package struct Benchmark: Sendable {
  /// Runs that count, at the least.
  package var runs: Int
  /// Runs before the first that counts.
  package var warmUp: Int
  /// Least total time of the runs that count, in seconds.
  package var seconds: Double

  /// Measures at least `runs` runs after `warmUp` others, and more until `seconds` have passed.
  package init(runs: Int, warmUp: Int, seconds: Double = 0) {
    precondition(runs > 0 && warmUp >= 0 && seconds >= 0, "what to measure")
    self.runs = runs
    self.warmUp = warmUp
    self.seconds = seconds
  }

  /// Milliseconds of every run of `session` on `input` (the elements of its only input, channels last); outputs
  /// are left where they lie.
  package func measure(
    _ session: Session, input: [Float], progress: (Int) -> Void = { _ in }
  ) -> [Double] {
    let recorder = RunRecorder(session, input: input)
    for _ in 0..<warmUp { _ = recorder.plainRun() }
    var times: [Double] = []
    let begin = monotonicNanoseconds()
    while times.count < runs || milliseconds(begin..<monotonicNanoseconds()) < seconds * 1000 {
      times.append(milliseconds(recorder.plainRun()))
      progress(times.count)
    }
    return times
  }

  /// Runs `session` once and reads all its outputs.
  package static func outputs(_ session: Session, input: [Float]) -> [(name: String, value: Tensor)] {
    RunRecorder(session, input: input).outputs()
  }
}
