import FileFormats

extension ObjectTable {
  /// The columns of a table besides those of what was found, and its rows of pictures without objects.
  struct Layout: Sendable {
    /// Of what a network finds, the first three of where.
    let columns: [String]
    /// With a column of identities.
    var isTracked = false
    /// With a last column of the time of day.
    var hasTime = false
    /// A picture without objects has a row too, without any: that all have gone is news.
    var keepsEmpty = false

    /// The first line.
    var header: String { csvTable(found + (hasTime ? ["time"] : []), []) }

    private var found: [String] { columns + (isTracked ? ["track"] : []) }

    /// The lines of a picture.
    ///
    /// `rows`: of what was found, with identities.
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
