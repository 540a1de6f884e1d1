import ArgumentParser
import Models
import Perception

/// Whether large pictures are cut into tiles.
struct TileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Look at pictures in tiles of this side too, for small things in large pictures, and put together what several show \
      as SAHI does. Each tile is fitted into --imgsz, and --max-det is a tile's; the box of an object with a mask is its \
      mask's.
      """, valueName: "pixels"))
  var tile: Int?

  @Option(
    help: ArgumentHelp(
      "With --tile: the share of a tile that the next one repeats; 0.2 by default.", valueName: "share"))
  var overlap: Double?

  func validate() throws {
    guard tile != nil || overlap == nil else { throw ValidationError("--overlap goes with --tile") }
    if let tile, !Tiling.sides.contains(tile) {
      throw ValidationError(
        "--tile \(tile): give pixels from \(Tiling.sides.lowerBound) to \(Tiling.sides.upperBound)")
    }
    if let overlap, !Tiling.overlaps.contains(overlap) {
      throw ValidationError("--overlap \(overlap): give a number from 0 to \(Tiling.overlaps.upperBound)")
    }
  }

  /// The parts of pictures; nil for none.
  var tiling: Tiling? {
    guard let tile else { return nil }
    return overlap.map { Tiling(side: tile, overlap: $0) } ?? Tiling(side: tile)
  }
}
