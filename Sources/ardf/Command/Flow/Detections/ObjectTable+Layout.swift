import FileFormats

extension ObjectTable {
  /// The layout of a table: columns besides those of the objects, and rows for pictures without objects.
  struct Layout: Sendable {
    /// The columns of the objects; the first three are those of the picture: source, name and timestamp.
    let columns: [String]
    /// With a column of identities.
    var isTracked = false
    /// With a last column of the time of day.
    var hasTime = false
    /// Whether a picture without objects gets a row, with empty cells, to show that all have disappeared.
    var keepsEmpty = false

    /// The first line.
    var header: String { csvTable(found + (hasTime ? ["time"] : []), []) }

    private var found: [String] { columns + (isTracked ? ["track"] : []) }

    /// The lines of a picture.
    ///
    /// `rows`: the objects' rows, with their ids.
    func lines(
      _ rows: [[String]], source: String, name: String, timestamp: JSONValue?, time: String?
    ) -> String {
      let place = [source, name, ObjectTable.text(timestamp)]
      let nothing = place + [String](repeating: "", count: found.count - place.count)
      let rows = rows.isEmpty && keepsEmpty ? [nothing] : rows
      return ObjectTable.lines(hasTime ? rows.map { $0 + [time ?? ""] } : rows)
    }
  }
}
