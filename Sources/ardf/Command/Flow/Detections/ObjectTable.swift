import AppCore
import FileFormats
import Models

/// Objects as rows of comma-separated values, one for each object; lengths in pixels and meters, unknown values empty.
enum ObjectTable {
  /// Columns of every detection.
  static let detections = [
    "source", "name", "timestamp", "id", "class_id", "class", "confidence", "x", "y", "width", "height",
  ]
  /// Columns of objects that were measured.
  static let objects =
    detections + [
      "distance_m", "distance_source", "size_x_m", "size_y_m", "size_z_m", "center_x_m", "center_y_m",
      "center_z_m", "yaw_rad", "method", "side_-x", "side_+x", "side_-y", "side_+y", "side_-z", "side_+z",
    ] + intervals

  /// Columns of the least and the greatest value that each measured number may have, and of floor area and volume.
  private static let intervals =
    ["distance_NAME_m", "size_x_NAME_m", "size_y_NAME_m", "size_z_NAME_m", "center_x_NAME_m"].flatMap(ends)
    + ["center_y_NAME_m", "center_z_NAME_m", "yaw_NAME_rad"].flatMap(ends)
    + ["floor_area_m2"] + ends("floor_area_NAME_m2") + ["volume_m3"] + ends("volume_NAME_m3")

  private static func ends(_ column: String) -> [String] {
    ["low", "high"].map { column.replacing("NAME", with: $0) }
  }

  /// Columns of a detector's objects: those of every detection, then x, y and confidence of each key point, or the
  /// oriented box.
  static func columns(of network: any ObjectNetwork) -> [String] {
    let keypoints = keypoints(of: network).flatMap { name in
      ["x", "y", "confidence"].map { "\(name)_\($0)" }
    }
    let box = ["x", "y", "width", "height", "angle_rad"].map { "oriented_\($0)" }
    return detections + keypoints + (network.form == .orientedBoxes ? box : [])
  }

  /// Columns of measured objects: those of every one, then the detector's key points or oriented box, and the positions
  /// of these points in the world.
  static func measuredColumns(of network: any ObjectNetwork) -> [String] {
    let corners = network.form == .orientedBoxes ? (0..<4).map { "oriented\($0)" } : []
    var names = objects
    names += columns(of: network).dropFirst(detections.count)
    for point in keypoints(of: network) + corners {
      names += ["x", "y", "z"].map { "\(point)_world_\($0)_m" }
    }
    return names
  }

  private static func keypoints(of network: any ObjectNetwork) -> [String] {
    (0..<network.form.keypointCount).map { "keypoint\($0)" }
  }

  /// Columns of a picture's classes.
  static let classes = ["source", "name", "timestamp", "rank", "class_id", "class", "confidence"]

  /// The rows as lines of text; empty without rows.
  static func lines(_ rows: [[String]]) -> String {
    rows.first.map { csvTable($0, Array(rows.dropFirst())) } ?? ""
  }

  /// A row for each detection.
  static func rows(
    of file: DetectionsFile, source: String, timestamp: Double, isTracked: Bool = false
  ) -> [[String]] {
    file.detections.map {
      let object = JSONValue.object(DetectionsFile.fields($0))
      return known(object, source: source, name: file.image, timestamp: .number(timestamp)) + shapes(object)
        + (isTracked ? [text(object["track"])] : [])
    }
  }

  /// The key points or the oriented box of an object.
  private static func shapes(_ object: JSONValue) -> [String] {
    let keypoints = (object["keypoints"]?.array ?? []).flatMap { $0.array ?? [] }.map { text($0) }
    guard let box = object["orientedBox"] else { return keypoints }
    return keypoints
      + [box["center"]?[0], box["center"]?[1], box["width"], box["height"], box["angle"]].map(text)
  }

  /// A row for each of the likeliest classes.
  static func rows(of file: ClassesFile, source: String, timestamp: Double) -> [[String]] {
    (file.json["classes"]?.array ?? []).enumerated().map { rank, entry in
      [source, file.image, text(.number(timestamp)), "\(rank + 1)"]
        + ["classId", "className", "confidence"].map { text(entry[$0]) }
    }
  }

  /// A row for each object of a line of `results.jsonl`.
  ///
  /// `isTracked`: with a last column of identities.
  static func rows(ofResult line: JSONValue, isTracked: Bool) -> [[String]] {
    let objects: [JSONValue] = line["summary"]?["objects"]?.array ?? []
    return objects.map { object -> [String] in
      let box = object["box3D"]
      var row = known(
        object, source: line["source"]?.string ?? "", name: line["name"]?.string ?? "",
        timestamp: line["timestamp"])
      row += [text(object["distanceMeters"]), text(object["distanceSource"])]
      row += (0..<3).map { text(box?["dimensions"]?[$0]) }
      row += (0..<3).map { text(box?["center"]?[$0]) }
      row += [text(box?["yaw"]), text(box?["method"])]
      row += ["-x", "+x", "-y", "+y", "-z", "+z"].map { text(box?["sides"]?[$0]) }
      row += intervals(object)
      row += shapes(object)
      row += places(object)
      if isTracked { row.append(text(object["track"])) }
      return row
    }
  }

  /// The ends of the intervals, floor area and volume.
  private static func intervals(_ object: JSONValue) -> [String] {
    func ends(_ interval: JSONValue?) -> [String] { (0..<2).map { text(interval?[$0]) } }
    let box = object["box3D"]
    let known = box?["interval95"]
    var cells = ends(object["distanceInterval95"])
    for index in 0..<3 { cells += ends(known?["dimensions"]?[index]) }
    for index in 0..<3 { cells += ends(known?["center"]?[index]) }
    cells += ends(known?["yaw"])
    for name in ["floorArea", "volume"] {
      cells.append(text(box?[name]))
      cells += ends(known?[name])
    }
    return cells
  }

  /// The world positions of the key points, or of the corners of the oriented box.
  private static func places(_ object: JSONValue) -> [String] {
    let keypoints = (object["keypoints"]?.array ?? []).indices.map {
      object["keypoints3D"]?[$0]?["position"]
    }
    let corners = object["orientedBox"] == nil ? [] : (0..<4).map { object["orientedCorners3D"]?[$0] }
    return (keypoints + corners).flatMap { place in (0..<3).map { text(place?[$0]) } }
  }

  private static func known(
    _ object: JSONValue, source: String, name: String, timestamp: JSONValue?
  ) -> [String] {
    [source, name, text(timestamp)]
      + ["id", "classId", "className", "confidence"].map { text(object[$0]) }
      + ["x", "y", "width", "height"].map { text(object["box"]?[$0]) }
  }

  static func text(_ value: JSONValue?) -> String {
    guard let value, !value.isNull else { return "" }
    return value.string ?? value.serialized()
  }
}
