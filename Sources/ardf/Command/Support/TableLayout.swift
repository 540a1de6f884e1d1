/// The layout of a table whose rows are no wider than a terminal.
///
/// A row that is too wide continues in further lines, indented, with whole columns: the header too. Cells stay whole, but
/// for those of the last column of a line, which are broken between words. Columns of words that would each fill a line
/// share lines, with bars between them. Nothing is left out.
struct TableLayout {
  private static let indent = 4
  private static let gap = "  "
  /// A column that is narrower is hard to read: it goes into the next line instead.
  private static let narrowest = 24

  private let widths: [Int]
  private let rightAligned: Set<Int>
  /// The columns of each line of a row.
  private var lines: [[Int]] = []
  /// Characters after which cells of a column are broken.
  private var breaks: [Int: Int] = [:]
  /// Lines whose cells follow one another, with a bar between them.
  private var joined: Set<Int> = []
  private let width: Int?

  /// - `width`: Characters of a line; nil for as many as it takes.
  init(_ rows: [[String]], rightAligned: Set<Int>, width: Int?) {
    let columns = rows.map(\.count).max() ?? 0
    widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    self.rightAligned = rightAligned
    self.width = width
    guard let width else {
      lines = [Array(0..<columns)]
      return
    }
    var line: [Int] = []
    var used = 0
    for column in 0..<columns {
      let room = width - used - Self.gap.count
      if line.isEmpty {
        (line, used) = ([column], widths[column])
      } else if widths[column] <= room {
        line.append(column)
        used += Self.gap.count + widths[column]
      } else if column == columns - 1, room >= Self.narrowest, !rightAligned.contains(column),
        Self.isShorter(rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }, room, width)
      {
        line.append(column)
        breaks[column] = room
      } else {
        lines.append(line)
        (line, used) = ([column], Self.indent + widths[column])
        if used > width, !rightAligned.contains(column) { breaks[column] = width - Self.indent }
      }
    }
    lines.append(line)
    joinWords()
  }

  /// Columns of words that would each have a line of their own share lines, one after the other.
  private mutating func joinWords() {
    var lines = Array(self.lines.prefix(1))
    for line in self.lines.dropFirst() {
      if lines.count > 1, let last = lines.last, line.count == 1,
        last.count == 1 || joined.contains(lines.count - 1), rightAligned.isDisjoint(with: last + line)
      {
        lines[lines.count - 1] = last + line
        joined.insert(lines.count - 1)
      } else {
        lines.append(line)
      }
    }
    self.lines = lines
  }

  /// A row's lines.
  func text(of row: [String]) -> String {
    var text = ""
    for (number, columns) in lines.enumerated() {
      if joined.contains(number) {
        text += words(of: columns.map { row.indices.contains($0) ? row[$0] : "" })
        continue
      }
      let cells = columns.map { column -> [String] in
        guard row.indices.contains(column) else { return [""] }
        return breaks[column].map { Self.broken(row[column], to: $0) } ?? [row[column]]
      }
      if number > 0, cells.allSatisfy({ $0 == [""] }) { continue }
      for part in 0..<(cells.map(\.count).max() ?? 0) {
        var line = number > 0 ? String(repeating: " ", count: Self.indent) : ""
        for (place, column) in columns.enumerated() {
          let cell = part < cells[place].count ? cells[place][part] : ""
          let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
          line +=
            (place > 0 ? Self.gap : "") + (rightAligned.contains(column) ? padding + cell : cell + padding)
        }
        while line.last == " " { line.removeLast() }
        text += line + "\n"
      }
    }
    return text
  }

  /// Cells one after the other, with a bar between them, in lines of whole words.
  private func words(of cells: [String]) -> String {
    guard let last = cells.lastIndex(where: { !$0.isEmpty }) else { return "" }
    let text = cells[...last].map { $0.isEmpty ? "-" : $0 }.joined(separator: " | ")
    return Self.broken(text, to: (width ?? .max) - Self.indent)
      .map { String(repeating: " ", count: Self.indent) + $0 + "\n" }.joined()
  }

  /// Whether cells of a row's last column take fewer lines beside the others, in a room, than lines of their own.
  private static func isShorter(_ cells: [String], _ room: Int, _ width: Int) -> Bool {
    guard cells.allSatisfy({ $0.split(separator: " ").allSatisfy { $0.count <= room } }) else { return false }
    let further = cells.reduce(0) { $0 + broken($1, to: room).count - 1 }
    let own = cells.reduce(0) { $0 + ($1.isEmpty ? 0 : broken($1, to: width - indent).count) }
    return further < own
  }

  /// A cell in lines of whole words; a word that is longer than a line has one of its own.
  private static func broken(_ cell: String, to width: Int) -> [String] {
    var lines = [""]
    for word in cell.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
