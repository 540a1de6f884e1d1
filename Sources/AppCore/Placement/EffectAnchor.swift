import FileFormats
import Geometry

/// Why an effect was not placed.
public enum PlacementError: Error, Equatable, CustomStringConvertible {
  /// The object has no distance, so there is no place for the effect.
  case noExtent(objectId: Int, EffectType)
  /// The effect shows the object's points, and there are none.
  case noPoints(objectId: Int)
  /// The catalogue does not offer the effect, or its asset is missing.
  case unavailable(EffectType)

  /// The reason and what to do.
  public var description: String {
    switch self {
    case .noExtent(let id, let effect):
      "cannot place \(effect.rawValue) on object \(id): it has no distance; give depth or choose another object"
    case .noPoints(let id):
      "cannot show the points of object \(id): there are none on its mask; choose another"
    case .unavailable(let effect):
      "effect \(effect.rawValue) is not available: add its asset or choose another effect"
    }
  }
}

extension PlacedEffect {
  /// How far above an object's lowest point effects stand, meters; less for objects lower than twice this.
  public static let standOff = 0.02

  /// An effect on a measured object.
  ///
  /// The debug cube sits in the middle of the object's box and turns with it, the debug mesh shows points that
  /// are in world coordinates already, all others stand above the middle of the box's lower face.
  /// - Throws: `PlacementError.noExtent`, `.noPoints`.
  public init(_ type: EffectType, on object: ObjectExtent) throws(PlacementError) {
    guard let box = object.box3D, let width = object.worldWidth, let height = object.worldHeight else {
      throw .noExtent(objectId: object.id, type)
    }
    let transform: RigidTransform<EffectSpace, World>
    switch type.form {
    case .cube: transform = RigidTransform(rotation: box.rotation, origin: box.center)
    case .points:
      guard !object.cloud.isEmpty else { throw .noPoints(objectId: object.id) }
      transform = .identity
    case .film:
      let lift = min(Self.standOff, box.dimensions.y / 2)
      transform = RigidTransform(
        rotation: .identity, origin: box.bottomCenter + Vector3(0, lift, 0))
    }
    self.init(
      type: type, objectId: object.id, transform: transform,
      scale: EffectScale.scale(worldWidth: width, worldHeight: height), billboard: !type.isDebug)
  }
}

extension PlacementError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
