import AppCore
import Testing

/// A measured number with its interval, in words.
@Suite struct MeasuredNumberTests {
  @Test(
    arguments: [
      (2.094, 0.0187, "2.09 ± .04"), (2.5, nil, "2.50"), (0.3, 0, "0.30 ± .01"),
      (12.999, 0.6, "13.00 ± 1.26"),
      (-1.2, 0.04 / 2.09, "-1.20 ± .04"), (1, 0.041 / 2.09, "1.00 ± .05"), (1, 0.998 / 2.09, "1.00 ± 1.00"),
      (.nan, 0.1, "--"), (1e12, 0.1, "--"), (1, .nan, "1.00"), (1, .infinity, "1.00"), (1, 1e12, "1.00"),
    ] as [(Double, Double?, String)])
  func words(value: Double, error: Double?, expected: String) {
    #expect(MeasuredNumber(value, error: error).words == expected)
  }

  @Test func anIntervalIsAsWideAsItsError() throws {
    let interval = try #require(MeasuredNumber(2, error: 0.1).interval)
    #expect(abs(interval.lowerBound - (2 - 0.209)) < 1e-12 && abs(interval.upperBound - 2.209) < 1e-12)
    #expect(MeasuredNumber(2, error: nil).interval == nil)
    #expect(
      MeasuredNumber(.nan, error: 1).interval == nil && MeasuredNumber(1, error: .infinity).interval == nil)
  }

  @Test func labelsSayTheInterval() {
    #expect(
      ObjectExtent.label("cup", confidence: 0.95, meters: 2.3, error: 0.02) == "cup 95%\n2.30 ± .05 m")
  }
}
