import ArgumentParser
import FileFormats
import NNRuntime
import OutputFolders

/// `ardf tune`: the fastest algorithms on this machine.
struct Tune: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures algorithms on this machine and writes a plan file for --plan.",
    discussion: Help.text(
      """
      Convolutions that can be computed in more than one way are timed by themselves, each way in turn; the best \
      time counts, and the planned algorithm stays unless another is clearly faster. With the file, every run on \
      any number of threads makes the same choices; without it they follow from the shapes alone. Nothing is ever \
      timed when a network is loaded.
      """,
      ("Measure, then run", "ardf tune weights/yolo11n-seg.safetensors --out plan.json"),
      (nil, "ardf run scan --frame 0 --plan plan.json --out results"),
      ("A network from an ONNX file", "ardf tune model.onnx --out tuned.json")))

  @OptionGroup var network: NetworkOptions
  @OptionGroup var free: FreeAxisOptions

  @Option(name: .shortAndLong, help: "Timed runs of each algorithm.")
  var runs = 15

  @Option(name: .shortAndLong, help: "Threads. By default one per processor.")
  var threads: Int?

  @Option(name: .shortAndLong, help: "The plan file; - for standard output.")
  var out: String

  @Flag(help: "Replace an existing --out.")
  var force = false

  @Flag(help: "Print the plan as JSON too.")
  var json = false

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var table: TableOptions

  func validate() throws {
    try OutputName.check(out, is: "json")
    guard (1...10_000).contains(runs) else {
      throw ValidationError("--runs \(runs): give a number from 1 to 10000")
    }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
    guard network.arithmetic.precision == .fp32 else {
      throw ValidationError(
        "--precision \(network.arithmetic.precision.rawValue): tune measures the algorithms of fp32 alone; leave the option out"
      )
    }
  }

  func run() throws {
    let file = try OutputFile(
      orStandardOutput: out, force: force, inputs: network.file().inputs + network.arithmetic.plans)
    let pool = ThreadPool(threads: threads ?? ProcessorShare.threads)
    let plans = try plans()
    guard !plans.isEmpty else {
      throw CommandError.input(
        "\(network.weights): the engine computes none of its nodes; there is nothing to tune")
    }
    var tuner = Tuner()
    tuner.runs = runs
    var progress: Progress?
    let choices = try tuner.measure(plans, pool: pool) { _, done, count in
      if progress == nil { progress = Progress("convolution", of: count) }
      progress?.update(done)
    }
    progress?.finish()
    Console.inform(lines: Self.table(choices))
    let text = choices.document.serialized(pretty: true)
    guard let file else { return try Console.print(text) }
    try file.write(text)
    if json { try Console.print(text) }
  }

  /// The network's plan, or those of an ONNX file's parts.
  private func plans() throws -> [Plan] {
    guard network.isONNX else {
      try free.refuse(of: network.weights)
      return [try network.plan(PlanOptions())]
    }
    return try ONNXPlanListing(file: network.weights, network.arithmetic, free.sizes).plans
  }

  private static func table(_ choices: MeasuredChoices) -> String {
    let algorithms = Set(choices.entries.flatMap(\.milliseconds.keys)).sorted { $0.rawValue < $1.rawValue }
    var table = TextTable(
      ["convolution"] + algorithms.map { "\($0.rawValue) ms" } + ["chosen"],
      rightAligned: Set(1...max(1, algorithms.count)))
    for entry in choices.entries {
      table.add(
        [entry.shape.text] + algorithms.map { entry.milliseconds[$0].map { decimal($0, 3) } ?? "" }
          + [entry.algorithm.rawValue])
    }
    return table.text
  }
}
