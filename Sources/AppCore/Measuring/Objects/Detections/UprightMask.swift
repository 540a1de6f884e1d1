import Geometry
import Imaging

/// Which pixels of an upright picture belong to one object, as a network finds them; turned back it says so of the
/// picture as stored.
public struct UprightMask: Sendable {
  private let imageSize: PixelSize
  private let grid: MaskGrid
  private let placement: GridPlacement
  /// The exact pixels, in the upright picture.
  private let pixels: BinaryPatch?
  private let hasProbabilities: Bool

  private init(
    imageSize: PixelSize, grid: MaskGrid, placement: GridPlacement, pixels: BinaryPatch?,
    hasProbabilities: Bool = true
  ) {
    self.imageSize = imageSize
    self.grid = grid
    self.placement = placement
    self.pixels = pixels
    self.hasProbabilities = hasProbabilities
  }

  /// A mask on a network's prototype grid, which covers the letterbox's whole input, padding included.
  ///
  /// `binary`, if given, is the same mask at the picture's full resolution, any non-zero value inside.
  /// - Precondition: `binary` has the size of the letterbox's picture.
  public init(probabilities: Plane<Float>, letterbox: Letterbox, binary: Plane<UInt8>? = nil) {
    precondition(
      binary.map { $0.width == letterbox.imageSize.width && $0.height == letterbox.imageSize.height } ?? true,
      "a full-resolution mask has the picture's size")
    self.init(MaskGrid(probabilities), letterbox, pixels: binary.map(BinaryPatch.init))
  }

  /// A mask on a part of a network's prototype grid whose pixels are those of a rectangle of the letterbox's picture.
  ///
  /// - `grid`: the grid's size; `columns` and `rows`: of its cells those that `probabilities` holds, row-major; all others
  ///   are 0.
  /// - `runs`: the rectangle's pixels; `column` and `row`: where it begins.
  ///
  /// - Precondition: the parts lie in the grid and the picture.
  package init(
    probabilities: [Float], columns: Range<Int>, rows: Range<Int>, of grid: PixelSize, letterbox: Letterbox,
    runs: RowRuns, column: Int, row: Int
  ) {
    let size = letterbox.imageSize
    precondition(
      column >= 0 && row >= 0 && column + runs.width <= size.width && row + runs.height <= size.height,
      "a mask's rectangle lies in its picture")
    self.init(
      MaskGrid(probabilities, columns: columns, rows: rows, width: grid.width, grid.height), letterbox,
      pixels: BinaryPatch(runs, x: column, y: row))
  }

  private init(_ grid: MaskGrid, _ letterbox: Letterbox, pixels: BinaryPatch?) {
    self.init(
      imageSize: letterbox.imageSize, grid: grid,
      placement: GridPlacement(letterbox: letterbox, gridWidth: grid.width, grid.height), pixels: pixels)
  }

  /// A mask from the full-resolution picture, any non-zero value inside; see `InstanceMask.init(binary:)`.
  public init(binary: Plane<UInt8>) {
    let mask = InstanceMask(binary: binary)
    self.init(
      imageSize: mask.imageSize, grid: MaskGrid(mask.grid), placement: mask.placement, pixels: mask.pixels,
      hasProbabilities: false)
  }

  /// The mask in coordinates of the stored picture of size `stored`, which `turn` turns upright.
  public func turnedBack(from turn: Orientation, stored: PixelSize) -> InstanceMask {
    precondition(turn.apply(to: stored) == imageSize, "the mask belongs to another picture")
    return InstanceMask(
      imageSize: stored, orientation: turn, grid: grid, placement: placement,
      pixels: turn == .up ? pixels : pixels?.turnedBack(from: turn, stored: stored),
      hasProbabilities: hasProbabilities)
  }

  /// The least rectangle of pixels that holds all of the mask's; nil where none is set, and of a mask without pixels.
  package var pixelBounds: Rect<UprightPixels>? {
    guard let bounds = pixels?.bounds, !bounds.isEmpty else { return nil }
    return Rect(minX: bounds.minX, minY: bounds.minY, maxX: bounds.maxX, maxY: bounds.maxY)
  }

  /// The pixels of all of some masks of one picture, on a grid of their own; nil of none, and where one has no pixels.
  package static func union(_ masks: [UprightMask]) -> UprightMask? {
    let patches = masks.compactMap(\.pixels)
    guard let size = masks.first?.imageSize, patches.count == masks.count else { return nil }
    let pixels = BinaryPatch.union(patches)
    guard let (cells, x, y) = pixels.rectangle, cells.width > 0, cells.height > 0 else { return nil }
    let part = PixelSize(width: cells.width, height: cells.height)
    let grid = InstanceMask.gridSize(of: part)
    let shares = coverage(
      of: Plane(width: cells.width, height: cells.height, elements: cells.elements), width: grid.width,
      grid.height)
    // A file's grid would cover the whole picture, and be coarser than this one.
    return UprightMask(
      imageSize: size, grid: MaskGrid(shares),
      placement: GridPlacement(covering: part, gridWidth: grid.width, grid.height)
        .moved(toColumn: x, row: y), pixels: pixels, hasProbabilities: true)
  }

  /// The mask of a part of a picture, in coordinates of the whole of size `size`: the part's corner is pixel
  /// (`column`, `row`).
  func moved(toColumn column: Int, row: Int, of size: PixelSize) -> UprightMask {
    UprightMask(
      imageSize: size, grid: grid, placement: placement.moved(toColumn: column, row: row),
      pixels: pixels?.moved(toColumn: column, row: row), hasProbabilities: hasProbabilities)
  }
}
