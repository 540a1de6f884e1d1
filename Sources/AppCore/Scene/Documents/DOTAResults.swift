import FileFormats
import Geometry

/// Oriented boxes as the text files of DOTA's evaluation, one per class: `IMAGE SCORE X1 Y1 X2 Y2 X3 Y3 X4 Y4`.
///
/// Characters that would end a word of a line or are not allowed in a file's name are replaced. Where two pictures or
/// classes then have the same name, `-2`, `-3` and so on follow the later one's.
package struct DOTAResults: Sendable {
  private struct ClassLines: Sendable {
    let name: String
    var lines: [String] = []
  }

  /// By the class's index.
  private var classes: [Int: ClassLines] = [:]
  /// Names of pictures in lines.
  private var words: NameTable<String> = [:]
  private var takenWords: NameSet = []

  /// Nothing found yet.
  package init() {}

  /// Adds what was found in a picture; detections without an oriented box are given by their upright one.
  ///
  /// - `image`: What results call the picture.
  package mutating func add(_ file: DetectionsFile, image: JSONValue) {
    let id = image.string ?? image.serialized()
    let word = words[id] ?? takenWords.taking(String(id.map { $0.isWhitespace ? "_" : $0 }))
    words[id] = word
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
      let line = ([word] + numbers.map { $0.serialized() }).joined(separator: " ")
      classes[detection.classId, default: ClassLines(name: detection.className)].lines.append(line)
    }
  }

  /// The files and what they hold, by the classes' indices.
  package var files: [(name: String, text: String)] {
    var taken: NameSet = []
    return classes.sorted { $0.key < $1.key }.map { _, content in
      let name = taken.taking("Task1_" + Self.fileName(content.name))
      return ("\(name).txt", content.lines.joined(separator: "\n") + "\n")
    }
  }

  /// `small-vehicle`: what would not go into a file's name becomes a hyphen.
  private static func fileName(_ className: String) -> String {
    var name = ""
    for character in className {
      let isPlain = character.isLetter || character.isNumber || "_.()+".contains(character)
      let next = isPlain ? String(character) : "-"
      guard name.utf8.count + next.utf8.count <= longest else { break }
      name += next
    }
    return name
  }

  /// Bytes of a class's name in that of its file, which may have 255.
  private static let longest = 200
}
