import Evaluation
import Testing

@Suite("Errors of depth")
struct DepthErrorsTests {
  private let readings: [Float] = (0..<32).map { 1 + Float($0) / 8 }

  @Test("meters are compared as they are")
  func meters() throws {
    let errors = try #require(
      DepthErrors(meters: readings, estimate: readings.map { $0 * 1.1 }, unit: .none))
    #expect(abs(errors.absRel - 0.1) < 1e-6)
    #expect(errors.delta1 == 1 && errors.readings == 32)
    let far = try #require(DepthErrors(meters: readings, estimate: readings.map { $0 + 1 }, unit: .none))
    #expect(abs(far.rmse - 1) < 1e-6)
    // 1 / z below a quarter: from 4.125 m on, the last seven readings.
    #expect(far.delta1 == 7.0 / 32)
  }

  @Test("any affine function of inverse depth is exact once it is fitted")
  func scaleShift() throws {
    let errors = try #require(
      DepthErrors(meters: readings, estimate: readings.map { 3 - 5 / $0 }, unit: .scaleShift))
    #expect(errors.absRel < 1e-5 && errors.rmse < 1e-4 && errors.delta1 == 1)
  }

  @Test("cells without a reading do not count, and too few of them are none")
  func absent() {
    let holes: [Float] = readings.enumerated().map { $0 % 2 == 0 ? $1 : ($0 % 4 == 1 ? 0 : .nan) }
    #expect(DepthErrors(meters: holes, estimate: readings, unit: .none)?.readings == 16)
    #expect(
      DepthErrors(meters: Array(holes.dropFirst()), estimate: Array(readings.dropFirst()), unit: .none) == nil
    )
    #expect(DepthErrors(meters: readings, estimate: readings.map { _ in 1 }, unit: .scaleShift) == nil)
  }

  @Test("frames count the same, however many readings they have")
  func mean() throws {
    let small = try #require(DepthErrors(meters: readings, estimate: readings.map { $0 * 1.2 }, unit: .none))
    let all = readings + readings
    let large = try #require(DepthErrors(meters: all, estimate: all, unit: .none))
    let mean = try #require(DepthErrors(mean: [small, large]))
    #expect(abs(mean.absRel - 0.1) < 1e-6 && mean.readings == 96)
    #expect(DepthErrors(mean: []) == nil)
  }
}
