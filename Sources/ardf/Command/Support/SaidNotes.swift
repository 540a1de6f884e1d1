import FileFormats

/// What was said of frames: a note that holds of many is said of the first, and in the end of how many others.
final class SaidNotes {
  /// More different notes are not remembered, so that a stream without end needs no more memory.
  private static let most = 1000

  private var others: [(note: String, count: Int)] = []
  private var known: NameTable<Int> = [:]

  /// Says what holds of a frame, unless it was said of another.
  func say(_ note: String, of frame: String) {
    if let index = known[note] {
      others[index].count += 1
      return
    }
    if known.count < Self.most {
      known[note] = others.count
      others.append((note, 0))
    }
    Console.inform("\(frame): \(note)")
  }

  /// Says of how many other frames notes hold.
  func finish() {
    for (note, count) in others where count > 0 {
      Console.inform("\(count) other frame\(count == 1 ? "" : "s") too: \(note)")
    }
    (others, known) = ([], [:])
  }
}
