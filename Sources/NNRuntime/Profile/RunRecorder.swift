/// Runs a session on one input again and again.
struct RunRecorder {
  private let session: Session
  private let input: [Float]
  private let inputName: String
  /// What the inputs besides the first are filled with.
  private let others: [(name: String, elements: [Float])]
  private let names: [String]
  private let liveBytes: [Int]

  private static let seed: UInt64 = 2

  /// `input`: of the network's first input; others are fed seeded random numbers in [0, 1).
  init(_ session: Session, input: [Float]) {
    let (name, shape) = session.plan.inputShapes[0]
    precondition(input.count == shape.count, "an input of \(shape)")
    self.session = session
    self.input = input
    inputName = name
    others = session.plan.inputShapes.dropFirst().map { name, shape in
      (name, SeededInput.uniform(count: shape.count, seed: Self.seed))
    }
    names = session.plan.layers.map(\.name)
    liveBytes = session.plan.liveBytes
  }

  private func fill(_ inputs: borrowing SessionInputs) {
    inputs.fill(inputName, with: input)
    for other in others { inputs.fill(other.name, with: other.elements) }
  }

  /// The nanoseconds of a run that nobody watches.
  func plainRun() -> Range<UInt64> {
    let begin = monotonicNanoseconds()
    return begin..<session.run(prepare: fill, read: { _ in monotonicNanoseconds() })
  }

  /// All outputs of a run, (height, width, channels).
  func outputs() -> [(name: String, value: Tensor)] {
    session.run(
      prepare: fill,
      read: { outputs in
        session.plan.outputShapes.map { name, shape in
          let value = outputs.output(name).elements
          return (name, Tensor(shape: [shape.height, shape.width, shape.channels], floats: value))
        }
      })
  }

  /// A run whose layers, and on request chunks, are timed.
  func observedRun(chunks: Bool) -> RunTrace {
    let tracks = chunks ? (0..<session.threads).map { _ in ChunkTrack() } : []
    var layers: [RunTrace.Span] = []
    layers.reserveCapacity(names.count)
    let begin = monotonicNanoseconds()
    var filled = begin
    var record: (@Sendable (Int, Int, Range<UInt64>) -> Void)?
    if chunks { record = { tracks[$0].append(RunTrace.Span(layer: $1, time: $2)) } }
    let read = session.observedRun(
      prepare: { (inputs: borrowing SessionInputs) in
        fill(inputs)
        filled = monotonicNanoseconds()
      },
      layer: { layers.append(RunTrace.Span(layer: $0, time: $1)) }, chunk: record,
      read: { _ in monotonicNanoseconds() })
    let end = monotonicNanoseconds()
    return RunTrace(
      whole: begin..<end, input: begin..<filled, output: read..<end, layers: layers,
      chunks: tracks.map { $0.spans() }, names: names, liveBytes: liveBytes)
  }
}
