import FileFormats
import Models

/// The description of a checkpoint that `ardf inspect` shows.
struct CheckpointListing {
  /// Class names that are shown to people.
  private static let shownClasses = 10

  private let description: CheckpointDescription
  private let file: String

  init(_ description: CheckpointDescription, file: String) {
    self.description = description
    self.file = file
  }

  /// A table for people.
  var text: String {
    let size = description.size.map { " " + printableLine($0) } ?? ""
    var table = TextTable(["network", description.network.map { $0 + size } ?? "unknown"])
    if let finds = description.finds { table.add(["finds", finds]) }
    if let count = description.classCount {
      let names = description.classNames.prefix(Self.shownClasses).map(printableLine)
        .joined(separator: ", ")
      let more = count > Self.shownClasses ? ", ..." : ""
      table.add(["classes", description.classNames.isEmpty ? "\(count)" : "\(count): \(names)\(more)"])
    }
    if let shape = description.keypointShape {
      table.add(["key points", shape.map(String.init).joined(separator: " x ")])
    }
    if let side = description.trainingSize { table.add(["trained at", "\(side) pixels"]) }
    if let license = description.license { table.add(["license", printableLine(license)]) }
    if let writer = description.writer {
      table.add([
        "written by",
        "Ultralytics \(printableLine(writer))" + (description.date.map { ", " + printableLine($0) } ?? ""),
      ])
    }
    table.add([
      "holds", "\(counted(description.tensorCount, "tensor")), \(counted(description.valueCount, "value"))",
    ])
    for remark in description.remarks { table.add(["note", printableLine(remark)]) }
    table.add(["supported", description.defect.map { "no: \($0)" } ?? "yes"])
    return table.text
  }

  /// The same as JSON.
  var document: JSONValue {
    func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    func number(_ value: Int?) -> JSONValue { value.map(JSONValue.integer) ?? .null }
    return [
      "schema": "ardf.checkpoint/1", "file": .string(file), "network": text(description.network),
      "size": text(description.size), "finds": text(description.finds),
      "classes": number(description.classCount),
      "classNames": .array(description.classNames.map(JSONValue.string)),
      "keypointShape": description.keypointShape.map { .array($0.map(JSONValue.integer)) } ?? .null,
      "trainingSize": number(description.trainingSize), "license": text(description.license),
      "version": text(description.writer), "date": text(description.date),
      "tensors": .integer(description.tensorCount), "values": .integer(description.valueCount),
      "supported": .bool(description.isSupported), "defect": text(description.defect),
      "remarks": .array(description.remarks.map(JSONValue.string)),
    ]
  }
}
