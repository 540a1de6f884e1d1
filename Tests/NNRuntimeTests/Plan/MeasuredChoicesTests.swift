import FileFormats
import NNKernelInterface
import NNRuntime
import Testing

@Suite("Measured algorithms: tuning, plan files and plans made with them")
struct MeasuredChoicesTests {
  private let shape = ConvolutionShape(
    inHeight: 12, inWidth: 12, inChannels: 16, outHeight: 12, outWidth: 12, outChannels: 32, kernelHeight: 3,
    kernelWidth: 3, stride: 1, padding: 1)

  /// Twice the same convolution of stride 1, and one of stride 3.
  private func graph() -> Graph {
    let builder = GraphBuilder(name: "three")
    func weights(_ out: Int, _ input: Int) -> Tensor {
      Tensor(
        shape: [out, input, 3, 3], floats: SeededInput.uniform(count: out * input * 9).map { $0 / 64 })
    }
    var x = builder.input("x", height: 12, width: 12, channels: 16)
    x = x.convolution(weights(32, 16), padding: 1, name: "a")
    x = x.convolution(weights(32, 32), stride: 3, padding: 1, name: "b")
    return builder.finished(outputs: [("y", x)])
  }

  private func choices(
    _ algorithm: Algorithm, kernels: String? = nil
  ) throws -> MeasuredChoices {
    try MeasuredChoices(
      kernels: kernels ?? Plan(graph()).kernelName,
      entries: [
        MeasuredChoices.Entry(
          shape: shape, algorithm: algorithm, milliseconds: [.direct: 1.25, .winograd4x4: 2])
      ])
  }

  private func run(_ options: PlanOptions) throws -> [Float] {
    let session = Session(try Plan(graph(), options: options), pool: ThreadPool(threads: 2))
    let input = SeededInput.uniform(count: 12 * 12 * 16)
    return try session.run(
      prepare: { inputs in
        try inputs.fill(inputs.input("x"), with: input)
      },
      read: { try $0.elements(of: $0.output("y")) })
  }

  @Test("a plan takes the measured algorithm, says why, and computes the same")
  func planned() throws {
    var options = PlanOptions()
    let usual = try run(options)
    #expect(try Plan(graph()).layers[1].choice.algorithm == .winograd6x6)
    options.measured = try choices(.direct)
    let layers = try Plan(graph(), options: options).layers
    #expect(layers[1].choice.algorithm == .direct)
    #expect(layers[1].choice.reason == "measured: direct 1.25 ms, winograd-f4x4 2.0 ms")
    #expect(layers[2].choice.reason == "stride 3")
    let direct = try run(options)
    #expect(direct != usual, "another algorithm rounds differently")
    let scale = usual.map(abs).max() ?? 0
    #expect(zip(usual, direct).allSatisfy { abs($0 - $1) < 1e-5 * scale })
  }

  @Test("tuning times each shape once, by every algorithm")
  func tuned() throws {
    var tuner = Tuner()
    tuner.runs = 2
    let plan = try Plan(graph())
    var seen: [Int] = []
    let found = try tuner.measure([plan], pool: ThreadPool(threads: 1)) { _, done, count in
      seen += [done, count]
    }
    #expect(seen == [1, 1])
    #expect(found.entries.map(\.shape) == [shape])
    let times = found.entries[0].milliseconds
    #expect(Set(times.keys) == [.direct, .winograd4x4, .winograd6x6] && times.values.allSatisfy { $0 > 0 })
    #expect(found.kernels == plan.kernelName)
  }

  @Test("every kernel of a convolution is run where it is asked for, and computes the same")
  func kernels() throws {
    let plan = try Plan(graph())
    let usual = try run(PlanOptions())
    let scale = usual.map(abs).max() ?? 0
    let kernels = try Backend.native.catalogue().convolutions.filter {
      $0.domain.contains(shape) && !$0.prologues.contains(.quantize)
    }
    let results = try KernelBenchmark(runs: 2).measure(plan, pool: ThreadPool(threads: 1)) { _, _ in }
    #expect(Set(results.filter { $0.shape == shape }.map(\.kernel)) == Set(kernels.map(\.fullName)))
    #expect(
      results.allSatisfy { $0.milliseconds.count == 2 && $0.milliseconds.allSatisfy { $0 > 0 } })
    for kernel in kernels {
      var options = PlanOptions(precision: Precision(kernel.products))
      options.kernel = kernel.fullName
      #expect(try Plan(graph(), options: options).layers[1].kernel == kernel.fullName)
      let bound: Float = kernel.products == .float32 ? 1e-5 : kernel.products == .int8 ? 6e-2 : 3e-2
      #expect(zip(usual, try run(options)).allSatisfy { abs($0 - $1) < bound * scale }, "\(kernel.fullName)")
    }
  }

  @Test("a plan file says it all again")
  func file() throws {
    let found = try choices(.winograd4x4)
    #expect(try MeasuredChoices(JSONValue.parse(found.document.serialized(pretty: true))) == found)
    #expect(try found.merging(found) == found)
  }

  @Test("defects of plan files have names")
  func defects() throws {
    let others = try choices(.direct, kernels: "other")
    let name = try Plan(graph()).kernelName
    #expect(throws: PlanError.otherKernels(measured: "other", running: name)) {
      var options = PlanOptions()
      options.measured = others
      return try Plan(graph(), options: options)
    }
    #expect(throws: MeasuredChoicesError.impossible(shape.text, algorithm: "gemm")) { try choices(.gemm) }
    let entry = try choices(.direct).entries[0]
    #expect(throws: MeasuredChoicesError.duplicate(shape.text)) {
      try MeasuredChoices(kernels: "avx2", entries: [entry, entry])
    }
    let malformed =
      "convolutions[0] must have input, output, kernel, stride, padding, algorithm and milliseconds, "
      + "each in its range"
    let bad: [(String, String)] = [
      ("{}", "\"schema\" must be \"ardf.plan/1\""),
      (#"{"schema": "ardf.plan/1"}"#, "\"kernels\" must be a name"),
      (#"{"schema": "ardf.plan/1", "kernels": "avx2"}"#, "\"convolutions\" must be a list"),
      (
        #"{"schema": "ardf.plan/1", "kernels": "avx2", "convolutions": [{"input": [0, 1, 1]}]}"#,
        malformed
      ),
    ]
    for (text, place) in bad {
      #expect(throws: MeasuredChoicesError.malformed(place)) { try MeasuredChoices(JSONValue.parse(text)) }
    }
  }

  @Test("times that no measurement takes are refused", arguments: ["1e19", "1e300", "86400001", "-1"])
  func impossibleTimes(_ time: String) throws {
    func text(_ time: String) -> String {
      #"{"schema": "ardf.plan/1", "kernels": "avx2", "convolutions": [{"input": [8, 8, 4], "output": [8, 8, 4], "#
        + #""kernel": [3, 3], "stride": 1, "padding": 1, "algorithm": "direct", "#
        + #""milliseconds": {"direct": \#(time)}}]}"#
    }
    #expect(throws: MeasuredChoicesError.self) { try MeasuredChoices(JSONValue.parse(text(time))) }
    let longest = try MeasuredChoices(JSONValue.parse(text("86400000")))
    #expect(longest.entries[0].reason == "measured: direct 86400000.0 ms")
  }
}
