import Evaluation
import Testing

@Suite struct BoxAccuracyTests {
  private static func box(
    _ x: Double = 0, _ y: Double = 0, _ z: Double = 0, sides: (x: Double, y: Double, z: Double) = (2, 1, 1),
    yaw: Double = 0
  ) -> UprightBox { UprightBox(center: (x, y, z), sides: sides, yaw: yaw) }

  @Test func overlapsOfKnownBoxes() {
    let whole = Self.box()
    #expect(abs(whole.overlap(with: whole) - 1) < 1e-12)
    // Half along x: 1 of 3 m3; a quarter of the height apart.
    #expect(abs(whole.overlap(with: Self.box(1)) - 1.0 / 3) < 1e-12)
    #expect(abs(whole.overlap(with: Self.box(0, 0.25)) - 0.75 / 1.25) < 1e-12)
    #expect(whole.overlap(with: Self.box(2.1)) == 0 && whole.overlap(with: Self.box(0, 1.1)) == 0)
    // A square and itself turned by 45 degrees share a regular octagon, 2 (sqrt 2 - 1) of 1.
    let square = Self.box(sides: (1, 1, 1))
    let shared = 2 * (2.0.squareRoot() - 1)
    let turned = square.overlap(with: Self.box(sides: (1, 1, 1), yaw: .pi / 4))
    #expect(abs(turned - shared / (2 - shared)) < 1e-9)
    // The same box with its axes named the other way round, and turned halfway.
    for yaw in [Double.pi / 2, -.pi / 2] {
      #expect(abs(whole.overlap(with: Self.box(sides: (1, 1, 2), yaw: yaw)) - 1) < 1e-9)
    }
    #expect(abs(Self.box(yaw: 0.3).overlap(with: Self.box(yaw: 0.3 + .pi)) - 1) < 1e-9)
  }

  private static func measured(
    _ frame: Int, _ score: Double, _ box: UprightBox, seen: (x: Bool, y: Bool, z: Bool) = (true, true, true)
  ) -> BoxAccuracy.Measured { BoxAccuracy.Measured(frame: frame, score: score, box: box, isObserved: seen) }

  @Test func precisionByHand() {
    let truth = [
      BoxAccuracy.Annotated(frame: 0, box: Self.box()), BoxAccuracy.Annotated(frame: 0, box: Self.box(5)),
      BoxAccuracy.Annotated(frame: 1, box: Self.box()), BoxAccuracy.Annotated(frame: 1, box: Self.box(9)),
    ]
    let found = BoxAccuracy(
      [
        // Right; the same once more; right at .25 alone; in the wrong frame's place; nothing.
        Self.measured(0, 0.9, Self.box()), Self.measured(0, 0.8, Self.box(0.1)),
        Self.measured(0, 0.7, Self.box(6)), Self.measured(1, 0.6, Self.box(5)),
        Self.measured(1, 0.5, Self.box(9)),
      ], annotated: truth)
    #expect(found.labels == 4 && found.measured == 5)
    // Recalls of a quarter at precisions 1, 2/3, 3/5; at .5 of 1 and 2/5.
    #expect(abs((found.at25 ?? 0) - (1 + 2.0 / 3 + 3.0 / 5) / 4) < 1e-12)
    #expect(abs((found.at50 ?? 0) - (1 + 2.0 / 5) / 4) < 1e-12)
    #expect(BoxAccuracy([], annotated: truth).at25 == 0)
    #expect(BoxAccuracy([], annotated: []).at25 == nil)
  }

  /// Sides are compared along the same axes, whatever a box calls them, and those not seen to end are left out.
  @Test func sidesOfTurnedBoxes() {
    let truth = [BoxAccuracy.Annotated(frame: 0, box: Self.box(yaw: 0.2))]
    let turned = Self.box(sides: (1.1, 1, 2.4), yaw: 0.2 + .pi / 2)
    let all = BoxAccuracy([Self.measured(0, 1, turned)], annotated: truth)
    #expect(zip(all.sides, [0, 0.1, 0.2]).allSatisfy { abs($0 - $1) < 1e-9 } && all.sides.count == 3)
    let seen = BoxAccuracy([Self.measured(0, 1, turned, seen: (true, true, false))], annotated: truth)
    #expect(zip(seen.sides, [0, 0.1]).allSatisfy { abs($0 - $1) < 1e-9 } && seen.sides.count == 2)
    #expect(abs((all.side(0.5) ?? 0) - 0.1) < 1e-9 && BoxAccuracy([], annotated: truth).side(0.5) == nil)
  }
}
