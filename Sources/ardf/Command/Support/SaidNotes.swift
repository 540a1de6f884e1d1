import FileFormats

/// Notes on frames: a note that many frames share is printed once, and at the end with the number of the others.
final class SaidNotes {
  /// Most different notes that are remembered, so that an endless stream needs bounded memory.
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

  /// Prints the number of other frames for each note, which its first words name; notes of equally many share a line.
  func finish() {
    for count in Set(others.map(\.count)).sorted(by: >) where count > 0 {
      let notes = others.filter { $0.count == count }.map { String($0.note.prefix { $0 != ":" }) }
      Console.inform("\(counted(count, "other frame")) too: \(notes.joined(separator: "; "))")
    }
    (others, known) = ([], [:])
  }
}
