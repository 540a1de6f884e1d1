import FileFormats

/// Names of the folders of pictures and frames in a folder of results: none is given twice, and none is that of a file
/// that `ardf` itself writes beside them.
package struct ResultNames {
  /// Over all pictures of `detect`, and of `depth`.
  package static let index = "index.json"
  /// COCO results of all pictures.
  package static let detections = "detections.json"
  /// The table of all objects of `detect`.
  package static let detectionTable = "detections.csv"
  /// The table of all objects of `run`.
  package static let table = "results.csv"
  /// The page over all frames of `run`.
  package static let page = "index.html"
  /// The objects of a sequence put together.
  package static let sequence = "sequence-objects.json"

  /// Patterns of the files that `run` writes beside the folders of frames, those of shards included.
  package static let besideFrames = ["results*.jsonl", "results*.csv", "detections*.json", sequence, page]
  /// Patterns of all files that commands write beside such folders.
  package static let own = besideFrames + [index, detectionTable, "Task1_*.txt"]

  private var taken: NameSet = []

  /// None is given yet.
  package init() {}

  /// Whether a name is that of a file that `ardf` itself writes beside folders of pictures and frames.
  package static func isOwn(_ name: String) -> Bool {
    name.isSameName(as: OutputRecord.fileName) || own.contains { OutputRecord.matches(name, $0) }
  }

  /// A name for a folder that no other has: `name`, or with `-2`, `-3` and so on after it where it is taken.
  ///
  /// `position`: stands in for a name that results may not have, which begins with a dot.
  package mutating func taking(_ name: String, position: String) -> String {
    let wanted = name.startsWithBytes(of: ".") ? position : name
    if Self.isOwn(wanted) { taken.insert(wanted) }
    return taken.taking(wanted)
  }
}
