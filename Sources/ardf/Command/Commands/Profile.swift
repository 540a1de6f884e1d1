import ArgumentParser
import FileFormats
import NNRuntime
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `ardf profile`: what every layer costs.
struct Profile: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures every layer of a network.",
    discussion: Help.text(
      """
      Profiled iterations alternate with plain ones; the rows, overhead in brackets included, add up to the wall \
      time. FLOPs are those of the layers as they are defined, so that an algorithm that needs fewer (Winograd) \
      can be over 100 % of the peak. Peak and memory bandwidth are measured with the same kernels and threads. \
      --compare with an older report judges differences as bench does. With another build of ardf the two are run \
      alternately, two runs of the other for each of this one: the difference between the other's two runs is the \
      noise, and the exit code is 1 where a layer, or the whole network, is slower by more.
      """,
      ("The ten slowest layers", "ardf profile weights/yolo11n-seg.safetensors --sort time --top 10"),
      (
        "A page with roofline and timeline",
        "ardf profile weights/yolo11n-seg.safetensors --report html \\\n--out profile.html"
      ),
      (
        "A gate: no layer may be slower than in the build before",
        "ardf profile weights/yolo11n-seg.safetensors --compare bin/ardf \\\n--turns 3"
      ),
      ("Any network from an ONNX file", "ardf profile model.onnx --sort time --top 10")))

  enum Report: String, CaseIterable, ExpressibleByArgument, FileLayout {
    case table, json, csv, md, trace, html

    static let usual = Report.table

    /// The words of `ardf evaluate` are taken too.
    init?(argument: String) { self.init(rawValue: Self.word(argument)) }

    var endings: [String] {
      switch self {
      case .table: ["txt", "log"]
      case .trace: ["json"]
      case .json, .csv, .md, .html: [rawValue]
      }
    }
  }

  @OptionGroup var network: NetworkOptions
  @OptionGroup(title: "Input") var input: NetworkInputOptions
  @OptionGroup(title: "Input") var free: FreeAxisOptions

  @Option(name: .shortAndLong, help: "Profiled iterations.")
  var iterations = 30

  @Option(help: "Iterations before the first that counts.")
  var warmUp = 5

  @Option(name: .shortAndLong, help: "Threads. By default one per processor.")
  var threads: Int?

  @Option(help: "Group layers by op, block, shape or algorithm.")
  var groupBy: NetworkProfile.Grouping?

  @Option(help: "Order of the rows: order, time, name, flops, rate or bytes.")
  var sort = NetworkProfile.Order.order

  @Option(help: "Number of rows; the others are summed up.")
  var top: Int?

  @Option(
    name: .customLong("report"),
    help: """
      Layout of the report: table, json, csv, md, trace (for Perfetto) or html; by default what the name of --out ends \
      in, else table.
      """)
  var asked: Report?

  @Option(help: "Iterations that a trace or page shows in full, the last ones; 1 to \(Self.mostTraces).")
  var traceIterations = 3

  @Option(name: .shortAndLong, help: "File for the report; by default standard output.")
  var out = "-"

  @Flag(help: "Replace an existing --out.")
  var force = false

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var table: TableOptions

  @Option(
    help: ArgumentHelp(
      """
      An older JSON report: exit status 1 if the network is slower; or another build of ardf, run in alternation: \
      exit status 1 if the network or one of its layers is slower.
      """, valueName: "old.json|ardf"))
  var compare: String?

  @Option(help: "With --compare and a program: turns of three runs.")
  var turns = 10

  @Option(help: "With --compare and a program: the least change that counts, as a share.")
  var tolerance = 0.02

  /// Most iterations of a trace; a longer one is slow to open and hard to read.
  static let mostTraces = 20

  func validate() throws {
    guard (1...100_000).contains(iterations) else {
      throw ValidationError("--iterations \(iterations): give a number from 1 to 100000")
    }
    guard (0...100_000).contains(warmUp) else {
      throw ValidationError("--warm-up \(warmUp): give a number from 0 to 100000")
    }
    guard (1...Self.mostTraces).contains(traceIterations) else {
      throw ValidationError(
        "--trace-iterations \(traceIterations): give a number from 1 to \(Self.mostTraces)")
    }
    guard (3...1000).contains(turns) else {
      throw ValidationError("--turns \(turns): give a number from 3 to 1000")
    }
    guard (0...10).contains(tolerance) else {
      throw ValidationError("--tolerance \(tolerance): give a share, for example 0.02")
    }
    if let top, top < 1 { throw ValidationError("--top \(top): give a number from 1 on") }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
    let report = try Report.layout(of: out, asked: asked)
    if compare != nil, report != .table {
      throw ValidationError("--compare prints a table; leave --report away")
    }
  }

  func run() throws {
    try network.isONNX ? network.refuseOptionsOfNetworks(input) : free.refuse(of: network.weights)
    let weights = try network.file()
    let file = try OutputFile(
      orStandardOutput: out, force: force,
      inputs: weights.inputs + [input.input, compare] + network.arithmetic.plans
    ) { line in
      MeasurementEnvironment.isLine(line)
        || [ProfileTable.header, ProfileComparisonTable.header, PairedComparisonTable.header].contains {
          isHeader($0, line)
        }
    }
    if let compare, Self.isProgram(compare) { return try gate(compare, weights.path, file) }
    let old = try compare.map { path in
      try InFile.naming(path) { try JSONFile.read(path, wanted: "what ardf profile --report json wrote") }
    }
    let load = MeasurementEnvironment.currentLoad
    let measured = try measure()
    let environment = try MeasurementEnvironment(
      weights: weights.path, backend: network.backend, load: load)
    for warning in ProfileTable(profile: measured).warnings { Console.note("ardf: warning: \(warning)") }
    var profile = measured
    if let groupBy { profile = profile.grouped(by: groupBy) }
    profile = profile.sorted(by: sort, top: top)
    if let old, let compare {
      guard let comparison = ProfileComparison(profile, with: old) else {
        throw CommandError.input("\(compare): is not a report of ardf profile --report json")
      }
      guard comparison.haveCommonRows else {
        throw CommandError.input(
          "\(compare): none of its rows is one of this profile: make both of one network, with the same --group-by"
        )
      }
      try write(ProfileComparisonTable(comparison: comparison).text, to: file)
      guard comparison.wall.verdict != .slower else {
        throw CommandError.checkFailed(
          "slower than \(compare): \(decimal(comparison.wall.ratio ?? 0, 3)) times the time, beyond noise")
      }
      return
    }
    try write(try text(profile, environment), to: file)
  }

  /// Whether a path leads to a program, and not to a document.
  static func isProgram(_ path: String) -> Bool {
    pathKind(path) == .file && !path.hasSuffix(".json") && FileManager.default.isExecutableFile(atPath: path)
  }

  /// Compares with another build; runs of the two are interleaved.
  private func gate(_ program: String, _ weights: String, _ file: OutputFile?) throws {
    var progress = Progress("turn", of: turns)
    let profiles = PairedProfiles(program: program, arguments: childArguments(weights))
    let times = try profiles.measure(turns: turns) {
      progress.update($0)
    }
    progress.finish()
    let comparison = PairedComparison(times, tolerance: tolerance)
    try write(PairedComparisonTable(comparison: comparison, turns: turns).text, to: file)
    let slower = comparison.rows.filter { $0.verdict == .slower }
    guard slower.isEmpty else {
      let named = slower.prefix(5).map { "\($0.times.name) (\(decimal($0.times.ratio, 3)) times)" }
      throw CommandError.checkFailed(
        "slower than \(program), beyond noise: " + named.joined(separator: ", ")
          + (slower.count > named.count ? " and \(slower.count - named.count) more" : ""))
    }
  }

  /// Arguments with which a separate process repeats this run.
  private func childArguments(_ weights: String) -> [String] {
    var arguments = [
      weights, "--iterations=\(iterations)", "--warm-up=\(warmUp)", "--seed=\(input.seed)",
    ]
    if let asked = network.arithmetic.asked { arguments.append("--precision=\(asked.text)") }
    for plan in network.arithmetic.plans { arguments.append("--plan=\(plan)") }
    if let size = network.size { arguments.append("--size=\(size)") }
    if network.openblas { arguments.append("--openblas") }
    if let tensor = input.input { arguments.append("--input=\(tensor)") }
    if let threads { arguments.append("--threads=\(threads)") }
    arguments += free.axis.map { "--axis=\($0)" }
    if let groupBy { arguments.append("--group-by=\(groupBy.rawValue)") }
    return arguments
  }

  private func measure() throws -> NetworkProfile {
    let pool = ThreadPool(threads: threads ?? ProcessorShare.threads)
    let ceiling = try MachineCeiling.measure(backend: network.backend, pool: pool)
    let profiler = Profiler(
      iterations: iterations, warmUp: warmUp, traces: showsTraces ? min(traceIterations, iterations) : 0)
    var progress = Progress("iteration", of: iterations)
    defer { progress.finish() }
    if network.isONNX {
      let run = try ONNXRunner.recorder(
        network.weights, sizes: free.sizes, options: try network.arithmetic.options(), pool: pool)
      return try InFile.naming(network.weights) {
        try profiler.profile(run, ceiling: ceiling) { progress.update($0) }
      }
    }
    let session = try network.session(pool: pool)
    return profiler.profile(session, input: try input.elements(for: session.plan), ceiling: ceiling) {
      progress.update($0)
    }
  }

  private func report() throws -> Report { try Report.layout(of: out, asked: asked) }

  /// Whether the report shows single iterations.
  var showsTraces: Bool { (try? report()).map { $0 == .trace || $0 == .html } ?? false }

  private func text(_ profile: NetworkProfile, _ environment: MeasurementEnvironment) throws -> String {
    let table = ProfileTable(profile: profile)
    switch try report() {
    case .table: return environment.line + "\n" + table.text
    case .json: return profile.report(environment: environment.document).serialized(pretty: true)
    case .csv: return table.csv
    case .md: return environment.line + "\n\n" + table.markdown
    case .trace:
      Console.note(
        "the last \(profile.traces.count) of \(counted(profile.wall.count, "iteration")) recorded; open the file at "
          + "ui.perfetto.dev")
      return ChromeTrace.document(profile).serialized()
    case .html: return ProfilePage(profile: profile, environment: environment).text
    }
  }

  private func write(_ text: String, to file: OutputFile?) throws {
    try file?.write(text) ?? Console.print(text)
  }
}

extension NetworkProfile.Grouping: ExpressibleByArgument {}
extension NetworkProfile.Order: ExpressibleByArgument {}
