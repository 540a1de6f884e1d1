import AppCore
import FileFormats
import Geometry
import Testing

@Suite struct ObjectsFileTests {
  private static let box: JSONValue = [
    "center": [0, 0, -1], "dimensions": [0.3, 0.2, 0.1], "yaw": 0.5, "method": "minarea",
  ]

  private static func object(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
    var fields: [String: JSONValue] = [
      "id": 0, "label": "cup 95%\n1.20 m", "distanceSource": "lidar", "depthRange": [1.1, 1.3], "box3D": box,
    ]
    for (field, value) in changes { fields[field] = value }
    return .object(fields)
  }

  private func items(_ objects: [JSONValue]) throws -> [ResultsItem] {
    let detections = (0..<2).map {
      ResultsFixture.detection($0, Rect(x: 10, y: 10, width: 20, height: 20), masked: false)
    }
    return try ResultsItem.items(
      of: detections, objects: ["schema": "ardf.objects/1", "objects": .array(objects)])
  }

  @Test func objectsAreMatchedById() throws {
    let items = try items([Self.object(["id": 1])])
    #expect(items.map(\.label) == ["cup 95%\n-- m", "cup 95%\n1.20 m"])
    #expect(items.map(\.source) == [.none, .sensor])
    #expect(items[0].wireframe == nil)
    #expect(items[1].wireframe?.yaw == 0.5)
    #expect(items[1].wireframe?.dimensions == BoxDimensions(x: 0.3, y: 0.2, z: 0.1))
  }

  /// Only boxes that show measured shape are drawn.
  @Test func wireframeRule() throws {
    var sixPoint = Self.box.object ?? [:]
    sixPoint["method"] = "sixpoint"
    let box = JSONValue.object(sixPoint)
    #expect(try items([Self.object(["distanceSource": "fusion"])])[0].wireframe == nil)
    #expect(try items([Self.object(["box3D": box, "depthRange": [0.96, 1.0]])])[0].wireframe == nil)
    #expect(try items([Self.object(["box3D": box, "depthRange": [0.95, 1.0]])])[0].wireframe != nil)
    #expect(try items([Self.object(["box3D": box, "depthRange": .some(nil)])])[0].wireframe == nil)
  }

  @Test(
    arguments: [
      (["id": "x"], "objects[0].id"), (["label": .some(nil)], "objects[0].label"),
      (["distanceSource": "sonar"], "objects[0].distanceSource"),
      (["depthRange": [2, 1]], "objects[0].depthRange"),
      (["box3D": ["center": [0, 0]]], "objects[0].box3D.center"),
      (["box3D": 1], "objects[0].box3D.center"),
    ] as [([String: JSONValue?], String)])
  func defectIsNamed(_ changes: [String: JSONValue?], _ field: String) {
    #expect(throws: ObjectsFileError.field(field)) { try items([Self.object(changes)]) }
  }

  @Test func documentDefects() {
    #expect(throws: ObjectsFileError.duplicateId(0)) { try items([Self.object(), Self.object()]) }
    #expect(throws: ObjectsFileError.schema(found: nil)) { try ResultsItem.items(of: [], objects: [:]) }
    #expect(throws: ObjectsFileError.field("objects")) {
      try ResultsItem.items(of: [], objects: ["schema": "ardf.objects/1"])
    }
  }
}
