import FileFormats
import Geometry

/// A defect of a scene file.
package enum SceneFileError: Error, Equatable, CustomStringConvertible {
  /// The document's `schema` is another one or missing.
  case schema(found: String?)
  /// A field is missing or has the wrong type or value.
  case field(String)
  /// The effect's transform is not a rigid one.
  case transform(index: Int, GeometryError)

  /// The defect.
  package var description: String {
    switch self {
    case .schema(let found):
      "scene has schema \(found.map { printableName($0) } ?? "none"), expected \(SceneFile.schema)"
    case .field(let name): "scene field \(name) is missing or malformed; place the effects again"
    case .transform(let index, let error): "scene effect \(index): \(error)"
    }
  }
}

/// The content of `scene.json`: the effects at their places.
package struct SceneFile: Sendable, Equatable {
  /// Schema of `scene.json`.
  package static let schema = "ardf.scene/1"

  /// The effects in the order in which they were placed.
  package var effects: [PlacedEffect]

  /// A scene of effects.
  package init(effects: [PlacedEffect]) { self.effects = effects }

  /// The document; transforms are column-major effect-to-world matrices in meters.
  package var json: JSONValue {
    [
      "schema": .string(Self.schema),
      "effects": .array(
        effects.map { effect in
          [
            "type": .string(effect.type.rawValue),
            "objectId": effect.objectId.map { .integer($0) } ?? .null,
            "transform": .array(
              effect.transform.columnMajor.map { .rounded($0, decimals: ObjectExtent.decimals) }),
            "scale": .rounded(effect.scale, decimals: ObjectExtent.decimals),
            "billboard": .bool(effect.billboard),
          ]
        }),
    ]
  }

  /// A scene from its document.
  ///
  /// - Throws: `SceneFileError`.
  package init(json: JSONValue) throws(SceneFileError) {
    guard json["schema"]?.string == Self.schema else { throw .schema(found: json["schema"]?.string) }
    guard let entries = json["effects"]?.array else { throw .field("effects") }
    var effects: [PlacedEffect] = []
    for (index, entry) in entries.enumerated() {
      effects.append(try Self.effect(entry, index: index))
    }
    self.effects = effects
  }

  private static func effect(_ entry: JSONValue, index: Int) throws(SceneFileError) -> PlacedEffect {
    func defect(_ name: String) -> SceneFileError { .field("effects[\(index)].\(name)") }
    guard let type = entry["type"]?.string.flatMap(EffectType.init(name:)) else { throw defect("type") }
    let objectId = entry["objectId"]
    guard let objectId, objectId.isNull || objectId.integer(in: DetectionsFile.ids) != nil else {
      throw defect("objectId")
    }
    guard let elements = entry["transform"]?.numbers, elements.allSatisfy(SceneMeters.range.contains) else {
      throw defect("transform")
    }
    guard let scale = entry["scale"]?.number, EffectScale.range.contains(scale) else { throw defect("scale") }
    guard let billboard = entry["billboard"]?.bool else { throw defect("billboard") }
    do throws(GeometryError) {
      return PlacedEffect(
        type: type, objectId: objectId.integer(in: DetectionsFile.ids),
        transform: try RigidTransform(columnMajor: elements),
        scale: scale, billboard: billboard)
    } catch {
      throw .transform(index: index, error)
    }
  }
}

extension SceneFileError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
