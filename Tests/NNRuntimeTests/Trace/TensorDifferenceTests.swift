import FileFormats
import NNRuntime
import NNVerification
import TestSupport
import Testing

@Suite("Differences of tensors")
struct TensorDifferenceTests {
  /// Compares the identity layer's result of `found` with `expected`: a 1x1 convolution of weight 1 a channel.
  private func compare(
    _ found: [Float], _ expected: [Float], height: Int, width: Int, channels: Int,
    tolerance: LayerTolerance = LayerTolerance(absolute: 0, relative: 0),
    onDivergence: LayerVerifier.Observer? = nil
  ) throws -> VerificationReport {
    let builder = GraphBuilder(name: "identity")
    let x = builder.input("input", height: height, width: width, channels: channels)
    let one = Tensor(shape: [channels], floats: [Float](repeating: 1, count: channels))
    let graph = builder.finished(outputs: [("y", x.scaled(by: one, name: "layer"))])
    let folder = try TemporaryDirectory()
    let shape = [1, channels, height, width]
    let path = folder.file("r.safetensors")
    try SafetensorsWriter.write(
      [
        "input": Tensor(shape: shape, floats: found), "layer": Tensor(shape: shape, floats: expected),
        "elsewhere": Tensor(shape: [1], floats: [1]),
      ], to: path, overwrite: false)
    let tolerances = ToleranceTable([.init(pattern: "lay*", tolerance: tolerance)])
    return try LayerVerifier(mode: .cumulative, tolerances: tolerances, layersOnly: true)
      .verify(
        Session(Plan(graph), pool: ThreadPool(threads: 1)), against: ReferenceFile(path: path), decoding: nil,
        onDivergence: onDivergence)
  }

  @Test("figures of a known difference, located in the reference's axes")
  func figures() throws {
    // (1, 2, 2, 3): channels first.
    let expected: [Float] = [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, -3]
    var found = expected
    found[10] = 4
    found[3] = 1
    let report = try compare(found, expected, height: 2, width: 3, channels: 2)
    let difference = try #require(report.layers.first).difference
    #expect(difference.maximumAbsolute == 4)
    #expect(difference.location == [0, 1, 1, 1])
    #expect(difference.found == 4 && difference.expected == 0)
    #expect(abs(difference.relativeL2 - 0.5) < 1e-12)
    // <found, expected> = 100 - 12; |found|^2 = 100 - 15 + 16.
    #expect(abs(difference.cosine - 88 / (101.0 * 100).squareRoot()) < 1e-12)
    #expect(difference.quantile999 == 4)
    #expect(difference.scale == 6)
    #expect(!report.passed && report.firstDiverging?.name == "layer")
    #expect(report.uncompared.map(\.name) == ["elsewhere"])
  }

  @Test("a map of the differences: where, in which channels, how many of which size")
  func map() throws {
    let expected: [Float] = [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, -3]
    var found = expected
    found[10] = 4
    found[3] = 4.5
    found[4] = .nan
    var maps: [DifferenceMap] = []
    _ = try compare(found, expected, height: 2, width: 3, channels: 2) { layer, map in
      #expect(layer.name == "layer")
      maps.append(map)
    }
    let map = try #require(maps.first)
    #expect(maps.count == 1 && map.rows == 2 && map.columns == 3 && !map.isTokens)
    #expect(map.errors == [0, 0, 0, 0.5, .infinity, 0])
    #expect(map.channels == [.infinity, 4])
    #expect(map.histogram.smaller == 9 && map.histogram.larger == 1)
    // 10^-0.30 = 0.5 and 10^0.60 = 4, a bin a quarter of a decade from 10^-12 on.
    #expect(map.histogram.counts.indices.filter { map.histogram.counts[$0] == 1 } == [46, 50])
    let within = LayerTolerance(absolute: 1, relative: 0)
    _ = try compare([1, 2], [1, 2.5], height: 1, width: 2, channels: 1, tolerance: within) { _, _ in
      Issue.record("a layer within its tolerance was drawn")
    }
  }

