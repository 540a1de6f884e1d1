import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf profile` and `ardf bench` on tiny networks: what they report, not how fast the machine is.
@Suite struct MeasurementTests {
  private static let network = [TinyNetwork.detector, "--size", "64x64"]
  private static let profile = ["profile"] + network + ["--iterations", "40", "--warm-up", "5"]
  private static let bench = ["bench"] + network + ["--runs", "6", "--warm-up", "1"]
  /// The rows' sum may miss the wall time by this share.
  private static let sumTolerance = 0.02

  private func succeed(_ arguments: [String], in place: TemporaryDirectory) throws -> CommandRun {
    let run = try CommandRun(arguments, in: place.path)
    #expect(run.status == 0, "\(arguments): \(run.error)")
    return run
  }

  @Test func profileAddsUp() throws {
    let place = try TemporaryDirectory()
    let report = try succeed(Self.profile + ["--report", "json", "--threads", "2"], in: place).json()
    #expect(report["schema"]?.string == "ardf.profile/1")
    #expect(report["threads"]?.integer == 2)
    let layers = try #require(report["layers"]?.array)
    let total = layers.reduce(0) { $0 + ($1["averageMs"]?.number ?? 0) }
    let wall = try #require(report["wall"]?["averageMs"]?.number)
    #expect(abs(total / wall - 1) <= Self.sumTolerance)
    #expect(abs(layers.reduce(0) { $0 + ($1["percentage"]?.number ?? 0) } - 100) < 0.01)
    #expect(layers.suffix(3).map { $0["name"]?.string } == ["[input]", "[between layers]", "[output]"])
    let first = try #require(layers.first)
    #expect(first["name"]?.string == "model.0.conv")
    // 32x32 outputs of 3x3x3 weights, once a channel.
    let flops = try #require(first["flops"]?.number)
    #expect(flops.truncatingRemainder(dividingBy: Double(2 * 32 * 32 * 27)) == 0)
    #expect(report["environment"]?["weightsSHA256"]?.string?.count == 64)
  }

  @Test func tunedPlan() throws {
    let place = try TemporaryDirectory()
    _ = try succeed(["tune"] + Self.network + ["--runs", "1", "--out", "plan.json"], in: place)
    let plan = try JSONValue.read(path: place.path + "/plan.json")
    #expect(plan["schema"]?.string == "ardf.plan/1")
    #expect(plan["convolutions"]?[0]?["milliseconds"]?["direct"]?.number != nil)
    let shown = try succeed(["inspect", "plan"] + Self.network + ["--plan", "plan.json"], in: place).output
    #expect(shown.contains("measured: "))
    let again = try CommandRun(
      ["tune"] + Self.network + ["--runs", "1", "--out", "plan.json"], in: place.path)
    #expect(again.status == 73)
    let reduced = try CommandRun(
      ["tune"] + Self.network + ["--precision", "bf16", "--out", "other.json"], in: place.path)
    #expect(reduced.status == 64 && reduced.error.contains("leave the option out"))
    #expect(try !place.entries().contains("other.json"))
  }

  @Test func everyReport() throws {
    let place = try TemporaryDirectory()
    let short = ["profile"] + Self.network + ["--iterations", "3", "--threads", "2"]
    let table = try succeed(short + ["--sort", "time", "--top", "3"], in: place).output
    #expect(table.contains(" others)") && table.contains("[between layers]") && table.contains("GFLOP/s"))
    let groups = try succeed(short + ["--group-by", "op", "--report", "csv"], in: place).output.split(
      separator: "\n")
    #expect(groups[0].hasPrefix("layer,op,calls,min ms"))
    #expect(groups.contains { $0.hasPrefix("maxpool,maxpool,") })
    #expect(try succeed(short + ["--report", "markdown"], in: place).output.contains("| --- |"))
    let trace = try JSONValue.parse(
      succeed(short + ["--report", "trace", "--trace-iterations", "2"], in: place).output)
    #expect(trace["traceEvents"]?.array?.count { $0["cat"]?.string == "iteration" } == 2)
    _ = try succeed(short + ["--report", "html", "--out", "page.html"], in: place)
    let page = String(decoding: try place.read("page.html"), as: UTF8.self)
    for part in ["aria-label=\"Timeline\"", "aria-label=\"Roofline\"", "<table id=\"layers\">", "</html>"] {
      #expect(page.contains(part))
    }
    // The namespace is the only address: nothing is fetched.
    #expect(!page.replacing("http://www.w3.org/2000/svg", with: "").contains("://"))
    let again = try CommandRun(short + ["--report", "html", "--out", "page.html"], in: place.path)
    #expect(again.status == 73)
  }

  @Test func profilesCompare() throws {
    let place = try TemporaryDirectory()
    let short = ["profile"] + Self.network + ["--iterations", "3"]
    _ = try succeed(short + ["--report", "json", "--out", "old.json"], in: place)
    let compared = try CommandRun(short + ["--compare", "old.json"], in: place.path)
    // Whatever this machine does meanwhile.
    #expect([0, 1].contains(compared.status), "\(compared.error)")
    let table = compared.output
    #expect(table.contains("new/old") && table.contains("whole network"))
    #expect(!table.contains("added") && !table.contains("gone"))
    let wrong = try CommandRun(short + ["--compare", "none.json"], in: place.path)
    #expect(wrong.status == 66)
    let grouped = short + ["--group-by", "op"]
    let layers = try CommandRun(grouped + ["--compare", "old.json"], in: place.path)
    #expect(layers.status == 65 && layers.error.contains("the same --group-by"), "\(layers.error)")
    _ = try succeed(grouped + ["--report", "json", "--out", "grouped.json"], in: place)
    let groups = try CommandRun(grouped + ["--compare", "grouped.json"], in: place.path).output
    #expect(groups.contains("conv1x1") && !groups.contains("added") && !groups.contains("gone"))
  }

  /// The other build is this one, which says that it takes a million times less or more.
  @Test func anotherBuildIsMeasuredInTurns() throws {
    let place = try TemporaryDirectory()
    let short = ["profile", TinyNetwork.detector, "--iterations", "3", "--warm-up", "1", "--turns", "3"]
    func compared(_ name: String, times exponent: String) throws -> CommandRun {
      try place.writeProgram(
        """
        #!/bin/bash
        '\(CommandRun.executable)' "$@" || exit
        while [ "$1" != --out ]; do shift; done
        sed -i -E 's/(Ms": [0-9.]+)(e[-+0-9]+)?/\\1\(exponent)/' "$2"

        """, to: name)
      return try CommandRun(short + ["--size", "64x64", "--compare", "./\(name)"], in: place.path)
    }
    let same = try compared("slower", times: "e6")
    #expect(same.status == 0, "\(same.error)")
    #expect(same.output.contains("bound %") && same.output.contains("3 turns of old, new, old"))
    #expect(same.output.contains("whole network") && !same.output.contains("[input]"))
    let slower = try compared("faster", times: "e-6")
    #expect(slower.status == 1)
    #expect(slower.error.contains("slower than ./faster, beyond noise: "))

    try place.writeProgram("#!/bin/sh\necho no such thing >&2\nexit 3\n", to: "other")
    let other = try CommandRun(short + ["--compare", "./other"], in: place.path)
    #expect(other.status == 65)
    #expect(other.error.contains("./other: ended with 3: no such thing"))
  }

  /// The old report is edited: far faster than any machine is a regression now, far slower is not, and layers that
  /// only one of them has are named.
  @Test(arguments: [(1e-9, Int32(1), "slower"), (1e9, 0, "faster")])
  func profileComparesWithNoise(factor: Double, status: Int32, verdict: String) throws {
    let place = try TemporaryDirectory()
    let short = ["profile"] + Self.network + ["--iterations", "3"]
    var old = try #require(try succeed(short + ["--report", "json"], in: place).json().object)
    func scaled(_ entry: JSONValue?) throws -> NameTable<JSONValue> {
      var members = try #require(entry?.object)
      for key in ["quartile1Ms", "medianMs", "quartile3Ms"] {
        members[key] = .number(try #require(members[key]?.number) * factor)
      }
      return members
    }
    old["wall"] = .object(try scaled(old["wall"]))
    var layers = try #require(old["layers"]?.array).map { try scaled($0) }
    layers[1]["name"] = "model.99.conv"
    old["layers"] = .array(layers.map(JSONValue.object))
    try place.write(JSONValue.object(old).serialized(), to: "old.json")
    let run = try CommandRun(short + ["--compare", "old.json"], in: place.path)
    #expect(run.status == status, "\(run.error)")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    func last(_ name: String) -> String? { lines.first { $0.first == name }?.last }
    #expect(last("model.0.conv") == verdict && last("whole") == verdict)
    #expect(last("model.1.conv") == "added" && last("model.99.conv") == "gone")
    #expect(run.error.contains("slower than old.json") == (status == 1))
  }

  @Test func benchSweepsThreads() throws {
    let place = try TemporaryDirectory()
    let report = try succeed(Self.bench + ["-t", "1,2", "-o", "json"], in: place).json()
    let results = try #require(report["results"]?.array)
    #expect(results.map { $0["threads"]?.integer } == [1, 2])
    for result in results {
      let minimum = try #require(result["minMs"]?.number)
      let median = try #require(result["medianMs"]?.number)
      let last = try #require(result["maxMs"]?.number)
      #expect(0 < minimum && minimum <= median && median <= last)
      #expect(result["samplesMs"]?.array?.count == 6)
      #expect((result["coldStartMs"]?.number ?? 0) > (result["firstRunMs"]?.number ?? 0))
      #expect((result["peakRSSBytes"]?.integer ?? 0) > 1_000_000)
    }
    for layout in ["table", "md", "csv", "jsonl"] {
      let lines = try succeed(Self.bench + ["-t", "1,2", "-o", layout], in: place).output.split(
        separator: "\n")
      #expect(lines.count >= 2)
    }
    let table = try succeed(Self.bench + ["-t", "1,2"], in: place).output.split(separator: "\n").dropFirst()
    #expect(table.allSatisfy { $0.count <= 80 && !$0.contains("|") }, "\(table)")
    let wide = try succeed(Self.bench + ["-t", "1,2", "--wide"], in: place).output.split(separator: "\n")
    #expect(wide.count == 4 && wide[1].contains("median ms") && wide[1].contains("peak MB"), "\(wide)")
  }

  @Test func benchMeasuresEveryKernelOfAConvolution() throws {
    let place = try TemporaryDirectory()
    let arguments = ["bench"] + Self.network + ["--kernels", "-n", "2", "--warm-up", "1", "-t", "1"]
    let results = try #require(
      try succeed(arguments + ["-o", "json"], in: place).json()["results"]?.array)
    let pairs = results.compactMap { result in
      result["stage"]?.string.flatMap { stage in result["kernels"]?.string.map { [stage, $0] } }
    }
    #expect(pairs.count == results.count && Set(pairs).count == pairs.count)
    #expect(Set(pairs.map { $0[0] }).count < pairs.count, "3x3 can be computed in more than one way")
    #expect(results.allSatisfy { ($0["gflops"]?.number ?? 0) > 0 && $0["samplesMs"]?.array?.count == 2 })
    let table = try succeed(arguments, in: place).output
    #expect(table.contains("GFLOP/s") && !table.contains("peak MB"))
  }

  @Test func benchMeasuresTheStagesOfTheFlow() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let flow = [
      "bench", TinyNetwork.detector, "--flow", "capture", "--depth", TinyNetwork.depth, "--conf", "0.99",
      "-n", "2", "--warm-up", "0", "-t", "2",
    ]
    let report = try succeed(flow + ["-o", "json"], in: place)
    let results = try #require(try report.json()["results"]?.array)
    #expect(
      results.compactMap { $0["stage"]?.string } == [
        "decode frame", "turn upright", "letterbox", "detector", "decode, NMS", "masks", "resize for depth",
        "depth", "resize depth", "fuse", "extents", "compose", "whole flow", "draw and write",
      ])
    let means = results.compactMap { $0["averageMs"]?.number }
    #expect(means.allSatisfy { $0 > 0 })
    let whole = try #require(means.dropLast().last)
    #expect(abs(means.dropLast(2).reduce(0, +) / whole - 1) <= Self.sumTolerance)
    try place.write(report.output, to: "old.json")
    let table = try CommandRun(flow + ["--compare", "old.json"], in: place.path).output
    #expect(table.contains("\ndecode, NMS, 2 threads "))
    #expect(try CommandRun(flow + ["--size", "64x64"], in: place.path).status == 64)
  }

  @Test(.enabled(if: CommandRun.executable.hasPrefix(SharedData.packageRoot), "built outside the checkout"))
  func environmentHasTheCommit() throws {
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-C", SharedData.packageRoot, "rev-parse", "HEAD"]
    let pipe = Pipe()
    git.standardOutput = pipe
    try git.run()
    let commit = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    git.waitUntilExit()
    let place = try TemporaryDirectory()
    let environment = try succeed(Self.bench + ["-t", "1", "-o", "json"], in: place).json()["environment"]
    #expect(environment?["commit"]?.string ?? "" == commit.filter(\.isHexDigit))
  }

  /// The old report is edited: far faster than any machine is a regression now, far slower is not.
  @Test(arguments: [(1e-9, Int32(1), "slower"), (1e9, 0, "faster")])
  func benchComparesWithNoise(factor: Double, status: Int32, verdict: String) throws {
    let place = try TemporaryDirectory()
    let arguments = Self.bench + ["-t", "1", "-o", "json"]
    var old = try #require(try succeed(arguments, in: place).json().object)
    var result = try #require(old["results"]?[0]?.object)
    for key in ["quartile1Ms", "medianMs", "quartile3Ms"] {
      result[key] = .number(try #require(result[key]?.number) * factor)
    }
    old["results"] = .array([.object(result)])
    try place.write(JSONValue.object(old).serialized(), to: "old.json")
    let run = try CommandRun(arguments + ["--compare", "old.json"], in: place.path)
    #expect(run.status == status)
    #expect(try run.json()["comparisons"]?[0]?["verdict"]?.string == verdict)
    #expect(run.error.contains("slower than old.json") == (status == 1))
  }

  @Test func inputAndOutputsAsFiles() throws {
    let place = try TemporaryDirectory()
    let pixels = 64 * 64
    let planes: [Float] = (0..<3 * pixels).map { Float($0 % 251) / 251 }
    try place.write(NPYArray(shape: [1, 3, 64, 64], floats: planes).encoded(), to: "planes.npy")
    let rows: [Float] = (0..<pixels).flatMap { pixel in (0..<3).map { planes[$0 * pixels + pixel] } }
    try place.write(NPYArray(shape: [64, 64, 3], floats: rows).encoded(), to: "rows.npy")
    for name in ["planes", "rows"] {
      _ = try succeed(
        Self.bench + ["--input", "\(name).npy", "--save-outputs", "\(name).safetensors"], in: place)
    }
    #expect(try place.read("planes.safetensors") == place.read("rows.safetensors"))
    let wrong = try CommandRun(
      ["bench", TinyNetwork.detector, "--size", "96x64", "--input", "rows.npy"], in: place.path)
    #expect(wrong.status == 65)
    #expect(wrong.error.contains("64x64x3") && wrong.error.contains("3x96x64"))
  }

  @Test(arguments: [
    ["bench", "x", "-t", "0"], ["bench", "x", "-n", "0"], ["bench", "x", "-t", "1,,2"],
    ["profile", "x", "--trace-iterations", "21"], ["profile", "x", "--top", "0"],
    ["profile", "x", "--report", "json", "--compare", "old.json"], ["profile", "x", "--group-by", "color"],
  ])
  func wrongUsage(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(run.status == 64)
    #expect(run.error.contains("Usage"))
  }
}
