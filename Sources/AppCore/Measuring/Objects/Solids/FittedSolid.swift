import Geometry

/// A solid on a supporting plane whose numbers are fitted to a camera's readings.
protocol FittedSolid: Sendable {
  associatedtype Rays: SolidRays
  /// The solid as rays from one camera meet it.
  func rays(from camera: Point3<World>) -> Rays
}

/// Where rays from one camera meet a solid.
protocol SolidRays: Sendable {
  /// Several solids of this kind.
  associatedtype Lanes: SolidLanes where Lanes.Rays == Self

  /// The first face on a ray and the planar depth there, less than `limit`; nil where it passes by.
  ///
  /// A ray is its world displacement for each meter of planar depth.
  func meets(_ ray: Vector3<World>, before limit: Double) -> SolidHit?
  /// The cosine of the angle at which a ray meets a face.
  func incidence(_ ray: Vector3<World>, on face: SolidFace) -> Double
}

struct SolidHit: Equatable {
  let meters: Double
  let face: SolidFace
}

/// Faces of a solid whose readings are alike in their noise.
struct SolidFace: Equatable {
  let index: Int

  /// An upright face: of a box that of a side by its index in `FittedBox.reaches`, of a cylinder a strip that is seen at
  /// one slant.
  static func upright(_ index: Int) -> SolidFace { SolidFace(index: index) }
  static let top = SolidFace(index: 4)
  /// The surroundings of the solid.
  static let besides = SolidFace(index: 5)
  static let count = 6
}
