import FileFormats
import Geometry

/// Oriented boxes as the text files of DOTA's evaluation, one a class: `IMAGE SCORE X1 Y1 X2 Y2 X3 Y3 X4 Y4`.
package struct DOTAResults: Sendable {
  private var lines: [String: [String]] = [:]

  /// Nothing found yet.
  package init() {}

  /// Adds what was found in a picture; detections without an oriented box are given by their upright one.
  package mutating func add(_ file: DetectionsFile) {
    let stem = file.image.split(separator: ".").first.map(String.init) ?? file.image
    let image = String(stem.map { $0.isWhitespace ? "_" : $0 })
    for detection in file.detections {
      let box = detection.box
      let corners =
        detection.orientedBox?.corners
        ?? [
          Point2(box.minX, box.minY), Point2(box.maxX, box.minY), Point2(box.maxX, box.maxY),
          Point2(box.minX, box.maxY),
        ]
      let numbers =
        [JSONValue.rounded(Double(detection.confidence), decimals: 5)]
        + corners.flatMap { [$0.x, $0.y] }.map { .rounded($0, decimals: 3) }
      let line = ([image] + numbers.map { $0.serialized() }).joined(separator: " ")
      lines[Self.fileName(detection.className), default: []].append(line)
    }
  }

  /// The files and what they hold, by name.
  package var files: [(name: String, text: String)] {
    lines.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: "\n") + "\n") }
  }

  /// `Task1_small-vehicle.txt`: what would not go into a file's name becomes a hyphen.
  static func fileName(_ className: String) -> String {
    let name = String(
      className.prefix(100).map { $0.isLetter || $0.isNumber || "_.()+".contains($0) ? $0 : "-" })
    return "Task1_\(name).txt"
  }
}
