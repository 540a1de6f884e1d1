import FileFormats

/// Class names as checkpoints and weight files have them, read as Ultralytics shows them.
public enum ClassNames {
  /// Why names cannot be read.
  public enum Defect: Error, Equatable, CustomStringConvertible {
    /// Neither a list nor a dictionary by index, as JSON or as Python writes it.
    case noTable
    /// The name of this class, counted from 0 in the order of the table, is neither text nor a number.
    case noName(Int)
    /// A key is not an index of a class from 0 on, or appears twice.
    case badIndex

    /// One line.
    public var description: String {
      switch self {
      case .noTable: "are neither a list nor a dictionary of names"
      case .noName(let index): "have something else than a text or a number at place \(index)"
      case .badIndex: "are not told by the indices from 0 on, each once"
      }
    }
  }

  /// The metadata's key.
  package static let key = "names"

  /// Class names for a network without any: those of the published network of its kind, or Ultralytics' own.
  static func unnamed(_ count: Int, _ task: YOLOTask) -> [String] {
    areCOCO(count, task) ? cocoClassNames : (0..<count).map { "class\($0)" }
  }

  /// Whether a network of `count` classes without names is taken for one of COCO's.
  static func areCOCO(_ count: Int, _ task: YOLOTask) -> Bool {
    count == cocoClassNames.count && (task == .detect || task == .segment)
  }

  /// Names of a text: a JSON list or object, or the same as Python writes it.
  package static func parse(_ text: String) throws(Defect) -> [String] {
    try names(PlainValue(written: text))
  }

  /// Names of a table.
  static func names(_ value: PlainValue) throws(Defect) -> [String] {
    switch value {
    case .list(let elements): return try ordered(elements.enumerated().map { ($0.offset, $0.element) })
    case .dictionary(let members):
      var entries: [(Int, PlainValue)] = []
      for (key, value) in members {
        guard let index = key.index else { throw .badIndex }
        entries.append((index, value))
      }
      return try ordered(entries)
    default: throw .noTable
    }
  }

  private static func ordered(_ entries: [(index: Int, value: PlainValue)]) throws(Defect) -> [String] {
    var names = [String?](repeating: nil, count: entries.count)
    for (place, entry) in entries.enumerated() {
      guard names.indices.contains(entry.index), names[entry.index] == nil else { throw .badIndex }
      guard let name = entry.value.shown else { throw .noName(place) }
      names[entry.index] = name
    }
    return names.compactMap { $0 }
  }
}

extension ClassNames.Defect: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
