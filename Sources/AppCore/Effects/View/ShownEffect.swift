import Geometry
import Imaging

/// An effect as it looks at one moment.
public struct ShownEffect: Sendable {
  /// Where it stands.
  public let effect: PlacedEffect
  /// The object that it belongs to: what lies in this box does not hide the effect.
  public let box: Box3D?
  /// Points of a debug mesh.
  public let cloud: [Point3<World>]
  /// The film's picture; nil for effects that have none.
  public let picture: RGBAImage?
  /// Which part of the film's plane stands on the anchor.
  public let pivot: Billboard.Pivot
  /// Opacity in [0, 1].
  public let opacity: Double

  /// An effect from its parts.
  public init(
    effect: PlacedEffect, box: Box3D? = nil, cloud: [Point3<World>] = [], picture: RGBAImage? = nil,
    pivot: Billboard.Pivot = .center, opacity: Double = 1
  ) {
    self.effect = effect
    self.box = box
    self.cloud = cloud
    self.picture = picture
    self.pivot = pivot
    self.opacity = opacity
  }
}