  @Test("the 99.9 % quantile leaves one element in a thousand above it", arguments: [1000, 2000, 4096])
  func quantile(count: Int) throws {
    var random = SplitMix64(seed: 7)
    let expected = [Float](repeating: 0, count: count)
    let found = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
    let report = try compare(found, expected, height: 1, width: count / 4, channels: 4)
    let sorted = found.map { Double(abs($0)) }.sorted()
    #expect(report.layers[0].difference.quantile999 == sorted[(count * 999 + 999) / 1000 - 1])
  }

  @Test("a value that is not finite only passes where the reference has the same")
  func nonFinite() throws {
    let same = try compare([.infinity, 1], [.infinity, 1], height: 1, width: 2, channels: 1)
    #expect(same.passed)
    let lenient = LayerTolerance(absolute: 1e9, relative: 1e9)
    let lost = try compare([.nan, 1], [2, 1], height: 1, width: 2, channels: 1, tolerance: lenient)
    #expect(!lost.passed && lost.layers[0].difference.maximumAbsolute == .infinity)
    #expect(lost.json["layers"]?[0]?["maxAbs"]?.string == "inf")
    // A NaN's bits come from the file and are not reported.
    let strange = Float(bitPattern: 0xffc0_3e00)
    let bits = try compare([1, 1], [strange, 1], height: 1, width: 2, channels: 1)
    #expect(bits.json["layers"]?[0]?["expected"]?.string == "nan")
  }

  @Test("absolute and relative tolerances")
  func tolerances() throws {
    func passes(_ tolerance: LayerTolerance) throws -> Bool {
      try compare([100, 100.5], [100, 100], height: 1, width: 2, channels: 1, tolerance: tolerance).passed
    }
    #expect(try passes(LayerTolerance(absolute: 0.5, relative: 0)))
    #expect(try !passes(LayerTolerance(absolute: 0.49, relative: 0)))
    #expect(try passes(LayerTolerance(absolute: 0, relative: 0.005)))
    #expect(try !passes(LayerTolerance(absolute: 0, relative: 0.0049)))
  }

  @Test("rules are PATTERN=ABSOLUTE,RELATIVE")
  func rules() {
    let rule = ToleranceTable.Rule("model.*.cv1=1e-5,2e-4")
    #expect(rule?.pattern == "model.*.cv1")
    #expect(rule?.tolerance == LayerTolerance(absolute: 1e-5, relative: 2e-4))
    for text in ["", "=1,1", "a", "a=1", "a=1,", "a=1,x", "a=-1,0", "a=nan,0", "a=1,2,3"] {
      #expect(ToleranceTable.Rule(text) == nil, "\(text)")
    }
  }

  @Test(
    "stars stand for any characters",
    arguments: [
      ("*", "model.0", true), ("model.*", "model.0", true), ("model", "model.0", false),
      ("*.cv1", "model.2.cv1", true), ("*.cv1", "model.2.cv1.bn", false), ("a*b*c", "a1b2c", true),
      ("a*b*c", "a1c2b", false), ("a*a", "a", false), ("model.2.cv1", "model.2.cv1", true),
    ])
  func patterns(pattern: String, name: String, matches: Bool) {
    #expect(NamePattern(pattern).matches(name) == matches)
  }

  @Test("three significant figures")
  func figuresForPeople() {
    #expect(scientific(0) == "0")
    #expect(scientific(Double(bitPattern: 0xfff8_ffff_4000_0000)) == "nan")
    #expect(scientific(-.infinity) == "-inf")
    #expect(scientific(1.2345e-5) == "1.23e-05")
    #expect(scientific(-999.9) == "-1.00e+03")
    #expect(scientific(1) == "1.00e+00")
    #expect(scientific(.infinity) == "inf")
  }
}
