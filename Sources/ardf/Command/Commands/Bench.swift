import AppCore
import ArgumentParser
import FileFormats
import HTTPServing
import Models
import NNRuntime
import OutputFolders
import Perception

/// `ardf bench`: how long a network takes.
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a whole network: latency, throughput, cold start, memory.",
    discussion: Help.text(
      """
      For every number of threads the weights are opened anew: the cold start goes from there to the first \
      output, the kernel's file cache as it is. A difference counts where the medians differ by more than \
      --tolerance and the interquartile ranges do not overlap. --streams runs the network several times side by side, \
      each with its own threads: more inputs a second, each of which takes longer. --flow measures the stages of the whole flow \
      instead, with these weights as its detector; --kernels every kernel that can compute each convolution of the network.
      """,
      ("Latency on one and two threads", "ardf bench weights/yolo11n-seg.safetensors --threads 1,2"),
      (
        "Inputs a second, two at a time with a thread each",
        "ardf bench weights/yolo11n-seg.safetensors --threads 1 --streams 2"
      ),
      (
        "Before and after a change",
        "ardf bench weights/yolo11n-seg.safetensors --report json --out before.json"
      ),
      (nil, "ardf bench weights/yolo11n-seg.safetensors --compare before.json"),
      (
        "Which kernels compute its convolutions, and how fast",
        "ardf bench weights/yolo11n-seg.safetensors --kernels --threads 1"
      )))

  enum Report: String, CaseIterable, ExpressibleByArgument, FileLayout {
    case table, md, json, jsonl, csv

    static let usual = Report.table
    var endings: [String] { self == .table ? ["txt", "log"] : [rawValue] }

    /// The words of `ardf evaluate` are taken too.
    init?(argument: String) { self.init(rawValue: Self.word(argument)) }
  }

  @OptionGroup var network: NetworkOptions
  @OptionGroup(title: "Input") var input: NetworkInputOptions
  @OptionGroup(title: "Input") var free: FreeAxisOptions

  @Option(name: [.customShort("n"), .long], help: "Least number of measured runs.")
  var runs = 20

  @Option(help: "Warm-up runs before the measured ones.")
  var warmUp = 5

  @Option(help: "Least seconds of runs for each number of threads.")
  var seconds = 0.0

  @Option(
    name: [.customShort("t"), .long],
    help: ArgumentHelp("Numbers of threads, by default one per processor.", valueName: "1,2,4"))
  var threads: String?

  @Option(help: "Run this many inputs at the same time, each with --threads threads.")
  var streams = 1

  @Option(
    name: [.long, .customLong("output")],
    help:
      "Layout of the results: table, md, json, jsonl or csv; by default what the name of --out ends in, else table."
  )
  var report: Report?

  @Option(name: .shortAndLong, help: "File for the results; by default standard output.")
  var out = "-"

  @Flag(help: "Replace an existing --out.")
  var force = false

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var layout: TableOptions

  @Option(
    help: ArgumentHelp("An older result of --report json; exit status 1 where slower.", valueName: "old.json")
  )
  var compare: String?

  @Option(help: "Share of the old median below which a difference counts as noise.")
  var tolerance = TimingComparison.defaultTolerance

  @Option(help: ArgumentHelp("File for the network's outputs, to check them.", valueName: "file.safetensors"))
  var saveOutputs: String?

  @Flag(
    help:
      "Measure each kernel that can compute a convolution of the network, by itself, whatever its precision.")
  var kernels = false

  @Option(
    help: ArgumentHelp(
      "Measure the stages of the whole flow on this picture or capture.", valueName: "picture|capture"))
  var flow: String?

  @Option(help: "With --flow: the frame, by name or position from 0.")
  var frame = "0"

  @Option(help: ArgumentHelp("With --flow: weights of the depth network.", valueName: "file"))
  var depth: String?

  @Option(help: "With --flow: keep objects whose score is greater than this.")
  var conf = 0.75

  func validate() throws {
    guard (0...1).contains(conf) else {
      throw ValidationError("--conf \(conf): give a number from 0 to 1")
    }
    guard (1...64).contains(streams) else {
      throw ValidationError("--streams \(streams): give a number from 1 to 64")
    }
    guard (1...1_000_000).contains(runs) else {
      throw ValidationError("--runs \(runs): give a number from 1 to 1000000")
    }
    guard (0...100_000).contains(warmUp) else {
      throw ValidationError("--warm-up \(warmUp): give a number from 0 to 100000")
    }
    guard (0...86_400).contains(seconds) else {
      throw ValidationError("--seconds \(seconds): give a number from 0 to 86400")
    }
    guard (0...10).contains(tolerance) else {
      throw ValidationError("--tolerance \(tolerance): give a share, for example 0.05")
    }
    if let saveOutputs { try OutputName.check(saveOutputs, is: "safetensors", option: "--save-outputs") }
    _ = try threadCounts()
    _ = try named()
  }

  private func threadCounts() throws -> [Int] {
    guard let threads else { return [ProcessorShare.threads] }
    let texts = threads.split(separator: ",", omittingEmptySubsequences: false)
    let counts = texts.compactMap { integer(of: $0, in: 1...1024) }
    guard counts.count == texts.count else {
      throw ValidationError("--threads \(threads): give numbers from 1 to 1024, for example 1,2,4")
    }
    return counts
  }

  /// The layout and the file of the results.
  ///
  /// `-o json` names a layout, since files have endings.
  private func named() throws -> (layout: Report, file: String) {
    if let layout = Report(rawValue: out) { return (layout, "-") }
    return (try Report.layout(of: out, asked: report), out)
  }

  func run() async throws {
    let isONNX = network.isONNX && flow == nil && !kernels
    try isONNX
      ? network.refuseOptionsOfNetworks(
        input, [("--streams", streams != 1), ("--save-outputs", saveOutputs != nil)])
      : free.refuse(of: network.weights)
    let weights = try network.file()
    let inputs = weights.inputs + [input.input, compare, flow, depth] + network.arithmetic.plans
    let saved = try saveOutputs.map { try OutputFile($0, force: false, inputs: inputs) }
    let file = try OutputFile(
      orStandardOutput: named().file, force: force, inputs: inputs, isOurs: BenchReport.isFirstLine)
    let old = try compare.map { path in
      try InFile.naming(path) {
        try BenchReport.known(JSONFile.read(path, wanted: "what ardf bench --report json wrote"))
      }
    }
    let load = MeasurementEnvironment.currentLoad
    var results: [BenchResult] = []
    for (index, threads) in try threadCounts().enumerated() {
      if let flow {
        results += try measureFlow(flow, threads: threads)
      } else if kernels {
        results += try measureKernels(threads: threads)
      } else if isONNX {
        let bench = ONNXBench(
          file: weights.path, options: try network.arithmetic.options(), sizes: free.sizes, runs: runs,
          warmUp: warmUp, seconds: seconds)
        results.append(try bench.measured(threads: threads))
      } else {
        results.append(try await measure(threads: threads, saving: index == 0 ? saved : nil))
      }
    }
    let environment = try MeasurementEnvironment(
      weights: weights.path, backend: network.backend, load: load)
    let report = BenchReport(environment: environment, results: results)
    for warning in report.warnings { Console.note("ardf: warning: \(warning)") }
    guard let old, let compare else { return try show(report, in: file) }
    let comparisons = report.compared(with: old, tolerance: tolerance)
    guard !comparisons.isEmpty else {
      throw CommandError.input("\(compare): has no result for this network, input, kernels and threads")
    }
    try show(report, comparisons: comparisons, in: file)
    let slower = comparisons.filter { $0.comparison.verdict == .slower }
    guard slower.isEmpty else {
      throw CommandError.checkFailed(
        "slower than \(compare) with "
          + slower.map { "\($0.name) (\(decimal($0.comparison.ratio ?? 0, 3)) times)" }.joined(
            separator: ", "))
    }
  }

  private func measure(threads: Int, saving file: OutputFile?) async throws -> BenchResult {
    MeasurementEnvironment.resetPeak()
    let begin = monotonicNanoseconds()
    let session = try network.session(pool: ThreadPool(threads: threads))
    let ready = monotonicNanoseconds()
    let elements = try input.elements(for: session.plan)
    let first = Benchmark(runs: 1, warmUp: 0).measure(session, input: elements)
    let firstOutput = monotonicNanoseconds()
    var progress = Progress("\(counted(threads, "thread")), run", of: runs)
    defer { progress.finish() }
    let benchmark = Benchmark(runs: runs, warmUp: warmUp, seconds: seconds)
    let others = try (1..<streams).map { _ in try network.session(pool: ThreadPool(threads: threads)) }
    let times: [Double]
    let perSecond: Double
    if others.isEmpty {
      times = benchmark.measure(session, input: elements) { progress.update($0) }
      perSecond = 1000 * Double(times.count) / times.reduce(0, +)
    } else {
      (times, perSecond) = await benchmark.measure([session] + others, input: elements)
    }
    let peak = MeasurementEnvironment.peakBytes
    try file?.writing { path, overwrite in
      let outputs = Benchmark.outputs(session, input: elements)
      try SafetensorsWriter.write(
        Dictionary(uniqueKeysWithValues: outputs.map { ($0.name, $0.value) }), to: path, overwrite: overwrite)
    }
    return BenchResult(
      network: session.plan.name, stage: nil, kernels: session.plan.kernelName,
      input: session.plan.inputs[0].shape.description, threads: threads,
      streams: streams, times: times, perSecond: perSecond,
      start: .init(preparation: milliseconds(begin..<ready), firstRun: first[0], firstOutput: firstOutput),
      peakBytes: peak)
  }

  /// A result for each kernel on each convolution.
  private func measureKernels(threads: Int) throws -> [BenchResult] {
    let pool = ThreadPool(threads: threads)
    let plan = try network.plan(PlanOptions())
    var progress: Progress?
    defer { progress?.finish() }
    let results = try KernelBenchmark(runs: runs, warmUp: warmUp).measure(plan, pool: pool) { done, count in
      if progress == nil { progress = Progress("\(counted(threads, "thread")), convolution", of: count) }
      progress?.update(done)
    }
    return results.map { result in
      BenchResult(
        network: plan.name, stage: result.shape.text, kernels: result.kernel,
        input: plan.inputs[0].shape.description, threads: threads, streams: 1,
        times: result.milliseconds, perSecond: nil, start: nil, peakBytes: nil,
        operations: result.operations)
    }
  }

  /// A result for each stage.
  private func measureFlow(_ path: String, threads: Int) throws -> [BenchResult] {
    let selection = try FrameSelection(path, frames: [frame])
    let pool = ThreadPool(threads: threads)
    let compute = ComputeSettings()
    let detector = try DetectorSettings(confidence: conf).detector(
      NetworkWeights(network.file(), allowNonFinite: compute.allowsNonFinite), compute, pool: pool)
    let depth = try depth.map {
      try DepthSettings().network(WeightFiles.requiredDepth($0), compute, pool: pool)
    }
    var perceiver = Perceiver(detector: detector, depth: depth)
    perceiver.measuringThreads = threads
    let benchmark = FlowBenchmark(
      source: selection.source, index: selection.indices[0], perceiver: perceiver)
    var progress = Progress("\(counted(threads, "thread")), run", of: runs)
    defer { progress.finish() }
    let stages = try benchmark.measure(runs: runs, warmUp: warmUp) { progress.update($0) }
    let kernels = try InstructionSet.selected().rawValue
    return stages.map { stage in
      BenchResult(
        network: detector.network.name + (depth.map { " + \($0.name)" } ?? ""), stage: stage.name,
        kernels: kernels,
        input: selection.source.frames[selection.indices[0]].name, threads: threads,
        streams: 1, times: stage.times, perSecond: nil, start: nil,
        peakBytes: MeasurementEnvironment.peakBytes)
    }
  }

  private func show(
    _ report: BenchReport, comparisons: [BenchReport.Compared] = [], in file: OutputFile?
  ) throws {
    let text =
      switch try named().layout {
      case .table: report.text(comparisons)
      case .md: report.markdown(comparisons)
      case .json: report.document(comparisons).serialized(pretty: true)
      case .jsonl: report.lines(comparisons).map { $0.serialized() + "\n" }.joined()
      case .csv: report.csv(comparisons)
      }
    guard let file else { return try Console.print(text) }
    try file.write(text)
    Console.inform("results in \(file.path)")
  }
}

extension Benchmark {
  /// Milliseconds of every run of concurrent sessions, each fed by its own thread, and the runs a second of all
  /// together.
  func measure(_ sessions: [Session], input: [Float]) async -> (times: [Double], perSecond: Double) {
    let feeders = DedicatedExecutor(name: "streams", count: sessions.count)
    return await withTaskGroup(of: [Double].self) { group in
      for session in sessions {
        group.addTask(executorPreference: feeders) { measure(session, input: input) }
      }
      var times: [Double] = []
      var rates = 0.0
      for await stream in group {
        times += stream
        rates += 1000 * Double(stream.count) / stream.reduce(0, +)
      }
      return (times, rates)
    }
  }
}
