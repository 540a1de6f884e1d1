import FileFormats

extension NetworkProfile {
  /// The profile as a document; per layer the names of trtexec's exported profile (`count`, `name`, `timeMs`,
  /// `averageMs`, `medianMs`, `percentage`), and more.
  package func report(environment: JSONValue) -> JSONValue {
    [
      "schema": "ardf.profile/1", "network": .string(network), "kernels": .string(kernels),
      "threads": .integer(threads), "count": .integer(wall.count), "environment": environment,
      "peakGFLOPS": .rounded(ceiling.peak, decimals: 3),
      "bandwidthGBs": .rounded(ceiling.bandwidth, decimals: 3),
      "wall": .object(TimingSummary(wall).members), "unprofiled": .object(TimingSummary(plain).members),
      "sumShare": .rounded(accounted, decimals: 6), "profilingCost": .rounded(cost, decimals: 6),
      "layers": .array(rows.map(entry)),
    ]
  }

  private func entry(_ row: Row) -> JSONValue {
    func optional(_ value: Double?) -> JSONValue { value.map { .rounded($0, decimals: 6) } ?? .null }
    var members = TimingSummary(row.times).members
    members["name"] = .string(row.name)
    members["timeMs"] = .rounded(row.total, decimals: 6)
    members["percentage"] = .rounded(100 * share(row), decimals: 6)
    members["overhead"] = .bool(row.isOverhead)
    members["calls"] = .integer(row.calls)
    if !row.isOverhead {
      members["operation"] = .string(row.operation)
      members["algorithm"] = .string(row.algorithm)
      members["shape"] = .string(row.shape)
      members["flops"] = .number(row.operations)
      members["bytes"] = .integer(row.bytes)
      members["gflops"] = optional(row.rate)
      members["peakPercentage"] = optional(peakShare(row).map { 100 * $0 })
      members["intensity"] = optional(row.intensity)
    }
    return .object(members)
  }
}

/// A profile beside an older one's report, row by row.
package struct ProfileComparison: Sendable {
  /// One row of both.
  package struct Row: Sendable {
    /// The layers' name.
    package let name: String
    /// Quartiles of the older profile and of this one; nil where it has no such row.
    package let old, new: TimingSummary.Quartiles?
    /// Both, where there are both.
    package let comparison: TimingComparison?
  }

  /// Rows of the new profile in its order, then those that only the old one has.
  package let rows: [Row]
  /// The whole network.
  package let wall: TimingComparison
  /// Whether a layer or a group of them is in both.
  package var haveCommonRows: Bool { rows.contains { $0.comparison != nil && !$0.name.hasPrefix("[") } }

  /// Compares; nil where `old` is not the report of a profile.
  package init?(
    _ new: NetworkProfile, with old: JSONValue, tolerance: Double = TimingComparison.defaultTolerance
  ) {
    guard old["schema"]?.string == "ardf.profile/1", let entries = old["layers"]?.array,
      let oldWall = old["wall"].flatMap(TimingSummary.Quartiles.init)
    else { return nil }
    wall = TimingComparison(old: oldWall, new: TimingSummary(new.wall).quartiles, tolerance: tolerance)
    var known: [String: TimingSummary.Quartiles] = [:]
    var names: [String] = []
    for entry in entries {
      guard let name = entry["name"]?.string, let quartiles = TimingSummary.Quartiles(entry) else {
        return nil
      }
      known[name] = quartiles
      names.append(name)
    }
    let present = Set(new.rows.map(\.name))
    rows =
      new.rows.map { row in
        let quartiles = TimingSummary(row.times).quartiles
        let old = known[row.name]
        return Row(
          name: row.name, old: old, new: quartiles,
          comparison: old.map { TimingComparison(old: $0, new: quartiles, tolerance: tolerance) })
      }
      + names.filter { !present.contains($0) }.map {
        Row(name: $0, old: known[$0], new: nil, comparison: nil)
      }
  }
}
