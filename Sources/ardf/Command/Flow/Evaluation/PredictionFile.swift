import Evaluation
import FileFormats
import OutputFolders

/// A list of a network's detections as COCO results, written picture by picture.
final class PredictionFile {
  private let writer: AtomicFileWriter
  private var isEmpty = true

  /// Starts a file in a folder of results.
  init(_ name: String, in folder: OutputFolder) throws {
    let path = folder.path(name)
    writer = try OutputError.mapping { () throws(FileError) in
      let writer = try AtomicFileWriter(path: path, overwrite: false)
      try writer.append(Array("[".utf8))
      return writer
    }
  }

  /// Adds the objects of a picture; classes that the annotations lack are left out.
  func add(_ detections: [EvaluatedDetection], of picture: LabeledPicture, categories: [Int?]) throws {
    var text = ""
    for detection in detections {
      guard let category = categories[detection.classIndex] else { continue }
      let box = detection.box
      var entry: [String: JSONValue] = [
        "image_id": picture.id, "category_id": .integer(category), "score": .number(detection.score),
        "bbox": .array([box.x, box.y, box.width, box.height].map(JSONValue.number)),
      ]
      if let mask = detection.mask {
        entry["segmentation"] = [
          "size": [.integer(mask.height), .integer(mask.width)], "counts": .string(mask.counts),
        ]
      }
      if !detection.keypoints.isEmpty {
        entry["keypoints"] = .array(
          detection.keypoints.flatMap { [$0.x, $0.y, $0.z] }.map(JSONValue.number))
      }
      text += (isEmpty ? "\n" : ",\n") + JSONValue.object(entry).serialized()
      isEmpty = false
    }
    let bytes = Array(text.utf8)
    try OutputError.mapping { () throws(FileError) in try writer.append(bytes) }
  }

  /// Ends the list and gives the file its final name.
  func finish() throws {
    try OutputError.mapping { () throws(FileError) in
      try writer.append(Array("\n]\n".utf8))
      try writer.commit()
    }
  }
}
