import FileFormats
import NNRuntime

/// The times of one network, or one stage of the flow, with one number of threads, milliseconds.
struct BenchResult {
  /// The times of a cold start.
  struct Start {
    /// From the opening of the weights until the session was ready, and the first run.
    let preparation, firstRun: Double
    /// Time of the first output, in nanoseconds of the monotonic clock; a parent process can subtract its own start.
    let firstOutput: UInt64

    var whole: Double { preparation + firstRun }
  }

  let network: String
  /// The stage of the flow, or the convolution of a kernel; nil for a network by itself.
  let stage: String?
  let kernels: String
  /// Height, width and channels of the input, or the name of the frame.
  let input: String
  /// Threads of one stream.
  let threads: Int
  /// Number of concurrent streams.
  let streams: Int
  let times: [Double]
  /// Runs of all streams in a second; nil for a stage.
  let perSecond: Double?
  let start: Start?
  /// Peak memory during the runs.
  let peakBytes: Int?
  /// For a kernel: multiplications and additions of its convolution by definition.
  var operations: Double?

  /// The key by which comparable results are matched.
  var key: String { Self.key(network, stage, kernels, input, threads, streams) }

  static func key(
    _ network: String, _ stage: String?, _ kernels: String, _ input: String, _ threads: Int, _ streams: Int
  ) -> String {
    "\(network) \(stage ?? "") \(kernels) \(input) \(threads) \(streams)"
  }

  /// The label of the result within a report.
  var name: String {
    (stage.map { "\($0), " } ?? "") + (operations == nil ? "" : "\(kernels), ")
      + (streams > 1 ? "\(counted(streams, "stream")) of " : "") + counted(threads, "thread")
  }

  /// GFLOP/s of the median run.
  var operationRate: Double? { operations.map { $0 / TimingSummary(times).median / 1e6 } }

  var members: [String: JSONValue] {
    var members = TimingSummary(times).members.merging([
      "network": .string(network), "kernels": .string(kernels), "input": .string(input),
      "threads": .integer(threads), "peakRSSBytes": peakBytes.map(JSONValue.integer) ?? .null,
      "samplesMs": .array(times.map { .rounded($0, decimals: 6) }),
    ]) { $1 }
    if let stage { members["stage"] = .string(stage) }
    if streams > 1 { members["streams"] = .integer(streams) }
    if let operationRate { members["gflops"] = .rounded(operationRate, decimals: 6) }
    if let perSecond { members["runsPerSecond"] = .rounded(perSecond, decimals: 6) }
    if let start {
      members["coldStartMs"] = .rounded(start.whole, decimals: 6)
      members["preparationMs"] = .rounded(start.preparation, decimals: 6)
      members["firstRunMs"] = .rounded(start.firstRun, decimals: 6)
      members["firstOutputMonotonicNs"] = .integer(Int(start.firstOutput))
    }
    return members
  }
}

/// The results of `ardf bench`, and what they depend on.
struct BenchReport {
  /// A result beside an older one.
  struct Compared {
    /// The name, as `BenchResult.name`.
    let name: String
    let threads: Int
    let comparison: TimingComparison

    static let header = ["measured", "old ms", "new ms", "new/old", "verdict"]
    /// Columns of numbers.
    static let numbers: Set<Int> = [1, 2, 3]

    var cells: [String] {
      [
        name, decimal(comparison.old.median, 3), decimal(comparison.new.median, 3),
        comparison.ratio.map { decimal($0, 3) } ?? "", comparison.verdict.rawValue,
      ]
    }
  }

  let environment: MeasurementEnvironment
  let results: [BenchResult]

  private static let texts = ["network", "stage", "kernels", "input"]
  private static let header =
    texts + [
      "threads", "streams", "runs", "median ms", "min ms", "p95 ms", "p99 ms", "mean ms", "deviation ms",
      "runs/s", "GFLOP/s",
      "cold start ms", "peak MB",
    ]
  /// Whether a first line is that of such a table, whose empty columns are left out.
  static func isFirstLine(_ line: [UInt8]) -> Bool {
    let cells = String(decoding: line, as: UTF8.self).split(separator: ",").map(String.init)
    let known = header + ["verdict"]
    return MeasurementEnvironment.isLine(line)
      || cells.count >= 4 && cells[0] == header[0] && known.filter(cells.contains) == cells
  }

  /// Names and cells of the columns that are not empty for all results.
  private var table: (header: [String], rows: [[String]], numbers: Set<Int>) {
    let rows = rows
    let used = Self.header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let header = used.map { Self.header[$0] }
    return (
      header, rows.map { row in used.map { row[$0] } },
      Set(header.indices.filter { !Self.texts.contains(header[$0]) })
    )
  }

