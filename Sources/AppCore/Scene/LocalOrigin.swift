import Geometry

/// Where the single-precision coordinates of a scene file count from.
///
/// A thousand meters off, such numbers are 0.06 mm apart; at a map projection's 5,000 km half a meter. Scenes farther off
/// therefore count from a place of whole meters beside them, which the file states in double precision.
enum LocalOrigin {
  /// Scenes whose camera stands farther off along an axis get an origin of their own, meters.
  static let reach = 1000.0

  static func near(_ place: Point3<World>) -> Point3<World> {
    guard [place.x, place.y, place.z].contains(where: { abs($0) > reach }) else { return .origin }
    return Point3(place.x.rounded(), place.y.rounded(), place.z.rounded())
  }
}

extension SceneModel {
  /// Where the coordinates of its file count from: `Point3.origin` unless it stands far off.
  var localOrigin: Point3<World> {
    if points.count > 0 { return points.origin }
    return LocalOrigin.near(cameras.first?.cameraToWorld.origin ?? objects.first?.box.center ?? .origin)
  }

  /// The same scene in a world whose origin is `origin`; points stay as they are, for they count from their own.
  func relative(to origin: Point3<World>) -> SceneModel {
    guard origin != .origin else { return self }
    let offset = Point3<World>.origin - origin
    var scene = self
    for index in cameras.indices {
      let pose = cameras[index].cameraToWorld
      scene.cameras[index].cameraToWorld = RigidTransform(
        rotation: pose.rotation, origin: pose.origin + offset)
    }
    for index in objects.indices {
      let box = objects[index].box
      scene.objects[index].box = Box3D(
        center: box.center + offset, dimensions: box.dimensions, yaw: box.yaw, method: box.method)
      scene.objects[index].cloud = objects[index].cloud.map { $0 + offset }
    }
    scene.effects = effects.map { effect in
      PlacedEffect(
        type: effect.type, objectId: effect.objectId,
        transform: RigidTransform(
          rotation: effect.transform.rotation, origin: effect.transform.origin + offset),
        scale: effect.scale, billboard: effect.billboard)
    }
    return scene
  }
}
