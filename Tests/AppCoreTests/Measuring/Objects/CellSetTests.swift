import AppCore
import FileFormats
import Testing

@Suite struct CellSetTests {
  @Test(arguments: [(1, 1), (1, 7), (9, 1), (12, 10)]) func erosionIsThatOfItsDefinition(
    _ width: Int, _ height: Int
  ) {
    var random = SplitMix64(seed: UInt64(width * height))
    let elements = (0..<width * height).map { _ in Int.random(in: 0..<10, using: &random) > 0 }
    let set = CellSet(width: width, height: height, elements)
    for steps in 0...2 {
      // A cell stays where no cell outside the set lies within so many steps along rows and columns.
      let expected = elements.indices.map { cell in
        elements.indices.allSatisfy { other in
          let apart =
            abs(cell % width - other % width) + abs(cell / width - other / width)
          return apart > steps || elements[other]
        }
      }
      #expect(set.eroded(steps).elements == expected)
      let outside = CellSet(width: width, height: height, elements.map { !$0 })
      #expect(outside.dilated(steps).elements == expected.map { !$0 })
    }
  }
}
