import FileFormats
import NNRuntime
import TestSupport
import Testing

/// Measured on a small network; checked is what must hold on the busiest machine.
@Suite("Profiler")
struct ProfilerTests {
  private static let threads = 2
  private static let channels = 32

  private func session() throws -> Session {
    let channels = Self.channels
    func weights(_ out: Int, _ perGroup: Int, _ kernel: Int) -> Tensor {
      let count = out * perGroup * kernel * kernel
      return Tensor(
        shape: [out, perGroup, kernel, kernel],
        floats: SeededInput.uniform(count: count).map { ($0 - 0.5) / Float(perGroup * kernel) })
    }
    let builder = GraphBuilder(name: "test")
    let x = builder.input("x", height: 48, width: 64, channels: 3)
      .convolution(weights(channels, 3, 3), stride: 2, padding: 1, name: "stem").activation(
        .silu, name: "act")
    let y = x.convolution(weights(channels, channels, 3), padding: 1, name: "body")
    let z = y.maxPool(kernel: 5, stride: 1, padding: 2, name: "pool")
    let out = builder.concatenate([y, z], name: "cat").convolution(weights(8, 2 * channels, 1), name: "head")
    return Session(
      try Plan(builder.finished(outputs: [("out", out)])), pool: ThreadPool(threads: Self.threads))
  }

  private static let input = SeededInput.uniform(count: 48 * 64 * 3)

  private func profile(traces: Int = 0) throws -> NetworkProfile {
    try Profiler(iterations: 5, warmUp: 1, traces: traces).profile(
      session(), input: Self.input, ceiling: MachineCeiling(peak: 1, bandwidth: 1))
  }

