import FileFormats
import NNRuntime
import TestSupport
import Testing

/// Relative L2 of a small network in single precision against the same in double precision.
private let singlePrecision = 1e-5

@Suite("Session")
struct SessionTests {
  private func run(_ graph: Graph, _ options: PlanOptions, threads: Int, input: [Float]) throws -> [[Float]] {
    try SampleNetwork.run(graph, options, threads: threads, input: input)
  }

  private func sample() -> (Graph, [Float]) { SampleNetwork.sample() }

  @Test("the result is the same bytes for every number of threads and every run")
  func deterministic() throws {
    let (graph, input) = sample()
    let reference = try run(graph, PlanOptions(), threads: 1, input: input)
    for threads in [1, 2, 4, 8] {
      #expect(try run(graph, PlanOptions(), threads: threads, input: input) == reference)
    }
  }

  @Test(
    "weights give the same bytes wherever they lie: aligned or not, as single or double precision, or computed",
    arguments: Precision.available)
  func weightsPackTheSameFromAnyStorage(precision: Precision) throws {
    func unaligned(_ shape: [Int], _ values: [Float]) -> Tensor {
      let bytes = FileBytes([0] + rawBytes(of: values))
      return Tensor(shape: shape, dtype: .float32, storage: TensorStorage(bytes.slice(1..<bytes.count)))
    }
    func double(_ shape: [Int], _ values: [Float]) -> Tensor {
      Tensor(shape: shape, dtype: .float64, storage: TensorStorage(copying: values.map(Double.init)))
    }
    func computed(_ shape: [Int], _ values: [Float]) -> Tensor {
      Tensor(shape: shape, dtype: .float32, storage: TensorStorage(count: values.count) { values })
    }
    let (graph, input) = sample()
    var options = PlanOptions()
    options.precision = precision
    if precision == .bf16 { options.instructionSet = .reduced }
    let reference = try run(graph, options, threads: 2, input: input)
    for stored in [unaligned, double, computed] {
      var random = SplitMix64(seed: 3)
      let same = SampleNetwork.network(&random, stored: stored)
      #expect(try run(same, options, threads: 2, input: input) == reference)
    }
  }

  @Test("fusion and reused memory change nothing but rounding")
  func fusedEqualsUnfused() throws {
    let (graph, input) = sample()
    let fused = try run(graph, PlanOptions(), threads: 2, input: input)
    let plain = try run(graph, PlanOptions(fuse: false, retain: true), threads: 2, input: input)
    for (a, b) in zip(fused, plain) {
      #expect(a.contains { $0 != 0 })
      #expect(relativeL2(a, b) < singlePrecision)
    }
  }

  @Test("the two backends agree")
  func backendsAgree() throws {
    let (graph, input) = sample()
    let native = try run(graph, PlanOptions(), threads: 2, input: input)
    let blas = try run(graph, PlanOptions(backend: .openBLAS), threads: 2, input: input)
    for (a, b) in zip(native, blas) { #expect(relativeL2(a, b) < singlePrecision) }
  }

  /// A 1x1 and a transposed convolution of many channels.
  private func wide(_ height: Int, _ width: Int) -> (Graph, [Float]) {
    var random = SplitMix64(seed: 5)
    func tensor(_ shape: [Int]) -> Tensor {
      Tensor(
        shape: shape,
        floats: (0..<shape.reduce(1, *)).map { _ in Float.random(in: -0.1...0.1, using: &random) })
    }
    let builder = GraphBuilder(name: "wide")
    let x = builder.input("x", height: height, width: width, channels: 192)
    let y = x.convolution(tensor([256, 192, 1, 1]), bias: tensor([256]), name: "wide").activation(
      .silu, name: "act")
    let z = y.transposedConvolution(tensor([256, 192, 2, 2]), bias: tensor([192]), stride: 2, name: "up")
    return (builder.finished(outputs: [("z", z)]), SeededInput.uniform(count: height * width * 192))
  }

  @Test("Strassen's products, of 1x1 and transposed convolutions, agree on all backends and for any threads")
  func strassen() throws {
    let (graph, input) = wide(32, 33)
    let plan = try Plan(graph)
    #expect(plan.layers.contains { $0.choice.algorithm == .strassen })
    #expect(plan.layers.contains { $0.choice.algorithm == .subpixel && $0.choice.reason.contains("eighth") })
    let native = try run(graph, PlanOptions(), threads: 1, input: input)
    for threads in [2, 3, 8] {
      #expect(try run(graph, PlanOptions(), threads: threads, input: input) == native)
    }
    let blas = try run(graph, PlanOptions(backend: .openBLAS), threads: 2, input: input)
    #expect(relativeL2(native[0], blas[0]) < singlePrecision)
  }

  @Test("sessions of two sizes share weights only where they are packed alike")
  func sizesShareWeights() throws {
    let weights = PackedWeights()
    let pool = ThreadPool(threads: 2)
    for (height, width) in [(32, 33), (8, 9)] {
      let (graph, input) = wide(height, width)
      let found = try Session(Plan(graph), pool: pool, weights: weights).run { inputs in
        try inputs.fill(inputs.input("x"), with: input)
      } read: {
        try $0.elements(of: $0.output("z"))
      }
      #expect(try run(graph, PlanOptions(), threads: 2, input: input) == [found])
    }
  }

  @Test("every instruction set agrees with the others", arguments: InstructionSet.available)
  func instructionSetsAgree(instructionSet: InstructionSet) throws {
    let (graph, input) = sample()
    var options = PlanOptions()
    options.instructionSet = instructionSet
    let forced = try run(graph, options, threads: 2, input: input)
    let blas = try run(graph, PlanOptions(backend: .openBLAS), threads: 2, input: input)
    for (a, b) in zip(forced, blas) { #expect(relativeL2(a, b) < singlePrecision) }
    #expect(try run(graph, options, threads: 3, input: input) == forced)
  }

  @Test("sessions of one model share packed weights and don't disturb each other")
  func sharedWeights() throws {
    let (graph, input) = sample()
    let plan = try Plan(graph)
    let weights = PackedWeights()
    let pool = ThreadPool(threads: 2)
    let sessions = (0..<3).map { _ in Session(plan, pool: pool, weights: weights) }
    let bytes = weights.bytes
    let results = try sessions.map { session in
      try session.run { inputs in
        try inputs.fill(inputs.input("x"), with: input)
      } read: {
        try $0.elements(of: $0.output("grid"))
      }
    }
    #expect(weights.bytes == bytes && bytes > 0)
    #expect(results[0] == results[1] && results[1] == results[2])
  }

  @Test("a retained plan gives every layer's result by name")
  func layerResults() throws {
    let (graph, input) = sample()
    let session = Session(try Plan(graph, options: PlanOptions(fuse: false, retain: true)))
    try session.run { inputs in
      try inputs.fill(inputs.input("x"), with: input)
    } read: { outputs in
      let whole = outputs.value(named: "cat")
      let part = outputs.value(named: "m.add")
      #expect(whole?.shape == MapShape(height: 6, width: 10, channels: 48))
      #expect(part?.elements.first == whole?.elements[32])
      #expect(outputs.value(named: "nowhere") == nil)
    }
  }

  @Test("the profile covers every step")
  func profile() throws {
    let (graph, _) = sample()
    let plan = try Plan(graph)
    var seen = Set<Int>()
    Session(plan).profile(prepare: { _ in }, observe: { layer, _ in seen.insert(layer) }, read: { _ in })
    let working = plan.layers.indices.filter { plan.layers[$0].choice.algorithm != .none }
    #expect(seen == Set(working))
  }
}
