import NNVerification
import Testing

@Suite("The search for the layers to lower")
struct PrecisionSearchTests {
  /// Errors that add up by squares; `d` saves nothing.
  private let layers: [(name: String, error: Double, saved: Double)] = [
    ("a", 0.03, 9), ("b", 0.01, 4), ("c", 0.02, 1), ("d", 0.001, -1), ("e", 0.04, 1),
  ]

  private func search() -> PrecisionSearch {
    PrecisionSearch(layers, base: 0.01) { lowered in
      layers.filter { lowered.contains($0.name) }.reduce(1e-4) { $0 + $1.error * $1.error }.squareRoot()
    }
  }

  @Test("layers come in the order of squared error a unit saved; one that saves nothing never does")
  func order() { #expect(search().order == ["b", "a", "c", "e"]) }

  @Test(
    "the most layers within an error are found, none where even none lowered exceeds it",
    arguments: [
      (0.005, nil), (0.01, 0), (0.02, 1), (0.034, 2), (0.0388, 3), (0.05, 3), (1, 4),
    ] as [(Double, Int?)])
  func within(_ error: Double, _ count: Int?) throws {
    var search = search()
    let point = try search.most(within: error)
    #expect(point?.count == count)
    if let point {
      #expect(abs(point.error - point.expected) < 1e-12)
      #expect(point.saved == [0, 4, 13, 14, 15][point.count])
    }
  }

  @Test("a curve has both ends, and measures nothing twice")
  func curve() throws {
    var count = 0
    var search = PrecisionSearch(layers, base: 0) {
      count += 1
      return Double($0.count)
    }
    try search.curve(3)
    #expect(search.points.map(\.count) == [0, 2, 4])
    _ = try search.most(within: 9)
    #expect(count == 3)
  }

  @Test("what is known of all layers is not measured again")
  func known() throws {
    var counts: [Int] = []
    var search = PrecisionSearch(layers, base: 0) {
      counts.append($0.count)
      return Double($0.count)
    }
    search.know(whole: 4)
    #expect(try search.most(within: 9)?.count == 4)
    #expect(try search.most(within: 2)?.count == 2)
    #expect(counts == [0, 2, 3])
  }
}
