import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An upright plane that shows a film and turns about +y to face the viewer.
public enum Billboard {
  /// Which part of the plane stands on the anchor.
  public enum Pivot: String, Sendable, CaseIterable {
    /// Its middle: the lower half reaches below the anchor.
    case center
    /// Its lower edge.
    case bottom
  }

  /// The turn about +y, radians, with which a plane at `position` (facing +z unturned) looks at `viewer`:
  /// atan2(dx, dz); 0 if the viewer is straight above or below.
  public static func yaw(at position: Point3<World>, facing viewer: Point3<World>) -> Double {
    let toViewer = viewer - position
    return atan2(toViewer.x, toViewer.z)
  }

  /// Width and height in meters of the plane for a film of `aspect` = width / height.
  ///
  /// The plane is 2 * scale wide.
  /// - Precondition: `aspect` is positive and finite.
  public static func planeSize(scale: Double, aspect: Double) -> (width: Double, height: Double) {
    precondition(aspect > 0 && aspect.isFinite, "aspect \(aspect) out of range")
    return (2 * scale, 2 * scale / aspect)
  }

  /// How far the plane's middle is above the anchor.
  public static func middleOffset(scale: Double, aspect: Double, pivot: Pivot) -> Double {
    pivot == .center ? 0 : planeSize(scale: scale, aspect: aspect).height / 2
  }

  /// The film's picture to show `time` seconds after its start: floor(time * fps) mod `count`.
  ///
  /// - Precondition: `count` is positive.
  public static func frameIndex(time: Double, framesPerSecond: Double, count: Int) -> Int {
    precondition(count > 0, "a film has at least one picture")
    let position = (time * framesPerSecond).rounded(.down).truncatingRemainder(dividingBy: Double(count))
    guard position.isFinite else { return 0 }
    return Int(clamping: position < 0 ? position + Double(count) : position)
  }
}
