/// Runs a session on one input repeatedly.
struct RunRecorder: ProfiledRun {
  private let session: Session
  private let input: [Float]
  private let port: GraphInput
  /// Contents of the inputs besides the first.
  private let others: [(port: GraphInput, elements: [Float])]
  private let names: [String]
  private let liveBytes: [Int]

  private static let seed: UInt64 = 2

  /// `input`: of the network's first input; others are fed seeded random numbers in [0, 1).
  init(_ session: Session, input: [Float]) {
    let inputs = session.plan.inputs
    precondition(input.count == inputs[0].shape.count, "an input of \(inputs[0].shape)")
    self.session = session
    self.input = input
    port = inputs[0]
    others = inputs.dropFirst().map { port in
      (port, SeededInput.uniform(count: port.shape.count, seed: Self.seed))
    }
    names = session.plan.layers.map(\.name)
    liveBytes = session.plan.liveBytes
  }

  var name: String { session.plan.name }
  var kernels: String { session.plan.kernelName }
  var threads: Int { session.threads }
  var rows: [NetworkProfile.Row] { session.plan.profileRows }

  private func fill(_ inputs: borrowing SessionInputs) {
    inputs.fill(port, with: input)
    for other in others { inputs.fill(other.port, with: other.elements) }
  }

  func plainRun() -> Range<UInt64> {
    let begin = monotonicNanoseconds()
    return begin..<session.run(prepare: fill, read: { _ in monotonicNanoseconds() })
  }

  /// All outputs of a run, (height, width, channels).
  func outputs() -> [(name: String, value: Tensor)] {
    session.run(
      prepare: fill,
      read: { outputs in
        session.plan.outputs.map { port in
          let shape = [port.shape.height, port.shape.width, port.shape.channels]
          return (port.name, Tensor(shape: shape, floats: outputs.elements(of: port)))
        }
      })
  }

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
