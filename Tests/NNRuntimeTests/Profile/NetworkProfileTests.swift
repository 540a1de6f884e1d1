import FileFormats
import NNRuntime
import Testing

@Suite("Profiles")
struct NetworkProfileTests {
  /// Two convolutions, a depthwise and a pool, with round numbers.
  private static let rows = [
    NetworkProfile.Row(
      name: "model.0.conv", operation: "conv", algorithm: "direct", shape: "8x8x3 -> 4x4x16", operations: 4e6,
      bytes: 1000, times: [2, 2, 2]),
    NetworkProfile.Row(
      name: "model.1.cv1.conv", operation: "conv", algorithm: "winograd-f4x4", shape: "4x4x16 -> 4x4x16",
      operations: 12e6, bytes: 2000, times: [4, 4, 4]),
    NetworkProfile.Row(
      name: "model.1.pool", operation: "maxpool", algorithm: "vector", shape: "4x4x16 -> 4x4x16", bytes: 500,
      times: [1, 1, 1]),
    NetworkProfile.Row(name: "[input]", times: [1, 1, 1], isOverhead: true),
  ]

  private static func profile(_ rows: [NetworkProfile.Row] = rows, traces: [RunTrace] = []) -> NetworkProfile
  {
    NetworkProfile(
      network: "test", kernels: "portable", threads: 2, rows: rows, wall: [8, 8, 8], plain: [8, 8, 8],
      ceiling: MachineCeiling(peak: 4, bandwidth: 10), traces: traces)
  }

  @Test func ratesAndShares() {
    let profile = Self.profile()
    #expect(profile.accounted == 1)
    #expect(profile.cost == 0)
    #expect(profile.unrest == 0)
    #expect(profile.rows.map(profile.share) == [0.25, 0.5, 0.125, 0.125])
    // 4 MFLOP in 2 ms are 2 GFLOP/s: half of a peak of 4.
    #expect(profile.rows[0].rate == 2)
    #expect(profile.peakShare(profile.rows[0]) == 0.5)
    #expect(profile.rows[0].intensity == 4000)
    #expect(profile.rows[2].rate == nil && profile.rows[2].intensity == nil)
  }

  /// A machine that slows down while it is measured makes no cost, nor does one turn that was held up.
  @Test func costIsThatOfATurn() {
    let plain = (0..<9).map { 10 + Double($0) }
    var wall = plain.map { $0 * 1.005 }
    wall[4] *= 3
    let profile = NetworkProfile(
      network: "test", kernels: "portable", threads: 1, rows: Self.rows, wall: wall, plain: plain,
      ceiling: MachineCeiling(peak: 1, bandwidth: 1), traces: [])
    #expect(abs(profile.cost - 0.005) < 1e-12)
  }

  @Test func groups() {
    let operations = Self.profile().grouped(by: .op).rows
    #expect(operations.map(\.name) == ["conv", "maxpool", "[input]"])
    #expect(operations[0].calls == 2)
    #expect(operations[0].operations == 16e6)
    #expect(operations[0].bytes == 3000)
    #expect(operations[0].times == [6, 6, 6])
    #expect(operations[0].algorithm.isEmpty)
    #expect(Self.profile().grouped(by: .block).rows.map(\.name) == ["model.0", "model.1", "[input]"])
    #expect(
      Self.profile().grouped(by: .shape).rows.map(\.calls) == [1, 2, 1])
    #expect(
      Self.profile().grouped(by: .algorithm).rows.map(\.name) == [
        "direct", "winograd-f4x4", "vector", "[input]",
      ])
    #expect(Self.profile().grouped(by: .op).accounted == 1)
  }

  @Test func blocksEndAtTheFirstNumber() {
    func block(_ name: String) -> String {
      let row = NetworkProfile.Row(name: name, times: [1, 1, 1])
      return Self.profile([row]).grouped(by: .block).rows[0].name
    }
    #expect(block("pretrained.blocks.3.attn.qkv") == "pretrained.blocks.3")
    #expect(block("depth_head.scratch.refinenet4.out_conv") == "depth_head.scratch.refinenet4")
    #expect(block("stem") == "stem")
  }

  @Test func orders() {
    func names(_ order: NetworkProfile.Order, top: Int? = nil) -> [String] {
      Self.profile().sorted(by: order, top: top).rows.map(\.name)
    }
    #expect(names(.order) == Self.rows.map(\.name))
    #expect(names(.time) == ["model.1.cv1.conv", "model.0.conv", "model.1.pool", "[input]"])
    #expect(names(.time, top: 1) == ["model.1.cv1.conv", "(2 others)", "[input]"])
    #expect(names(.time, top: 9).count == 4)
    #expect(Self.profile().sorted(by: .time, top: 1).accounted == 1)
  }

  @Test func reportHasTrtexecNames() throws {
    let report = Self.profile().report(environment: ["version": "1"])
    #expect(report["schema"]?.string == "ardf.profile/1")
    #expect(report["count"]?.integer == 3)
    let layer = try #require(report["layers"]?[1])
    #expect(layer["name"]?.string == "model.1.cv1.conv")
    #expect(layer["timeMs"]?.number == 12)
    #expect(layer["averageMs"]?.number == 4)
    #expect(layer["medianMs"]?.number == 4)
    #expect(layer["percentage"]?.number == 50)
    #expect(layer["gflops"]?.number == 3)
    #expect(layer["peakPercentage"]?.number == 75)
    #expect(report["layers"]?[2]?["gflops"]?.isNull == true)
  }

  @Test func comparisonNamesWhatChanged() throws {
    let old = Self.profile().report(environment: .null)
    var rows = Self.rows
    rows[0].times = [3, 3, 3]
    rows[1].times = [2, 2, 2]
    rows[2].name = "model.1.other"
    let comparison = try #require(ProfileComparison(Self.profile(rows), with: old))
    #expect(comparison.wall.verdict == .same && comparison.haveCommonRows)
    #expect(
      comparison.rows.map(\.name) == [
        "model.0.conv", "model.1.cv1.conv", "model.1.other", "[input]", "model.1.pool",
      ])
    #expect(comparison.rows.map(\.comparison?.verdict) == [.slower, .faster, nil, .same, nil])
    #expect(comparison.rows[2].old == nil && comparison.rows[4].new == nil)
    #expect(ProfileComparison(Self.profile(), with: ["schema": "ardf.bench/1"]) == nil)
  }
}
