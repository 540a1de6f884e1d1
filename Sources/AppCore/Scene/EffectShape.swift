import Geometry

/// Stand-in for an effect in a scene file.
enum EffectShape {
  /// Points in the world.
  case points([Point3<World>])
  /// A box around its transform's origin with sides in meters.
  case cube(RigidTransform<EffectSpace, World>, BoxDimensions)
  /// An upright plane around its transform's origin, facing the transform's +z, with sides in meters.
  case plane(RigidTransform<EffectSpace, World>, width: Double, height: Double)
}

extension SceneModel {
  /// The object that an effect belongs to.
  func object(of effect: PlacedEffect) -> Object? {
    effect.objectId.flatMap { id in objects.first { $0.id == id } }
  }

  /// Name of an effect's node.
  func name(of effect: PlacedEffect) -> String {
    ["effect", effect.type.rawValue, object(of: effect).map { "on \($0.className) \($0.id)" }]
      .compactMap(\.self).joined(separator: " ")
  }

  /// The effect's shape, turned to the first camera if it is a billboard; nil for one with nothing to show.
  func shape(of effect: PlacedEffect) -> EffectShape? {
    switch effect.type.form {
    case .points:
      guard let cloud = object(of: effect)?.cloud, !cloud.isEmpty else { return nil }
      return .points(cloud)
    case .cube:
      let sides = BoxDimensions(x: effect.scale, y: effect.scale, z: effect.scale)
      return .cube(effect.transform, object(of: effect)?.box.dimensions ?? sides)
    case .film:
      let lift = Billboard.middleOffset(scale: effect.scale, aspect: effectAspect, pivot: effectPivot)
      let facing = effect.transform(facing: cameras.first?.cameraToWorld.origin ?? .origin)
      let plane = Billboard.planeSize(scale: effect.scale, aspect: effectAspect)
      return .plane(
        RigidTransform(rotation: facing.rotation, origin: facing.origin + Vector3(0, lift, 0)),
        width: plane.width, height: plane.height)
    }
  }
}

extension Orientation {
  /// The turn about the viewing direction that makes a camera of the stored picture one of the upright picture.
  ///
  /// Mirrored orientations turn like their unmirrored counterparts: no camera mirrors.
  var roll: Quaternion {
    let quarterTurns: Double =
      switch self {
      case .up, .upMirrored: 0
      case .right, .rightMirrored: 1
      case .down, .downMirrored: 2
      case .left, .leftMirrored: -1
      }
    return Quaternion(axis: Vector3<CameraARKit>(0, 0, 1), angle: quarterTurns * .pi / 2) ?? .identity
  }
}
