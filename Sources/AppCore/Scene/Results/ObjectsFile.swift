import FileFormats
import Geometry

/// A defect of an `objects.json` document.
package enum ObjectsFileError: Error, Equatable, CustomStringConvertible {
  /// The document's `schema` is another one or missing.
  case schema(found: String?)
  /// A field is missing or has the wrong type or value.
  case field(String)
  /// Two objects carry the same `id`.
  case duplicateId(Int)

  /// The defect and what to do.
  package var description: String {
    switch self {
    case .schema(let found):
      "objects have schema \(found.map { printableName($0) } ?? "none"), expected \(ObjectExtent.schema); place them again"
    case .field(let name): "objects field \(name) is missing or malformed; place them again"
    case .duplicateId(let id): "objects hold id \(id) twice; place them again"
    }
  }
}

extension ResultsItem {
  /// The items of detections and the `objects.json` that was made from them, matched by `id`.
  ///
  /// A detection without an object is labeled without a distance.
  /// - Throws: `ObjectsFileError`.
  package static func items(
    of detections: [Detection], objects document: JSONValue
  ) throws(ObjectsFileError) -> [ResultsItem] {
    let objects = try ObjectEntry.entries(of: document)
    return detections.map { detection in
      let entry = objects[detection.id]
      return ResultsItem(
        detection: detection,
        label: entry?.label
          ?? ObjectExtent.label(detection.className, confidence: detection.confidence, meters: nil),
        source: entry?.source ?? .none,
        wireframe: entry.flatMap {
          isWorthDrawing($0.box, source: $0.source, range: $0.range) ? $0.box : nil
        })
    }
  }
}

extension SeenObject {
  /// The objects with a box of an `objects.json`.
  ///
  /// `cloud`: The points of an object, by its `id`.
  ///
  /// - Throws: `ObjectsFileError`, or what `cloud` throws.
  package static func objects(
    of document: JSONValue, cloud: (_ id: Int) throws -> [Point3<World>]
  ) throws -> [SeenObject] {
    try ObjectEntry.entries(of: document).values.sorted { $0.id < $1.id }.compactMap { entry in
      guard let box = entry.box else { return nil }
      guard let className = entry.className, let confidence = entry.confidence else {
        throw ObjectsFileError.field("className or confidence of object \(entry.id)")
      }
      return SeenObject(
        id: entry.id, className: className, confidence: Float(confidence), box: box, sides: entry.sides,
        errors: entry.errors, isRound: entry.isRound, isExtrapolated: entry.isExtrapolated,
        cloud: box.method == .sixPoint ? [] : try cloud(entry.id), track: entry.track)
    }
  }
}

/// The fields of one object of `objects.json` that other commands read.
private struct ObjectEntry {
  let id: Int
  let className: String?
  let confidence: Double?
  let label: String
  let source: ObjectDistance.Source
  let range: ClosedRange<Double>?
  let box: Box3D?
  let sides: BoxSides?
  let errors: BoxErrors?
  let isRound: Bool
  let isExtrapolated: Bool
  let track: Int?

  /// All entries, by `id`.
  static func entries(of document: JSONValue) throws(ObjectsFileError) -> [Int: ObjectEntry] {
    let schema = document["schema"]?.string
    guard schema == ObjectExtent.schema else { throw .schema(found: schema) }
    guard let entries = document["objects"]?.array else { throw .field("objects") }
    var objects: [Int: ObjectEntry] = [:]
    for (index, json) in entries.enumerated() {
      let entry = try ObjectEntry(json, name: "objects[\(index)]")
      guard objects.updateValue(entry, forKey: entry.id) == nil else { throw .duplicateId(entry.id) }
    }
    return objects
  }

  private init(_ json: JSONValue, name: String) throws(ObjectsFileError) {
    guard let id = json["id"]?.integer(in: DetectionsFile.ids) else { throw .field("\(name).id") }
    guard let label = json["label"]?.string, label.utf8.count <= DetectionsFile.maximumNameBytes else {
      throw .field("\(name).label")
    }
    guard let source = json["distanceSource"]?.string.flatMap(ObjectDistance.Source.init) else {
      throw .field("\(name).distanceSource")
    }
    self.id = id
    className = json["className"]?.string
    confidence = json["confidence"]?.number
    self.label = label
    self.source = source
    range = try Self.range(json["depthRange"], "\(name).depthRange")
    box = try Self.box(json["box3D"], "\(name).box3D")
    sides = try Self.sides(json["box3D"]?["sides"], "\(name).box3D.sides")
    let track = json["track"].flatMap { $0.isNull ? nil : $0 }
    guard track == nil || track?.integer(in: DetectionsFile.ids) != nil else {
      throw .field("\(name).track")
    }
    self.track = track?.integer(in: DetectionsFile.ids)
    func isWarned(_ warning: ExtentWarning) -> Bool {
      json["warnings"]?.array?.contains(.string(warning.rawValue)) ?? false
    }
    (isRound, isExtrapolated) = (isWarned(.round), isWarned(.extrapolated))
    errors = try Self.errors(json["box3D"]?["interval95"], "\(name).box3D.interval95")
  }

  /// Files from before intervals were written, that of the scale among them, have none.
  private static func errors(_ json: JSONValue?, _ name: String) throws(ObjectsFileError) -> BoxErrors? {
    guard let json, !json.isNull, json["scale"] != nil else { return nil }
    guard let errors = BoxErrors(json) else { throw .field(name) }
    return errors
  }

  private static func range(
    _ json: JSONValue?, _ name: String
  ) throws(ObjectsFileError) -> ClosedRange<Double>? {
    guard let json, !json.isNull else { return nil }
    guard let bounds = json.numbers, bounds.count == 2, bounds[0] <= bounds[1],
      bounds.allSatisfy(SceneMeters.range.contains)
    else { throw .field(name) }
    return bounds[0]...bounds[1]
  }

  private static func sides(_ json: JSONValue?, _ name: String) throws(ObjectsFileError) -> BoxSides? {
    guard let json, !json.isNull else { return nil }
    func side(_ key: String) throws(ObjectsFileError) -> SideEvidence {
      guard let side = json[key]?.string.flatMap(SideEvidence.init) else { throw .field("\(name).\(key)") }
      return side
    }
    return BoxSides(
      minX: try side("-x"), maxX: try side("+x"), minY: try side("-y"), maxY: try side("+y"),
      minZ: try side("-z"), maxZ: try side("+z"))
  }

  private static func box(_ json: JSONValue?, _ name: String) throws(ObjectsFileError) -> Box3D? {
    guard let json, !json.isNull else { return nil }
    guard let center = json["center"]?.numbers, center.count == 3,
      center.allSatisfy(SceneMeters.range.contains)
    else { throw .field("\(name).center") }
    guard let sides = json["dimensions"]?.numbers, sides.count == 3,
      sides.allSatisfy({ $0 > 0 && SceneMeters.range.contains($0) })
    else {
      throw .field("\(name).dimensions")
    }
    guard let yaw = json["yaw"]?.number, abs(yaw) < 100 else { throw .field("\(name).yaw") }
    guard let method = json["method"]?.string.flatMap(Box3D.Method.init) else {
      throw .field("\(name).method")
    }
    return Box3D(
      center: Point3(center[0], center[1], center[2]),
      dimensions: BoxDimensions(x: sides[0], y: sides[1], z: sides[2]), yaw: yaw, method: method)
  }
}

extension ObjectsFileError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
