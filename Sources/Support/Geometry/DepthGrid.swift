/// How the cells of a depth map lie on the stored picture, whose whole field the map covers.
///
/// Cells and pixels both count by edges (cell (i, j) covers [i, i + 1) x [j, j + 1)), so one is a multiple of the other
/// along each axis, and the center of a cell is `Point2(centerOf:_:)` in either.
public struct DepthGrid: Hashable, Sendable {
  /// The map's columns and rows.
  public let cells: PixelSize
  /// The picture's size.
  public let picture: PixelSize
  /// Width and height of a cell in pixels.
  public let cellSize: Vector2<ImagePixels>

  /// A map of `cells` over a picture.
  @inlinable
  public init(cells: PixelSize, picture: PixelSize) {
    self.cells = cells
    self.picture = picture
    cellSize = Vector2(
      Double(picture.width) / Double(cells.width), Double(picture.height) / Double(cells.height))
  }

  /// Where a place of the map is seen in the picture.
  @inlinable
  public func pixel(_ cell: Point2<DepthCells>) -> Point2<ImagePixels> {
    Point2(cell.x * cellSize.x, cell.y * cellSize.y)
  }

  /// The place of the map under a point of the picture.
  @inlinable
  public func cell(_ pixel: Point2<ImagePixels>) -> Point2<DepthCells> {
    Point2(
      pixel.x * Double(cells.width) / Double(picture.width),
      pixel.y * Double(cells.height) / Double(picture.height))
  }

  /// The cell that holds a point of the picture; the last one at its right and lower edge.
  ///
  /// - Precondition: the point lies in the picture or on its edge.
  @inlinable
  public func index(_ pixel: Point2<ImagePixels>) -> (column: Int, row: Int) {
    let place = cell(pixel)
    return (min(cells.width - 1, Int(place.x)), min(cells.height - 1, Int(place.y)))
  }

  /// The displacement for each meter of planar depth along the sight through a place of the map.
  ///
  /// - Parameters:
  ///   - cell: The place.
  ///   - camera: The picture's camera.
  /// - Returns: The displacement.
  @inlinable
  public func ray(_ cell: Point2<DepthCells>, of camera: Intrinsics) -> Vector3<CameraARKit> {
    let seen = camera.unproject(pixel(cell), depth: 1)
    return Vector3(seen.x, seen.y, seen.z)
  }

  /// The larger side of what a cell sees through the picture's camera at a planar depth of one meter, meters.
  public func pitch(of camera: Intrinsics) -> Double { max(cellSize.x / camera.fx, cellSize.y / camera.fy) }
}
