import AppCore
import FileFormats
import Geometry
import Imaging
import NNRuntime

extension ParserTarget {
  /// JSON documents, read from memory.
  static let documents: [ParserTarget] = [
    ParserTarget("json") { bytes in
      let value = try JSONValue.parse(bytes)
      let again = try JSONValue.parse(value.serialized())
      precondition(again == value, "a document that does not come back")
    },
    ParserTarget("detections") { bytes in
      let file = try DetectionsFile(json: JSONValue.parse(bytes), expecting: detectionsSize)
      _ = file.json.serialized()
    },
    ParserTarget("objects") { bytes in
      let detection = Detection(
        id: 0, classId: 0, className: "cup", confidence: 0.9, box: Rect(x: 1, y: 1, width: 4, height: 4),
        mask: nil)
      _ = try ResultsItem.items(of: [detection], objects: JSONValue.parse(bytes))
    },
    ParserTarget("scene") { _ = try SceneFile(json: JSONValue.parse($0)).json.serialized() },
    ParserTarget("plan") { bytes in
      let choices = try MeasuredChoices(JSONValue.parse(bytes))
      for entry in choices.entries { precondition(!entry.reason.isEmpty, "a choice without a reason") }
      _ = choices.document.serialized()
    },
    ParserTarget("simulation") { _ = try SimulationScript(json: JSONValue.parse($0)) },
  ]

  private static let detectionsSize = PixelSize(width: 32, height: 24)
}
