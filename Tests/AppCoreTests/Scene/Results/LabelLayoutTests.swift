import AppCore
import Geometry
import Testing

@Suite struct LabelLayoutTests {
  private let layout = LabelLayout(
    picture: Rect(x: 0, y: 0, width: 200, height: 300), gap: 2, halfLine: 2)

  private func label(_ x: Double, _ y: Double, _ side: Double = 60) -> LabelLayout.Label {
    LabelLayout.Label(width: 50, height: 20, box: Rect(x: x, y: y, width: side, height: side))
  }

  @Test func aboveTheBoxFromItsLeftEdge() {
    #expect(layout.place([label(40, 100)]) == [Rect(x: 38, y: 78, width: 50, height: 20)])
  }

  @Test func insideWhereThereIsNoRoomAbove() {
    let rect = layout.place([label(40, 5)])[0]
    #expect(rect.minY >= 0)
    #expect(rect.maxY <= 300)
  }

  @Test(arguments: [(-20.0, 40.0), (180, 40), (60, -30), (60, 290), (-500, -500), (900, 900)])
  func insideThePicture(_ x: Double, _ y: Double) {
    let rect = layout.place([label(x, y)])[0]
    #expect(rect.minX >= 0 && rect.minY >= 0 && rect.maxX <= 200 && rect.maxY <= 300)
  }

  @Test func manyLabelsKeepOffEachOther() {
    let labels = (0..<6).map { label(30 + Double($0) * 4, 120 + Double($0) * 3, 90) }
    let placed = layout.place(labels)
    for (index, rect) in placed.enumerated() {
      for other in placed[(index + 1)...] { #expect(rect.intersection(other).area == 0) }
    }
  }

  /// Ten thousand labels looking for a place would take minutes.
  @Test func labelsBeyondANetworksTakeTheirFirstPlace() {
    let few = (0..<LabelLayout.mostPlaced).map {
      label(30 + Double($0 % 9) * 4, 120 + Double($0 % 7) * 3, 90)
    }
    let more = [LabelLayout.Label](repeating: label(40, 100), count: 9700)
    let placed = layout.place(few + more)
    #expect(Array(placed.prefix(few.count)) == layout.place(few))
    #expect(placed.dropFirst(few.count).allSatisfy { $0 == Rect(x: 38, y: 78, width: 50, height: 20) })
  }

  @Test func smallObjectsAreNotHidden() {
    // Above the second box lies the first, smaller one.
    let labels = [label(40, 100, 24), label(40, 126, 60)]
    let placed = layout.place(labels)
    #expect(placed[1].intersection(labels[0].box).area == 0)
  }
}