  private var rows: [[String]] {
    results.map { result in
      let summary = TimingSummary(result.times)
      return [
        result.network, result.stage ?? "", result.kernels, result.input, "\(result.threads)",
        result.streams > 1 ? "\(result.streams)" : "", "\(summary.count)",
        decimal(summary.median, 3), decimal(summary.minimum, 3), decimal(summary.percentile95, 3),
        decimal(summary.percentile99, 3), decimal(summary.mean, 3), decimal(summary.deviation, 3),
        result.perSecond.map { decimal($0, 2) } ?? "", result.operationRate.map { decimal($0, 1) } ?? "",
        result.start.map { decimal($0.whole, 1) } ?? "",
        result.peakBytes.map { decimal(Double($0) / 1e6, 1) } ?? "",
      ]
    }
  }

  /// Columns of text, those of the comparisons after those of the results.
  func text(_ comparisons: [Compared]) -> String {
    let table = table
    let text = environment.line + "\n" + textTable(table.header, table.rows, numbers: table.numbers)
    guard !comparisons.isEmpty else { return text }
    return text + "\n" + textTable(Compared.header, comparisons.map(\.cells), numbers: Compared.numbers)
  }

  private func textTable(_ header: [String], _ rows: [[String]], numbers: Set<Int>) -> String {
    var table = TextTable(header, rightAligned: numbers)
    for row in rows { table.add(row) }
    return table.text
  }

  /// The same as tables of GitHub's Markdown.
  func markdown(_ comparisons: [Compared]) -> String {
    let table = table
    let text = environment.line + "\n\n" + markdownTable(table.header, table.rows, numbers: table.numbers)
    guard !comparisons.isEmpty else { return text }
    return text + "\n"
      + markdownTable(Compared.header, comparisons.map(\.cells), numbers: Compared.numbers)
  }

  func csv(_ comparisons: [Compared]) -> String {
    let table = table
    guard !comparisons.isEmpty else { return csvTable(table.header, table.rows) }
    let verdicts = verdicts(comparisons)
    return csvTable(
      table.header + ["verdict"], zip(table.rows, results).map { $0 + [verdicts[$1.name]?.rawValue ?? ""] })
  }

  /// By the names of results.
  private func verdicts(_ comparisons: [Compared]) -> [String: TimingComparison.Verdict] {
    Dictionary(
      comparisons.map { ($0.name, $0.comparison.verdict) }, uniquingKeysWith: { first, _ in first })
  }

  func document(_ comparisons: [Compared]) -> JSONValue {
    var members: [String: JSONValue] = [
      "schema": "ardf.bench/1", "environment": environment.document,
      "results": .array(results.map { .object($0.members) }),
    ]
    if !comparisons.isEmpty {
      members["comparisons"] = .array(
        comparisons.map { compared in
          [
            "name": .string(compared.name), "threads": .integer(compared.threads),
            "verdict": .string(compared.comparison.verdict.rawValue),
            "oldMedianMs": .number(compared.comparison.old.median),
            "ratio": .rounded(compared.comparison.ratio, decimals: 6),
          ]
        })
    }
    return .object(members)
  }

  /// A document for every result, each with the environment.
  func lines(_ comparisons: [Compared]) -> [JSONValue] {
    let verdicts = verdicts(comparisons)
    return results.map { result in
      var members = result.members
      members["schema"] = "ardf.bench-result/1"
      members["environment"] = environment.document
      if let verdict = verdicts[result.name] { members["verdict"] = .string(verdict.rawValue) }
      return .object(members)
    }
  }

  /// Warnings about the measurement, for people.
  var warnings: [String] {
    results.compactMap { result in
      let outliers = TimingSummary(result.times).outliers
      guard outliers > 0, result.operations == nil else { return nil }
      return "\(outliers) of \(counted(result.times.count, "run")) (\(result.name)) are far outliers: the "
        + "machine was busy, or the warm-up too short; the median stands, the mean and the tail do not"
    }
  }

  /// The quartiles of a report's results, by their key.
  static func known(_ document: JSONValue) throws -> [String: TimingSummary.Quartiles] {
    guard document["schema"]?.string == "ardf.bench/1", let results = document["results"]?.array else {
      throw CommandError.input("is not a report of ardf bench --report json")
    }
    var known: [String: TimingSummary.Quartiles] = [:]
    for result in results {
      guard let network = result["network"]?.string, let kernels = result["kernels"]?.string,
        let input = result["input"]?.string, let threads = result["threads"]?.integer(in: 1...1024),
        let quartiles = TimingSummary.Quartiles(result)
      else { throw CommandError.input("holds a result without its network, input, threads or times") }
      known[
        BenchResult.key(
          network, result["stage"]?.string, kernels, input, threads,
          result["streams"]?.integer(in: 1...1024) ?? 1)] = quartiles
    }
    return known
  }

  /// The results that `old` contains, too.
  func compared(with old: [String: TimingSummary.Quartiles], tolerance: Double) -> [Compared] {
    results.compactMap { result in
      old[result.key].map {
        Compared(
          name: result.name, threads: result.threads,
          comparison: TimingComparison(
            old: $0, new: TimingSummary(result.times).quartiles, tolerance: tolerance))
      }
    }
  }
}
