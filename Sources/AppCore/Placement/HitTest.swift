import Geometry

/// Which detection a tap means.
public enum HitTest {
  /// How one of several overlapping detections is chosen.
  public enum Rule: Sendable {
    /// Those whose mask is hit before those whose box is hit, then the smallest box.
    case maskThenSmallest
    /// The first whose box is hit: what the phone app does.
    case firstBox
  }

  /// Mask probabilities above this are hits.
  public static let maskThreshold = 0.5

  /// The detection at a point of the stored picture; nil if no box holds it.
  ///
  /// Boxes are half-open. Of boxes of equal area the earlier detection wins.
  public static func detection(
    at point: Point2<ImagePixels>, among detections: [Detection], rule: Rule = .maskThenSmallest
  ) -> Detection? {
    let held = detections.filter { $0.box.contains(point) }
    if rule == .firstBox { return held.first }
    let onMask = held.filter { ($0.mask?.probability(at: point) ?? 0) > maskThreshold }
    let candidates = onMask.isEmpty ? held : onMask
    return candidates.min { $0.box.area < $1.box.area }
  }

  /// The detection at a point of a view that shows the upright picture.
  public static func detection(
    at tap: Point2<ViewPoints>, view: ViewMapping<UprightPixels, ViewPoints>, orientation: Orientation,
    imageSize: PixelSize, among detections: [Detection], rule: Rule = .maskThenSmallest
  ) -> Detection? {
    let point = orientation.stored(view.fromTarget(tap), stored: imageSize)
    return detection(at: point, among: detections, rule: rule)
  }
}
