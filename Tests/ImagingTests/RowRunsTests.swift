import Imaging
import Testing

/// Set pixels as runs along rows.
@Suite struct RowRunsTests {
  /// Rasters of every width and height to 5, with few and many pixels set.
  private static let rasters: [(width: Int, height: Int, elements: [UInt8])] = (0...5).flatMap { width in
    (0...5).flatMap { height in
      [0, 0x5bd1_e995, 0x1234_5677, 0xffff_ffff, 0x8000_0001].map { (bits: UInt32) in
        (width, height, (0..<width * height).map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) & 1 })
      }
    }
  }

  @Test(arguments: rasters.indices) func areTheirPixels(index: Int) {
    let (width, height, elements) = Self.rasters[index]
    let runs = RowRuns(width: width, height: height, elements: elements)
    #expect(runs.elements == elements)
    #expect(runs.area == elements.count { $0 != 0 } && runs.isEmpty == !elements.contains(1))
    for row in 0..<height {
      for column in 0..<width {
        #expect(runs[column, row] == (elements[row * width + column] != 0))
      }
    }
    // Whatever is set with, and however they are made, the runs are the same.
    #expect(RowRuns(width: width, height: height, elements: elements.map { $0 * 200 }) == runs)
    let filled = RowRuns(width: width, height: height) { row, pixels in
      for column in 0..<width { pixels[column] = elements[row * width + column] }
    }
    #expect(filled == runs)
  }

  @Test func boundsHoldWhatIsSet() throws {
    var elements = [UInt8](repeating: 0, count: 70)
    (elements[23], elements[38], elements[45]) = (1, 1, 1)
    let bounds = try #require(RowRuns(width: 10, height: 7, elements: elements).bounds)
    #expect(bounds.columns == 3..<9 && bounds.rows == 2..<5)
    #expect(RowRuns(width: 10, height: 7, elements: [UInt8](repeating: 0, count: 70)).bounds == nil)
  }

  @Test func areLaidIntoLargerRasters() {
    var raster = [UInt8](repeating: 7, count: 12)
    RowRuns(width: 2, height: 2, elements: [1, 0, 1, 1]).fill(&raster, from: 5, stride: 4, with: 255)
    #expect(raster == [7, 7, 7, 7, 7, 255, 7, 7, 7, 255, 255, 7])
  }

  /// A picture's worth of one object takes the memory of its outline.
  @Test func memoryFollowsTheOutline() {
    let side = 2000
    let disc = RowRuns(width: side, height: side) { row, pixels in
      for column in 0..<side {
        let (x, y) = (column - side / 2, row - side / 2)
        pixels[column] = x * x + y * y < side * side / 4 ? 1 : 0
      }
    }
    #expect(disc.area > 3_000_000 && disc.bytes < 40_000)
    #expect(disc.bytes <= RowRuns.mostBytes(height: side, changes: 2))
  }
}
