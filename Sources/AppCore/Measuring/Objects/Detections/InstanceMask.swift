import FileFormats
import Geometry
import Imaging

/// Which pixels of a picture belong to one object: probabilities on a coarse grid, and where a file or a
/// network gives them, the exact pixels as well.
///
/// The grid lies in the upright picture that the network saw; `orientation` leads from the stored picture to it.
public struct InstanceMask: Sendable {
  /// Cells along the longer side of the grid made from a binary mask.
  static let gridSide = 160

  /// The stored picture's size.
  public let imageSize: PixelSize
  /// How the stored picture was turned for the network.
  public let orientation: Orientation
  /// Probabilities in [0, 1]; whole positions are cell centers.
  public var grid: Plane<Float> {
    storedGrid?.plane ?? pixels?.runs?.coverage(width: cells.width, cells.height)
      ?? Plane(width: cells.width, height: cells.height, fill: 0)
  }
  /// nil for a document's mask: thousands of grids would take far more memory than the document.
  private let storedGrid: MaskGrid?
  private let cells: PixelSize
  /// Where the grid lies on the upright picture.
  let placement: GridPlacement
  /// The exact pixels, in the stored picture.
  let pixels: BinaryPatch?
  /// Whether the grid says more than the pixels do: it holds a network's probabilities.
  let hasProbabilities: Bool

  init(
    imageSize: PixelSize, orientation: Orientation, grid: MaskGrid, placement: GridPlacement,
    pixels: BinaryPatch?, hasProbabilities: Bool
  ) {
    self.hasProbabilities = hasProbabilities
    self.imageSize = imageSize
    self.orientation = orientation
    storedGrid = grid
    cells = PixelSize(width: grid.width, height: grid.height)
    self.placement = placement
    self.pixels = pixels
  }

  /// A mask from the full-resolution picture, any non-zero value inside.
  ///
  /// The coarse grid holds the share of set pixels under each cell.
  public init(binary: Plane<UInt8>) {
    let size = PixelSize(width: binary.width, height: binary.height)
    let cells = Self.gridSize(of: size)
    self.init(
      imageSize: size, orientation: .up,
      grid: MaskGrid(coverage(of: binary, width: cells.width, cells.height)),
      placement: GridPlacement(covering: size, gridWidth: cells.width, cells.height),
      pixels: BinaryPatch(binary), hasProbabilities: false)
  }

  /// The mask of a document, as `init(binary:)` would make it of its pixels, which stay as compact as they are.
  ///
  /// - Precondition: It has at least one pixel.
  init(_ mask: RunLengthMask) {
    imageSize = PixelSize(width: mask.width, height: mask.height)
    orientation = .up
    cells = Self.gridSize(of: imageSize)
    placement = GridPlacement(covering: imageSize, gridWidth: cells.width, cells.height)
    storedGrid = nil
    hasProbabilities = false
    pixels = BinaryPatch(ColumnRuns(mask))
  }

  static func gridSize(of size: PixelSize) -> PixelSize {
    let longer = max(size.width, size.height)
    let side = min(gridSide, longer)
    return PixelSize(width: max(1, size.width * side / longer), height: max(1, size.height * side / longer))
  }

  /// The probability that the object is seen at `point`: of the exact pixel where those are known, else bilinear
  /// between cell centers; 0 outside the picture.
  public func probability(at point: Point2<ImagePixels>) -> Double {
    guard point.x >= 0, point.y >= 0, point.x < Double(imageSize.width), point.y < Double(imageSize.height)
    else { return 0 }
    if let pixels { return pixels.isSet(Int(point.x), Int(point.y)) ? 1 : 0 }
    return gridProbability(at: point, in: grid)
  }

  /// Whether `probability` exceeds one half at several places of a row, from the left to the right.
  func isSet(_ places: [Double], inRow y: Double) -> [Bool] {
    guard let patch = pixels, let runs = patch.runs(ofRow: y) else {
      return places.map { probability(at: Point2($0, y)) > 0.5 }
    }
    var isSet = [Bool](repeating: false, count: places.count)
    var next = 0
    for (index, x) in places.enumerated() where x >= 0 && x < Double(imageSize.width) {
      let column = Int(x)
      while next < runs.count, runs[next].upperBound <= column { next += 1 }
      isSet[index] = next < runs.count && runs[next].lowerBound <= column
    }
    return isSet
  }

  /// A part of the picture outside of which `probability` is at most 0.5.
  var bounds: Rect<ImagePixels> {
    if let pixels { return pixels.bounds }
    let grid = grid
    var (first, last) = ((x: grid.width, y: grid.height), (x: -1, y: -1))
    for y in 0..<grid.height {
      for x in 0..<grid.width where grid[x, y] > 0.5 {
        first = (min(first.x, x), min(first.y, y))
        last = (max(last.x, x), max(last.y, y))
      }
    }
    guard last.x >= 0 else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    // Between cell centers the value is a mean of both: above one half no farther than the next center.
    let upright = placement.pixels(fromCell: first.x - 1, first.y - 1, toCell: last.x + 1, last.y + 1)
    return orientation.stored(upright, stored: imageSize).clipped(to: imageSize.bounds())
  }

  /// The bilinear value at a point inside the picture of `grid`, which is taken once for many points.
  func gridProbability(at point: Point2<ImagePixels>, in grid: Plane<Float>) -> Double {
    let cell = placement.cell(at: orientation.upright(point, stored: imageSize))
    return Double(grid.bilinear(cell.x, cell.y))
  }

