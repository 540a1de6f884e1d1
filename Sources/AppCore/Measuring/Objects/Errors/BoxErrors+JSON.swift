import FileFormats
import Geometry

extension MeasuredNumber {
  /// The interval in files; null where it is not known.
  var intervalJSON: JSONValue {
    interval.map {
      .array([$0.lowerBound, $0.upperBound].map { .rounded($0, decimals: ObjectExtent.decimals) })
    } ?? .null
  }
}

extension Box3D {
  /// The area of its lower face, square meters.
  var floorArea: Double { dimensions.x * dimensions.z }
  /// Its volume, cubic meters.
  var volume: Double { floorArea * dimensions.y }

  /// The fields of its size, and with errors the interval of each of its numbers: of objects.json, and of a sequence's.
  func sizeJSON(_ errors: BoxErrors?) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "floorArea": .rounded(floorArea, decimals: ObjectExtent.decimals),
      "volume": .rounded(volume, decimals: ObjectExtent.decimals),
    ]
    if let errors { fields["interval95"] = errors.json(of: self) }
    return fields
  }
}

extension BoxErrors {
  /// `interval95` of a box.
  func json(of box: Box3D) -> JSONValue {
    func interval(_ value: Double, _ error: Double) -> JSONValue {
      MeasuredNumber(value, error: error).intervalJSON
    }
    let size = box.dimensions
    return [
      "dimensions": .array([
        interval(size.x, dimensions.x), interval(size.y, dimensions.y), interval(size.z, dimensions.z),
      ]),
      "center": .array([
        interval(box.center.x, center.x), interval(box.center.y, center.y), interval(box.center.z, center.z),
      ]),
      "yaw": yaw.map { interval(box.yaw, $0) } ?? .null,
      "floorArea": interval(box.floorArea, box.floorArea * ofFloorArea(box)),
      "volume": interval(box.volume, box.volume * ofVolume(box)),
      "scale": interval(1, scale),
    ]
  }

  /// The errors of which a file has the intervals; nil unless each is two numbers.
  init?(_ json: JSONValue) {
    func error(_ interval: JSONValue?) -> Double? {
      guard let bounds = interval?.numbers, bounds.count == 2, bounds[1] >= bounds[0],
        SceneMeters.range.contains(bounds[0]), SceneMeters.range.contains(bounds[1])
      else { return nil }
      return (bounds[1] - bounds[0]) / 2 / Self.deviations
    }
    func three(_ intervals: JSONValue?) -> (Double, Double, Double)? {
      guard let all = intervals?.array, all.count == 3, let x = error(all[0]), let y = error(all[1]),
        let z = error(all[2])
      else { return nil }
      return (x, y, z)
    }
    guard let sides = three(json["dimensions"]), let place = three(json["center"]),
      let scale = error(json["scale"])
    else { return nil }
    var yaw: Double?
    if let turn = json["yaw"], !turn.isNull {
      guard let known = error(turn) else { return nil }
      yaw = known
    }
    self.init(
      dimensions: BoxDimensions(x: sides.0, y: sides.1, z: sides.2),
      center: Vector3(place.0, place.1, place.2), yaw: yaw, scale: scale)
  }
}
