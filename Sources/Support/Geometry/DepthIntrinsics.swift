/// A pinhole camera's intrinsics for the cells of a depth map that covers the picture's whole field.
public struct DepthIntrinsics: Hashable, Sendable {
  /// The same camera, were the map a picture.
  @usableFromInline
  package let map: Intrinsics

  /// The intrinsics of a picture's camera for a map of `size` cells.
  public init(_ picture: Intrinsics, cells size: PixelSize) { map = picture.scaled(to: size) }

  /// The map's columns and rows.
  public var size: PixelSize { map.imageSize }

  /// The point seen at `cell` with planar depth `depth`, meters.
  @inlinable
  public func unproject(_ cell: Point2<DepthCells>, depth: Double) -> Point3<CameraARKit> {
    map.unproject(cell.relabeled(), depth: depth)
  }

  /// The cell a point is seen in; nil where a picture would not show it.
  @inlinable
  public func project(_ point: Point3<CameraARKit>) -> Point2<DepthCells>? {
    map.project(point)?.relabeled()
  }
}
