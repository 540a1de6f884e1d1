import FileFormats
import Geometry

/// Which parts of a large picture a detector looks at besides the whole, so that small things are as large as what the
/// network was trained on.
///
/// Source: F. C. Akyon et al., *Slicing aided hyper inference and fine-tuning for small object detection* (ICIP 2022); the
/// parts are those of its program, `sahi`.
public struct Tiling: Sendable, Equatable {
  /// Sides that tiles may have, in pixels.
  public static let sides = 32...16_384
  /// Shares of a tile that it may have in common with the next.
  public static let overlaps = 0...0.9

  /// Pixels of a tile's side; a picture that is narrower or lower has tiles as wide or high as itself.
  public let side: Int
  /// The share of the side that neighbors have in common, rounded down to pixels.
  ///
  /// The last of a row or column begins where
  /// it ends with the picture.
  public let overlap: Double

  /// Tiles of a side in `sides`, with an overlap in `overlaps`.
  public init(side: Int = 640, overlap: Double = 0.2) {
    precondition(Self.sides.contains(side) && Self.overlaps.contains(overlap), "tiles of another size")
    (self.side, self.overlap) = (side, overlap)
  }

  /// A part of a picture, in pixels.
  struct Tile: Equatable {
    let column, row, width, height: Int
  }

  /// The parts of a picture, row by row.
  func tiles(of size: PixelSize) -> [Tile] {
    let columns = ranges(of: size.width)
    return ranges(of: size.height).flatMap { rows in
      columns.map { Tile(column: $0.lowerBound, row: rows.lowerBound, width: $0.count, height: rows.count) }
    }
  }

  private func ranges(of length: Int) -> [Range<Int>] {
    let common = Int(clamping: overlap * Double(side))
    var starts = [0]
    while let last = starts.last, last + side < length {
      starts.append(min(last + side - common, length - side))
    }
    return starts.map { $0..<min($0 + side, length) }
  }
}
