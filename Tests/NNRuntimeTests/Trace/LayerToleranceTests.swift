import NNRuntime
import NNVerification
import TestSupport
import Testing

@Suite("What a layer may be off by, and what the comparison of layers says")
struct LayerToleranceTests {
  /// Attention whose logits are as large as in networks with registers: hundreds, so that a rounding of the products
  /// becomes a difference of 1e-4 in the shares.
  private func sharpAttention(scaledBy factor: Float = 1, _ options: PlanOptions) throws -> Session {
    let builder = GraphBuilder(name: "sharp")
    let x = builder.input("input", height: 1, width: 256, channels: 192)
    var layout = AttentionLayout.packed(heads: 1, width: 64)
    layout.scale *= factor
    let graph = builder.finished(outputs: [("y", x.attention(layout, name: "attention"))])
    return Session(try Plan(graph, options: options), pool: ThreadPool(threads: 1))
  }

  private func verified(_ session: Session, _ mode: LayerVerifier.Mode) throws -> VerificationReport {
    let other = try sharpAttention(PlanOptions(backend: .openBLAS))
    return try LayerVerifier(mode: mode).verify(session, against: other) { inputs in
      try inputs.fill(
        inputs.input("input"), with: SeededInput.uniform(count: 256 * 192).map { 80 * ($0 - 0.5) })
    }
  }

  @Test("a layer that enlarges roundings is no fault", arguments: LayerVerifier.Mode.allCases)
  func conditioned(mode: LayerVerifier.Mode) throws {
    let report = try verified(sharpAttention(PlanOptions()), mode)
    let layer = try #require(report.layers.first)
    #expect(report.passed, "\(report.summary)")
    if mode == .isolated {
      #expect(!LayerTolerance.isolated.accepts(layer.difference), "an easy case tests nothing")
      #expect(layer.tolerance.relative > LayerTolerance.isolated.relative)
    }
  }

  @Test("a small fault in such a layer is one", arguments: LayerVerifier.Mode.allCases)
  func faulty(mode: LayerVerifier.Mode) throws {
    let report = try verified(sharpAttention(scaledBy: 1.02, PlanOptions()), mode)
    #expect(!report.passed, "\(report.layers)")
  }

  @Test("what a rule states is not widened")
  func stated() throws {
    let rule = ToleranceTable.Rule(pattern: "*", tolerance: .isolated)
    let report = try LayerVerifier(mode: .isolated, tolerances: ToleranceTable([rule])).verify(
      sharpAttention(PlanOptions()), against: sharpAttention(PlanOptions(backend: .openBLAS))
    ) { inputs in
      try inputs.fill(
        inputs.input("input"), with: SeededInput.uniform(count: 256 * 192).map { 80 * ($0 - 0.5) })
    }
    #expect(report.layers.map(\.tolerance) == [.isolated] && !report.passed)
  }

  /// A convolution, an enlargement and a 1x1 convolution, which a plan does before the enlargement and while it stores
  /// what the first makes.
  private func moved(_ options: PlanOptions = PlanOptions()) throws -> Session {
    let builder = GraphBuilder(name: "moved")
    let x = builder.input("input", height: 168, width: 168, channels: 32)
    let hidden = x.convolution(JoinedNetwork.tensor([64, 32, 3, 3], seed: 1), padding: 1, name: "conv")
      .activation(.relu, name: "relu")
    let large = hidden.resized(height: 240, width: 200, .bilinear(alignCorners: true), name: "resize")
    let y = large.convolution(
      JoinedNetwork.tensor([3, 64, 1, 1], seed: 3), bias: JoinedNetwork.tensor([3], seed: 4), name: "project")
    return Session(
      try Plan(builder.finished(outputs: [("y", y)]), options: options), pool: ThreadPool(threads: 2))
  }

  @Test("a layer that a plan moved is compared, and traced, where the network has it")
  func movedLayer() throws {
    let (session, plain) = (try moved(), try moved(PlanOptions(fuse: false)))
    #expect(session.plan.layers.map(\.name) == ["input", "conv", "resize"])
    #expect(session.plan.tracedLayers.map(\.name) == ["project"])
    #expect(session.plan.tracedLayers.map(\.tensorShape) == [[1, 3, 240, 200]])
    #expect(session.plan.tracedLayers[0].holds == ["conv", "relu", "project", "resize"])
    let operations = session.plan.layers.reduce(0) { $0 + $1.operations }
    #expect(operations == plain.plan.layers.reduce(0) { $0 + $1.operations })

    let folder = try TemporaryDirectory()
    let path = folder.file("trace.safetensors")
    let fill: (borrowing SessionInputs) throws -> Void = { inputs in
      try inputs.fill(inputs.input("input"), with: SeededInput.uniform(count: 168 * 168 * 32))
    }
    _ = try TraceWriter.write(plain, to: path, overwrite: false, prepare: fill)
    for mode in LayerVerifier.Mode.allCases {
      let report = try LayerVerifier(mode: mode).verify(session, against: ReferenceFile(path: path))
      #expect(report.passed && report.layers.count == 1, "\(report.summary)")
    }
    let names = try TraceWriter.write(session, to: folder.file("own"), overwrite: false, prepare: fill)
    #expect(names == ["project"])
    #expect(try ReferenceFile(path: folder.file("own")).tensor("project").shape == [1, 3, 240, 200])
  }

  @Test("a part that the reference has is not called missing")
  func inside() throws {
    func session(_ options: PlanOptions) throws -> Session {
      let builder = GraphBuilder(name: "parts")
      let x = builder.input("input", height: 8, width: 8, channels: 4)
      let y = x.convolution(JoinedNetwork.tensor([4, 4, 3, 3], seed: 1), padding: 1, name: "conv")
        .activation(.relu, name: "act")
      let z = y.convolution(JoinedNetwork.tensor([4, 4, 3, 3], seed: 2), padding: 1, name: "next")
      return Session(try Plan(builder.finished(outputs: [("z", z)]), options: options))
    }
    let folder = try TemporaryDirectory()
    let path = folder.file("trace.safetensors")
    _ = try TraceWriter.write(
      session(PlanOptions(fuse: false)), layers: ["conv", "next"], to: path, overwrite: false
    ) { inputs in try inputs.fill(inputs.input("input"), with: SeededInput.uniform(count: 256)) }
    let strict = ToleranceTable([.init(pattern: "*", tolerance: LayerTolerance(absolute: 0, relative: 0))])
    let report = try LayerVerifier(mode: .isolated, tolerances: strict)
      .verify(session(PlanOptions()), against: ReferenceFile(path: path))
    #expect(report.layers.map(\.name) == ["next"])
    #expect(report.layers.map(\.inside) == [["conv"]] && report.layers.map(\.unobserved) == [["act"]])
    if !report.passed {
      #expect(report.summary.contains("joined and so not compared: conv; not in the reference"))
    }
  }
}
