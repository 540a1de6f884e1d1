/// How a picture is scaled into a view or a network input.
public enum ScaleMode: Hashable, Sendable, CaseIterable {
  /// The whole picture shows, bands stay free: one scale, the smaller ratio.
  case scaleFit
  /// The picture is stretched to the target, each axis by its own ratio.
  case scaleFill
  /// The target is covered, the picture's surplus is cut off evenly: one scale, the larger ratio.
  case centerCrop

  /// Another name of `scaleFit`.
  public static let aspectFit = ScaleMode.scaleFit
  /// Another name of `centerCrop`.
  public static let aspectFill = ScaleMode.centerCrop
}

/// The map of a picture scaled and centered in a target, and its inverse.
///
/// target = point * scale - crop and point = (target + crop) / scale, with
/// crop = (picture * scale - target size) / 2: positive where the picture is cut, negative for free bands.
public struct ViewMapping<Source: PlanarFrame, Target: PlanarFrame>: Hashable, Sendable {
  /// Target units per picture pixel, horizontally.
  public let scaleX: Double
  /// Target units per picture pixel, vertically.
  public let scaleY: Double
  /// Scaled width cut off on the left.
  public let cropX: Double
  /// Scaled height cut off at the top.
  public let cropY: Double

  /// The map of a picture of `source` pixels into a target of `targetWidth` x `targetHeight`.
  ///
  /// - Precondition: the target's sides are positive and finite.
  public init(source: PixelSize, targetWidth: Double, targetHeight: Double, mode: ScaleMode) {
    precondition(
      targetWidth > 0 && targetHeight > 0 && targetWidth.isFinite && targetHeight.isFinite,
      "target \(targetWidth)x\(targetHeight) out of range")
    let width = Double(source.width)
    let height = Double(source.height)
    let ratioX = targetWidth / width
    let ratioY = targetHeight / height
    switch mode {
    case .scaleFit:
      scaleX = min(ratioX, ratioY)
      scaleY = scaleX
    case .centerCrop:
      scaleX = max(ratioX, ratioY)
      scaleY = scaleX
    case .scaleFill:
      scaleX = ratioX
      scaleY = ratioY
    }
    cropX = (width * scaleX - targetWidth) / 2
    cropY = (height * scaleY - targetHeight) / 2
  }

  /// Where a point of the picture shows.
  public func toTarget(_ p: Point2<Source>) -> Point2<Target> {
    Point2(p.x * scaleX - cropX, p.y * scaleY - cropY)
  }

  /// The point of the picture that shows at `p`.
  public func fromTarget(_ p: Point2<Target>) -> Point2<Source> {
    Point2((p.x + cropX) / scaleX, (p.y + cropY) / scaleY)
  }

  /// Where a rectangle of the picture shows.
  public func toTarget(_ rect: Rect<Source>) -> Rect<Target> {
    Rect(toTarget(Point2(rect.minX, rect.minY)), toTarget(Point2(rect.maxX, rect.maxY)))
  }

  /// The part of the picture that shows in `rect`.
  public func fromTarget(_ rect: Rect<Target>) -> Rect<Source> {
    Rect(fromTarget(Point2(rect.minX, rect.minY)), fromTarget(Point2(rect.maxX, rect.maxY)))
  }
}
