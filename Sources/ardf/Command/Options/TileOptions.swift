import ArgumentParser
import Models
import Perception

/// Whether large pictures are cut into tiles.
struct TileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Detect in overlapping tiles of this side too, which finds small objects in large pictures, and merge the \
      results as SAHI does. Each tile is resized to --imgsz; --max-det applies to each tile; an object with a mask \
      gets its mask's box.
      """, valueName: "pixels"))
  var tile: Int?

  @Option(
    help: ArgumentHelp(
      "With --tile: overlap of neighboring tiles, as a share of their side; 0.2 by default.",
      valueName: "share"))
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
