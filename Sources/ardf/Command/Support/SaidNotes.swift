import FileFormats

/// Notes on frames: one that holds for many is printed for the first, and at the end with the number of others.
final class SaidNotes {
  /// More different notes are not remembered, so that a stream without end needs no more memory.
  private static let most = 1000

  private var others: [(note: String, count: Int)] = []
  private var known: NameTable<Int> = [:]

  /// Prints a note on a frame, unless it was printed for another.
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
      Console.inform("\(counted(count, "other frame")) too: \(note)")
    }
    (others, known) = ([], [:])
  }
}
