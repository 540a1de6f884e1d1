import FileFormats
import Geometry

extension ObjectExtent {
  /// The schema name in `objects.json`.
  public static let schema = "ardf.objects/1"

  /// Decimals of meters and radians in files: micrometers.
  static let decimals = 6

  /// The content of `objects.json`.
  package static func json(_ extents: [ObjectExtent]) -> JSONValue {
    ["schema": .string(schema), "objects": .array(extents.map(\.json))]
  }

  /// The object's entry in `objects.json`; lengths in meters, positions in the world, unknown values null.
  ///
  /// Key points and oriented boxes are there where the detection has some.
  package var json: JSONValue {
    var fields = known
    if !keypoints.isEmpty { fields["keypoints3D"] = .array(keypoints.map(Self.keypoint)) }
    if !orientedCorners.isEmpty {
      fields["orientedCorners3D"] = .array(orientedCorners.map { Self.numbers([$0.x, $0.y, $0.z]) })
    }
    if let track { fields["track"] = .integer(track) }
    return .object(fields)
  }

  private static func keypoint(_ keypoint: PlacedKeypoint) -> JSONValue {
    [
      "position": keypoint.position.map { numbers([$0.x, $0.y, $0.z]) } ?? .null,
      "distanceMeters": number(keypoint.meters), "distanceSource": .string(keypoint.source.rawValue),
      "confidence": number(keypoint.confidence.map(Double.init)),
    ]
  }

  private var known: [String: JSONValue] {
    [
      "id": .integer(id), "className": .string(className),
      "confidence": .rounded(Double(confidence), decimals: Self.decimals),
      "distanceMeters": Self.number(distance.meters), "distanceSource": .string(distance.source.rawValue),
      "samples": .integer(distance.samples),
      "distanceInterval95": distance.meters.map {
        MeasuredNumber($0, error: distanceError).intervalJSON
      } ?? .null,
      "depthRange": distance.range.map { Self.numbers([$0.lowerBound, $0.upperBound]) } ?? .null,
      "worldWidth": Self.number(worldWidth), "worldHeight": Self.number(worldHeight),
      "label": .string(label), "box3D": box3D.map(boxJSON) ?? .null,
      "warnings": .array(warnings.map { .string($0.rawValue) }),
    ]
  }

  private func boxJSON(_ box: Box3D) -> JSONValue {
    var fields: [String: JSONValue] = [
      "center": Self.numbers([box.center.x, box.center.y, box.center.z]),
      "dimensions": Self.numbers([box.dimensions.x, box.dimensions.y, box.dimensions.z]),
      "yaw": Self.number(box.yaw), "quaternion": Self.numbers(box.rotation.xyzw),
      "corners": .array(box.corners.map { Self.numbers([$0.x, $0.y, $0.z]) }),
      "method": .string(box.method.rawValue), "points": .integer(cloud.count),
      "discardedShare": Self.number(discardedShare),
    ]
    fields.merge(box.sizeJSON(errors)) { $1 }
    if let sides { fields["sides"] = sides.json }
    return .object(fields)
  }

  private static func number(_ value: Double?) -> JSONValue {
    value.map { .rounded($0, decimals: decimals) } ?? .null
  }

  private static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { number($0) }) }
}

extension BoxSides {
  /// How each face is known, by the direction that it looks in.
  var json: JSONValue {
    .object([
      "-x": .string(minX.rawValue), "+x": .string(maxX.rawValue), "-y": .string(minY.rawValue),
      "+y": .string(maxY.rawValue), "-z": .string(minZ.rawValue), "+z": .string(maxZ.rawValue),
    ])
  }
}
