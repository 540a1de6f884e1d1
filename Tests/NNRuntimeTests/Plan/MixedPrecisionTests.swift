import FileFormats
import NNRuntime
import NNVerification
import Testing

@Suite("Layers of one network in several precisions")
struct MixedPrecisionTests {
  /// Two products over pixels, then one that makes the output.
  ///
  /// The first weighs every 64th channel a fortieth.
  private func graph() -> Graph {
    let builder = GraphBuilder(name: "two")
    func weights(_ out: Int, _ input: Int, ofFirst share: Float = 1) -> Tensor {
      let values = SeededInput.uniform(count: out * input).map { ($0 - 0.5) / 8 }
      return Tensor(
        shape: [out, input, 1, 1], floats: values.indices.map { values[$0] * ($0 % input == 0 ? share : 1) })
    }
    var x = builder.input("x", height: 12, width: 12, channels: 64)
    x = x.convolution(weights(64, 64, ofFirst: 1 / 40), name: "a")
    x = x.convolution(weights(64, 64), name: "b")
    x = x.convolution(weights(64, 64), name: "c")
    return builder.finished(outputs: [("y", x)])
  }

  private static let hasBytes = Precision.available.contains(.int8)

  private func plan(_ exceptions: [String: Precision]) throws -> Plan {
    var options = PlanOptions()
    options.mixed["two"] = MixedPrecision(network: "two", precision: .int8, exceptions: exceptions)
    return try Plan(graph(), options: options)
  }

  @Test(
    "a file says what the plan is, and what is none says where",
    arguments: [
      (#"{"schema": "ardf.plan/1"}"#, "\"schema\" must be \"ardf.mixed/1\""),
      (#"{"schema": "ardf.mixed/1"}"#, "\"network\" must be a name"),
      (
        #"{"schema": "ardf.mixed/1", "network": "n", "precision": "int4"}"#,
        "\"precision\" must be one of \(Precision.names)"
      ),
      (
        #"{"schema": "ardf.mixed/1", "network": "n", "precision": "int8", "layers": []}"#,
        "\"layers\" must be an object of precisions by layer names"
      ),
      (
        #"{"schema": "ardf.mixed/1", "network": "n", "precision": "int8", "layers": {"a": 8}}"#,
        "\"layers\": \"a\" must be one of \(Precision.names)"
      ),
    ])
  func documents(_ text: String, _ reason: String) throws {
    let plan = MixedPrecision(network: "n", precision: .int8, exceptions: ["a": .fp32, "b": .int16])
    #expect(try MixedPrecision(.object(plan.document)) == plan)
    #expect(throws: MixedPrecisionError.malformed(reason)) { try MixedPrecision(JSONValue.parse(text)) }
  }

  @Test(
    "exceptions are multiplied in what they say, the others in the network's",
    .enabled(if: hasBytes, "this CPU multiplies no integers"))
  func exceptions() throws {
    let plan = try plan(["a": .fp32, "c": .int16])
    #expect(plan.options.precision == .int8)
    #expect(plan.layers.first { $0.name == "a" }?.precision == .fp32)
    #expect(plan.layers.first { $0.name == "b" }?.precision == .int8)
    #expect(plan.layers.first { $0.name == "c" }?.precision == .int16)
    #expect(plan.layers.first { $0.name == "a" }?.choice.reason.contains("exception of the plan") == true)
    var other = PlanOptions()
    other.mixed["three"] = MixedPrecision(network: "three", precision: .int8)
    #expect(try Plan(graph(), options: other).layers.allSatisfy { $0.precision == .fp32 })
  }

  @Test("a precision that the kernels lack is refused among exceptions too")
  func refused() throws {
    var options = PlanOptions()
    options.instructionSet = .portable
    options.mixed["two"] = MixedPrecision(network: "two", precision: .fp32, exceptions: ["a": .int8])
    let error = PrecisionError.noInstructions(.int8, instructionSet: "portable", available: [.fp32])
    #expect(throws: PlanError.precision(error)) { try Plan(graph(), options: options) }
  }

  @Test(
    "a session planned anew shares weights, and computes what a plan of its own would",
    .enabled(if: hasBytes, "this CPU multiplies no integers"))
  func replanned() throws {
    let input = SeededInput.uniform(count: 12 * 12 * 64)
    func result(_ session: Session) throws -> [Float] {
      try session.run(
        prepare: { try $0.fill($0.input("x"), with: input) }, read: { try $0.elements(of: $0.output("y")) })
    }
    let session = Session(try plan([:]))
    let mixed = MixedPrecision(network: "two", precision: .int8, exceptions: ["a": .fp32])
    #expect(try result(session.replanned(mixed)) == result(Session(plan(["a": .fp32]))))
    #expect(try result(session.replanned(mixed)) != result(session))
  }

  @Test(
    "the layer that reads one large channel and many small ones is the most sensitive, and stays out",
    .enabled(if: hasBytes, "this CPU multiplies no integers"))
  func sensitivity() throws {
    let session = Session(try plan([:]))
    func picture(_ seed: Int) -> OutputReference.Picture {
      let noise = SeededInput.uniform(count: 12 * 12 * 64, seed: UInt64(seed))
      let uneven = noise.indices.map { $0 % 64 == 0 ? 40 : noise[$0] - 0.5 }
      return OutputReference.Picture(session: 0) { try $0.fill($0.input("x"), with: uneven) }
    }
    let exact = try OutputReference(
      [session.replanned(MixedPrecision(network: "two", precision: .fp32))], (1...4).map(picture))
    let analysis = try SensitivityAnalysis(sessions: [session], exact: exact)
    #expect(analysis.candidates == ["a", "b"])
    let (a, b) = (try analysis.layer("a"), try analysis.layer("b"))
    #expect(a.error > 4 * b.error && b.error > 0, "\(a.error), \(b.error)")
    #expect(try analysis.error(lowering: ["b"]) < analysis.error(lowering: ["a", "b"]))
    #expect(analysis.plan(lowering: ["b"]).exceptions["a"] == analysis.kept)
    #expect(analysis.plan(lowering: ["a", "b"]).exceptions.isEmpty)
    // What is chosen by is no time: it is the same each time that it is asked for.
    let again = try SensitivityAnalysis(sessions: [session], exact: exact)
    #expect(try again.layer("a") == a && again.layer("b") == b && a.saved > 0)
    #expect(try analysis.times(runs: 2).layers.keys.contains("a"))
  }
}
