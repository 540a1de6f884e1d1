import FileFormats
import Geometry

/// The frame of a placed effect: its anchor is the origin, +y is up, meters.
public enum EffectSpace: SpatialFrame {}

/// An effect at its fixed place in the world.
public struct PlacedEffect: Sendable, Equatable {
  /// The effect's type.
  public let type: EffectType
  /// The detection that it belongs to; nil for one that was placed without a detection.
  public let objectId: Int?
  /// Where it stands; never changed after placing.
  public let transform: RigidTransform<EffectSpace, World>
  /// Size factor in `EffectScale.range`.
  public let scale: Double
  /// Whether it turns about +y to face each viewer.
  public let billboard: Bool

  /// An effect from its parts.
  public init(
    type: EffectType, objectId: Int?, transform: RigidTransform<EffectSpace, World>, scale: Double,
    billboard: Bool
  ) {
    self.type = type
    self.objectId = objectId
    self.transform = transform
    self.scale = scale
    self.billboard = billboard
  }

  /// Where the effect's origin stands.
  public var position: Point3<World> { transform.origin }

  /// The transform with which a viewer at `viewer` sees it: turned by `Billboard.yaw` if it is a billboard.
  public func transform(facing viewer: Point3<World>) -> RigidTransform<EffectSpace, World> {
    guard billboard else { return transform }
    return RigidTransform(
      rotation: Quaternion(yaw: Billboard.yaw(at: position, facing: viewer)), origin: position)
  }
}

/// The size factor of effects.
package enum EffectScale {
  /// Effects are neither smaller nor larger than this.
  package static let range = 0.1...3.0

  /// The larger of an object's sides in meters, within `range`; the least for sizes that are not numbers.
  package static func scale(worldWidth: Double, worldHeight: Double) -> Double {
    let larger = max(worldWidth, worldHeight)
    return larger.isNaN ? range.lowerBound : min(max(larger, range.lowerBound), range.upperBound)
  }
}