  @Test func rowsAddUpToTheWallTime() throws {
    let profile = try profile()
    #expect(profile.wall.count == 5 && profile.plain.count == 5)
    #expect(
      profile.rows.map(\.name) == ["stem", "body", "pool", "head", "[input]", "[between layers]", "[output]"])
    #expect(profile.rows.allSatisfy { $0.times.count == 5 })
    #expect(abs(profile.accounted - 1) <= NetworkProfile.limits.sum)
    for iteration in 0..<5 {
      let sum = profile.rows.reduce(0) { $0 + $1.times[iteration] }
      #expect(abs(sum / profile.wall[iteration] - 1) <= NetworkProfile.limits.sum)
    }
  }

  @Test func workOfEachLayer() throws {
    let rows = try profile().rows
    #expect(rows[1].operations == Double(2 * 24 * 32 * 32 * 32 * 9))
    // Input and output of 24x32x32 each, 32x32x3x3 weights, 32 biases; four bytes each.
    #expect(rows[1].bytes == 4 * (2 * 24 * 32 * 32 + 32 * 32 * 9 + 32))
    #expect(rows[1].shape == "24x32x32 -> 24x32x32")
    #expect(rows[2].operations == 0 && rows[2].bytes == 4 * 2 * 24 * 32 * 32)
  }

  /// Spans of one track, each either inside the one before or after it.
  private func nest(_ events: [(begin: Int, end: Int)]) -> Bool {
    var open: [Int] = []
    for event in events.sorted(by: { ($0.begin, -$0.end) < ($1.begin, -$1.end) }) {
      while let last = open.last, last <= event.begin { open.removeLast() }
      if let last = open.last, event.end > last { return false }
      open.append(event.end)
    }
    return true
  }

  /// Microseconds with three decimals as whole nanoseconds: sums of doubles would miss equal ends.
  private func nanoseconds(_ value: JSONValue?) throws -> Int {
    Int((try #require(value?.number) * 1000).rounded())
  }

  @Test func traceNestsOnEveryTrack() throws {
    let document = ChromeTrace.document(try profile(traces: 2))
    let events = try #require(document["traceEvents"]?.array)
    let complete = events.filter { $0["ph"]?.string == "X" }
    var chunks = 0
    // From 1: Perfetto would draw thread 0 and thread 1 on one track.
    for thread in 1...Self.threads {
      let spans = try complete.filter { $0["tid"]?.integer == thread }.map { event in
        let begin = try nanoseconds(event["ts"])
        return (begin: begin, end: begin + (try nanoseconds(event["dur"])))
      }
      #expect(nest(spans))
      chunks += complete.count { $0["tid"]?.integer == thread && $0["cat"]?.string == "chunk" }
    }
    #expect(chunks >= 8)
    #expect(complete.count { $0["cat"]?.string == "iteration" } == 2)
    #expect(complete.count { $0["cat"]?.string == "layer" } == 8)
    #expect(complete.count { $0["cat"]?.string == "overhead" } == 4)
    for event in complete where event["cat"]?.string == "layer" {
      #expect(event["args"]?["iterations"]?.integer == 5)
      #expect(event["args"]?["shape"]?.string?.contains(" -> ") == true)
    }
    let counters = events.filter { $0["ph"]?.string == "C" }
    #expect(counters.count == 8)
    // Stem: input and its own output are alive.
    #expect(counters[0]["args"]?["bytes"]?.integer == 4 * (48 * 64 * 3 + 24 * 32 * 32))
    #expect(events.count { $0["ph"]?.string == "M" } == 1 + Self.threads)
    #expect(try JSONValue.parse(document.serialized()) == document)
  }

  /// In a profile that records all its iterations, the trace and the table show the same times.
  @Test func traceAndTableAgree() throws {
    let profile = try profile(traces: 5)
    let events = try #require(ChromeTrace.document(profile)["traceEvents"]?.array)
    for row in profile.rows where !row.isOverhead {
      let spans = events.filter { $0["cat"]?.string == "layer" && $0["name"]?.string == row.name }
      #expect(spans.count == 5)
      let sum = try spans.reduce(0) { $0 + (try nanoseconds($1["dur"])) }
      #expect(abs(Double(sum) / 1e6 / row.total - 1) < 1e-6)
      #expect(abs((spans[0]["args"]?["sumMs"]?.number ?? 0) / row.total - 1) < 1e-3)
    }
    #expect(profile.traces.map { milliseconds($0.whole) } == profile.wall)
  }

  @Test func profilingDoesNotChangeResults() throws {
    let session = try session()
    let before = Benchmark.outputs(session, input: Self.input)
    _ = Profiler(iterations: 2, warmUp: 0, traces: 1).profile(
      session, input: Self.input, ceiling: MachineCeiling(peak: 1, bandwidth: 1))
    let after = Benchmark.outputs(session, input: Self.input)
    #expect(before.map(\.name) == ["out"])
    #expect(before[0].value.shape == [24, 32, 8])
    #expect(before[0].value.floats() == after[0].value.floats())
  }

  @Test func benchmarkCountsRuns() throws {
    let session = try session()
    #expect(Benchmark(runs: 4, warmUp: 1).measure(session, input: Self.input).count == 4)
    let goesOn = Waiting.takes(atLeast: .milliseconds(50)) {
      _ = Benchmark(runs: 1, warmUp: 0, seconds: 0.05).measure(session, input: Self.input)
    }
    #expect(goesOn)
  }

  @Test func ceilingIsPlausible() throws {
    let ceiling = try MachineCeiling.measure(backend: .native, pool: ThreadPool(threads: 1))
    #expect(ceiling.peak > 0 && ceiling.peak < 10_000)
    #expect(ceiling.bandwidth > 0 && ceiling.bandwidth < 10_000)
  }

  @Test func seededInputIsFixed() {
    let values = SeededInput.uniform(count: 1000, seed: 1)
    #expect(values == SeededInput.uniform(count: 1000, seed: 1))
    #expect(values != SeededInput.uniform(count: 1000, seed: 2))
    #expect(values.allSatisfy { (0..<1).contains($0) })
    // SplitMix64 with seed 1 begins with 0x910a2dec89025cc1.
    #expect(values[0] == Float(0x910a2d) / Float(1 << 24))
  }
}
