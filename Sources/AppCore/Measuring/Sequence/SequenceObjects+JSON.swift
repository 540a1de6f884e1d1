import FileFormats
import Geometry

extension SequenceObjects {
  /// The schema name in `sequence-objects.json`.
  package static let schema = "ardf.sequence-objects/1"

  /// The content of `sequence-objects.json`: every object once, with the frames that saw it.
  package var json: JSONValue {
    let objects = objects
    let counts = counts.mapValues(JSONValue.integer)
    return [
      "schema": .string(Self.schema), "counts": .object(counts), "objects": .array(objects.map(\.json)),
    ]
  }
}

extension SequenceObjects {
  /// Objects by their classes' names.
  private var counts: NameTable<Int> {
    var counts: NameTable<Int> = [:]
    for object in objects { counts[object.className, default: 0] += 1 }
    return counts
  }

  /// One line for people: what there is, seen in how many frames.
  package func line(frames: Int) -> String {
    let counts = counts
    guard !counts.isEmpty else { return "no objects in \(counted(frames, "frame"))" }
    let list = counts.sorted { ByteName($0.key) < ByteName($1.key) }.map { "\($0.value) \($0.key)" }.joined(
      separator: ", ")
    return "\(list) in \(counted(frames, "frame"))"
  }
}

extension SequenceObject {
  /// The object's entry; lengths in meters, positions in the world.
  var json: JSONValue {
    func numbers(_ values: [Double]) -> JSONValue {
      .array(values.map { .rounded($0, decimals: ObjectExtent.decimals) })
    }
    func lengths(_ value: BoxDimensions) -> JSONValue { numbers([value.x, value.y, value.z]) }
    func place(_ point: Point3<World>) -> JSONValue { numbers([point.x, point.y, point.z]) }
    var measured: [String: JSONValue] = [
      "center": place(box.center), "dimensions": lengths(box.dimensions),
      "yaw": .rounded(box.yaw, decimals: ObjectExtent.decimals), "quaternion": numbers(box.rotation.xyzw),
      "corners": .array(box.corners.map(place)), "method": .string(box.method.rawValue),
      "points": .integer(cloud.count),
    ]
    measured.merge(box.sizeJSON(errors)) { $1 }
    if let known = sides { measured["sides"] = known.json }
    var fields: [String: JSONValue] = [
      "id": .integer(id), "className": .string(className),
      "confidence": .rounded(Double(confidence), decimals: ObjectExtent.decimals),
      "sightings": .integer(sightings.count),
      "positionSpreadMeters": .rounded(positionSpread, decimals: ObjectExtent.decimals),
      "box3D": .object(measured),
      "frames": .array(
        sightings.map { sighting in
          var frame: [String: JSONValue] = [
            "frame": .string(sighting.frame), "detectionId": .integer(sighting.detectionId),
            "confidence": .rounded(Double(sighting.confidence), decimals: ObjectExtent.decimals),
            "center": place(sighting.center), "dimensions": lengths(sighting.dimensions),
          ]
          if let track = sighting.track { frame["track"] = .integer(track) }
          return .object(frame)
        }),
    ]
    if !tracks.isEmpty { fields["tracks"] = .array(tracks.map(JSONValue.integer)) }
    return .object(fields)
  }
}
