import Evaluation
import Testing

@Suite struct LaserErrorsTests {
  /// A wall at 2 m whose right half lies at 3 m.
  private static let (width, height) = (24, 10)
  private static let truth = (0..<width * height).map { Float($0 % width < 12 ? 2 : 3) }

  @Test func edgesAndSurfacesAreToldApart() throws {
    // One way off by a tenth everywhere, one right but for a ramp of two pixels.
    let off = Self.truth.map { 1.1 * $0 }
    let ramp = Self.truth.indices.map { (11...12).contains($0 % Self.width) ? Float(2.5) : Self.truth[$0] }
    let errors = try #require(
      LaserErrors.compared(truth: Self.truth, width: Self.width, ways: [Self.truth, off, ramp]))
    #expect(errors[0].all.absRel == 0 && errors[0].all.pixels == Self.width * Self.height)
    for share in [errors[1].all, errors[1].smooth, errors[1].edges] {
      #expect(abs(try #require(share.absRel) - 0.1) < 1e-6)
    }
    // The step and the three pixels to either side of it.
    #expect(errors[2].edges.pixels == 2 * LaserErrors.reach * Self.height)
    #expect(errors[2].smooth.absRel == 0)
    let expected = (0.25 + 0.5 / 3) / 6
    #expect(abs(try #require(errors[2].edges.absRel) - expected) < 1e-6)
  }

  /// All ways are compared on the same pixels: those that the truth and every way know.
  @Test func unknownPixelsCountForNone() throws {
    var truth = Self.truth
    truth[0] = 0
    truth[1] = .nan
    var gap = Self.truth
    gap[2] = 0
    gap[3] = .infinity
    let errors = try #require(LaserErrors.compared(truth: truth, width: Self.width, ways: [Self.truth, gap]))
    for way in errors { #expect(way.all.pixels == Self.width * Self.height - 4) }
    let nothing = [Float](repeating: 0, count: truth.count)
    #expect(LaserErrors.compared(truth: truth, width: Self.width, ways: [nothing]) == nil)
  }

  @Test func everyFrameCountsTheSame() throws {
    let flat = [Float](repeating: 2, count: 64)
    let few = try #require(
      LaserErrors.compared(truth: flat, width: 8, ways: [flat.map { 1.5 * $0 }])?.first)
    let many = try #require(
      LaserErrors.compared(truth: Self.truth, width: Self.width, ways: [Self.truth])?.first)
    let mean = try #require(LaserErrors(mean: [few, many]))
    #expect(abs(try #require(mean.all.absRel) - 0.25) < 1e-6)
    // A frame without edges says nothing of them.
    #expect(few.edges.absRel == nil && mean.edges.absRel == 0)
    #expect(LaserErrors(mean: []) == nil)
  }
}
