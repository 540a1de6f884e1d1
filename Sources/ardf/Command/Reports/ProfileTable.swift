import FileFormats
import NNRuntime

/// The columns of a profile, for every report in rows.
struct ProfileTable {
  static let header = [
    "layer", "op", "calls", "min ms", "median ms", "p95 ms", "share %", "MFLOP", "GFLOP/s", "peak %", "kB",
    "FLOP/B", "algorithm", "shape",
  ]
  /// Columns of numbers.
  static let numbers: Set<Int> = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]

  let profile: NetworkProfile

  /// The cells of every row.
  var rows: [[String]] {
    profile.rows.map { row in
      let summary = TimingSummary(row.times)
      func optional(_ value: Double?) -> String { value.map { decimal($0, 1) } ?? "" }
      return [
        row.name, row.operation, row.isOverhead ? "" : "\(row.calls)", decimal(summary.minimum, 4),
        decimal(summary.median, 4), decimal(summary.percentile95, 4), decimal(100 * profile.share(row), 2),
        row.operations > 0 ? decimal(row.operations / 1e6, 1) : "", optional(row.rate),
        optional(profile.peakShare(row).map { 100 * $0 }),
        row.isOverhead ? "" : decimal(Double(row.bytes) / 1e3, 1), optional(row.intensity), row.algorithm,
        row.shape,
      ]
    }
  }

  /// Columns of text, with the summary above and below.
  var text: String {
    var table = TextTable(Self.header, rightAligned: Self.numbers)
    for row in rows { table.add(row) }
    return head + "\n" + table.text + foot.map { $0 + "\n" }.joined()
  }

  /// One table of GitHub's Markdown.
  var markdown: String {
    "\(head)\n\n" + markdownTable(Self.header, rows, numbers: Self.numbers) + "\n"
      + foot.map { "- \($0)\n" }.joined()
  }

  /// RFC 4180; a header, then one line per row.
  var csv: String { csvTable(Self.header, rows) }

  /// The network, kernels, threads and iterations of the measurement, in one line.
  var head: String {
    "\(profile.network): \(profile.kernels), \(counted(profile.threads, "thread")), \(counted(profile.wall.count, "iteration")); "
      + "peak \(decimal(profile.ceiling.peak, 1)) GFLOP/s, memory \(decimal(profile.ceiling.bandwidth, 1)) GB/s"
  }

  /// The sum of the rows against the wall time, and the overhead of profiling.
  var foot: [String] {
    let (wall, plain) = (TimingSummary(profile.wall), TimingSummary(profile.plain))
    let sum = profile.rows.reduce(0) { $0 + TimingSummary($1.times).mean }
    let operations = profile.rows.reduce(0) { $0 + $1.operations }
    return [
      "total: \(decimal(operations / 1e9, 2)) GFLOP, \(decimal(operations / wall.median / 1e6, 1)) GFLOP/s",
      "sum of the rows \(decimal(sum, 3)) ms, wall \(decimal(wall.mean, 3)) ms (means): "
        + "\(decimal(100 * profile.accounted, 2)) %",
      "an iteration takes \(decimal(wall.median, 3)) ms, \(decimal(plain.median, 3)) ms without profiling "
        + "(medians): profiling costs \(decimal(100 * profile.cost, 2)) %",
    ]
  }

  /// Warnings about the measurement, for people.
  var warnings: [String] {
    var warnings: [String] = []
    if abs(profile.accounted - 1) > NetworkProfile.limits.sum {
      warnings.append(
        "the rows miss the wall time by \(decimal(100 * abs(profile.accounted - 1), 1)) %: a defect; please "
          + "report it")
    }
    if profile.unrest > NetworkProfile.limits.unrest {
      warnings.append(
        "the middle half of the iterations spreads over \(decimal(100 * profile.unrest, 0)) % of the median: the "
          + "machine is busy, and no figure here is exact")
    }
    if profile.cost > NetworkProfile.limits.cost {
      warnings.append(
        "profiled iterations took \(decimal(100 * profile.cost, 1)) % longer than others: the machine is busy, "
          + "or the layers are too short to time")
    }
    return warnings
  }
}

/// A table of GitHub's Markdown.
func markdownTable(_ header: [String], _ rows: [[String]], numbers: Set<Int>) -> String {
  func line(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }
  let rule = header.indices.map { numbers.contains($0) ? "--:" : "---" }
  return line(header) + line(rule) + rows.map(line).joined()
}

/// A profile beside an older one.
struct ProfileComparisonTable {
  static let header = ["layer", "old ms", "new ms", "new/old", "verdict"]
  let comparison: ProfileComparison

  var text: String {
    var table = TextTable(Self.header, rightAligned: [1, 2, 3])
    for row in comparison.rows { table.add(cells(row)) }
    let wall = comparison.wall
    table.add(
      [
        "whole network", decimal(wall.old.median, 3), decimal(wall.new.median, 3),
        wall.ratio.map { decimal($0, 3) } ?? "", wall.verdict.rawValue,
      ])
    return table.text
  }

  private func cells(_ row: ProfileComparison.Row) -> [String] {
    [
      row.name, row.old.map { decimal($0.median, 4) } ?? "", row.new.map { decimal($0.median, 4) } ?? "",
      row.comparison?.ratio.map { decimal($0, 3) } ?? "",
      row.comparison?.verdict.rawValue ?? (row.old == nil ? "added" : "gone"),
    ]
  }
}

/// The comparison of two builds whose runs were interleaved.
struct PairedComparisonTable {
  static let header = ["layer", "old ms", "new ms", "new/old", "bound %", "verdict"]
  let comparison: PairedComparison
  let turns: Int

  var text: String {
    var table = TextTable(
      Self.header, rightAligned: [1, 2, 3, 4])
    for row in comparison.rows {
      let medians = row.times.medians
      table.add([
        row.times.name, decimal(medians.old, 4), decimal(medians.new, 4), decimal(row.times.ratio, 3),
        decimal(100 * row.bound, 1), row.verdict.rawValue,
      ])
    }
    return table.text + "\(counted(turns, "turn")) of old, new, old\n"
  }
}

/// Whether a line is the header of a table, as text or comma-separated.
func isHeader(_ header: [String], _ line: [UInt8]) -> Bool {
  let text = String(decoding: line, as: UTF8.self)
  let words = header.flatMap { $0.split(separator: " ") }
  return text + "\n" == csvTable(header, []) || text.split(separator: " ") == words
}