  /// The mask without a border whose width follows the box.
  ///
  /// A square minimum filter of radius clamp(round(0.05 * min(box sides) in cells), 1, 3), edges extended. The
  /// exact pixels are dropped.
  public func eroded(for box: Rect<ImagePixels>) -> InstanceMask {
    let side = min(box.width, box.height) * placement.cellsPerPixel
    let radius = side.isFinite ? Int(min(max((0.05 * side).rounded(), 1), 3)) : 1
    return InstanceMask(
      imageSize: imageSize, orientation: orientation, grid: MaskGrid(minimum(of: grid, radius: radius)),
      placement: placement, pixels: nil, hasProbabilities: hasProbabilities)
  }

  /// `binary` as run lengths; of exact pixels in time and memory that follow their outline.
  package var runLengths: RunLengthMask {
    if let pixels { return pixels.runLengths(of: imageSize) }
    let plane = binary()
    return RunLengthMask(height: plane.height, width: plane.width, mask: plane.elements)
  }

  /// The mask at the stored picture's full resolution: 255 where `probability` at the pixel's center exceeds 0.5.
  public func binary() -> Plane<UInt8> {
    if let pixels { return pixels.plane(of: imageSize) }
    let grid = grid
    var set = [UInt8](repeating: 0, count: imageSize.width * imageSize.height)
    for y in 0..<imageSize.height {
      for x in 0..<imageSize.width
      where gridProbability(at: Point2(centerOf: x, y), in: grid) > 0.5 {
        set[y * imageSize.width + x] = 255
      }
    }
    return Plane(width: imageSize.width, height: imageSize.height, elements: set)
  }
}

/// Probabilities on a grid, those of a rectangle held and all others 0.
struct MaskGrid: Sendable {
  let width, height: Int
  private let columns, rows: Range<Int>
  /// Row-major over the rectangle.
  private let cells: [Float]

  /// A grid of which all is held.
  init(_ plane: Plane<Float>) {
    self.init(
      plane.elements, columns: 0..<plane.width, rows: 0..<plane.height, width: plane.width, plane.height)
  }

  /// A grid from the rectangle held, which lies in it.
  init(_ cells: [Float], columns: Range<Int>, rows: Range<Int>, width: Int, _ height: Int) {
    precondition(cells.count == columns.count * rows.count, "a rectangle of another size")
    precondition(
      columns.lowerBound >= 0 && columns.upperBound <= width && rows.lowerBound >= 0
        && rows.upperBound <= height, "the rectangle lies in the grid")
    (self.width, self.height, self.columns, self.rows, self.cells) = (width, height, columns, rows, cells)
  }

  /// All of it; made anew with each call unless all is held.
  var plane: Plane<Float> {
    if cells.count == width * height { return Plane(width: width, height: height, elements: cells) }
    return Plane(width: width, height: height, fill: 0, columns: columns, rows: rows, elements: cells)
  }
}

/// Where a grid of cells lies on a picture: cell = pixel * scale + offset, pixels by edges, cells by centers.
struct GridPlacement: Sendable, Hashable {
  let scaleX: Double
  let scaleY: Double
  let offsetX: Double
  let offsetY: Double

  /// A grid over a letterbox's whole input: with a stride of 4, cell = (pixel * scale + padding) / 4 - 0.5.
  init(letterbox: Letterbox, gridWidth: Int, _ gridHeight: Int) {
    let perInputX = Double(gridWidth) / Double(letterbox.networkSize.width)
    let perInputY = Double(gridHeight) / Double(letterbox.networkSize.height)
    scaleX = letterbox.scale.x * perInputX
    scaleY = letterbox.scale.y * perInputY
    offsetX = Double(letterbox.padLeft) * perInputX - 0.5
    offsetY = Double(letterbox.padTop) * perInputY - 0.5
  }

  /// A grid over exactly the picture.
  init(covering size: PixelSize, gridWidth: Int, _ gridHeight: Int) {
    scaleX = Double(gridWidth) / Double(size.width)
    scaleY = Double(gridHeight) / Double(size.height)
    offsetX = -0.5
    offsetY = -0.5
  }

  init(scaleX: Double, scaleY: Double, offsetX: Double, offsetY: Double) {
    self.scaleX = scaleX
    self.scaleY = scaleY
    self.offsetX = offsetX
    self.offsetY = offsetY
  }

  /// The same grid where the picture's corner is pixel (`column`, `row`) of a larger one.
  func moved(toColumn column: Int, row: Int) -> GridPlacement {
    GridPlacement(
      scaleX: scaleX, scaleY: scaleY, offsetX: offsetX - Double(column) * scaleX,
      offsetY: offsetY - Double(row) * scaleY)
  }

  /// The position among cell centers of a point of the upright picture.
  func cell(at point: Point2<UprightPixels>) -> (x: Double, y: Double) {
    (point.x * scaleX + offsetX, point.y * scaleY + offsetY)
  }

  /// The part of the upright picture between the centers of two cells.
  func pixels(fromCell x: Int, _ y: Int, toCell lastX: Int, _ lastY: Int) -> Rect<UprightPixels> {
    Rect(
      x: (Double(x) - offsetX) / scaleX, y: (Double(y) - offsetY) / scaleY,
      width: Double(lastX - x) / scaleX, height: Double(lastY - y) / scaleY)
  }

  /// Cells a pixel along the picture's rows.
  var cellsPerPixel: Double { scaleX }
}
