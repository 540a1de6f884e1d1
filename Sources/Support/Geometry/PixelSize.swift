/// The sides of a picture or grid in whole pixels.
public struct PixelSize: Hashable, Sendable {
  /// The largest side accepted anywhere.
  public static let maximumSide = 1 << 20

  /// Pixels a row.
  public let width: Int
  /// Rows.
  public let height: Int

  /// A size of at least 1x1.
  ///
  /// - Precondition: both sides are in 1...`maximumSide`. Sizes from outside go through `init(checking:_:)`.
  public init(width: Int, height: Int) {
    precondition(
      (1...Self.maximumSide).contains(width) && (1...Self.maximumSide).contains(height),
      "size \(width)x\(height) out of range")
    self.width = width
    self.height = height
  }

  /// A size from untrusted numbers.
  ///
  /// - Throws: `GeometryError.badSize`.
  public init(checking width: Int, _ height: Int) throws(GeometryError) {
    guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height) else {
      throw .badSize(width: width, height: height)
    }
    self.init(width: width, height: height)
  }

  /// Width and height exchanged.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// The rectangle that the whole picture covers.
  public func bounds<Frame: PlanarFrame>(in frame: Frame.Type = Frame.self) -> Rect<Frame> {
    Rect(minX: 0, minY: 0, maxX: Double(width), maxY: Double(height))
  }
}
