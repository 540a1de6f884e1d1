/// A text as a QR code (ISO/IEC 18004): bytes, error correction of level M, versions 1 to 9.
package struct QRCode: Sendable, Equatable {
  /// The most bytes of a text.
  package static let mostBytes = 180

  /// Modules of the symbol, without the quiet zone.
  private let grid: QRGrid

  /// A text's code; nil for a text that is too long.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let version = QRVersion.all.first(where: { bytes.count <= $0.mostBytes }) else { return nil }
    let codewords = version.codewords(of: bytes)
    let candidates = QRGrid.masks.indices.map { QRGrid(version, codewords, mask: $0) }
    // The first of the least penalty; there are eight.
    var best = candidates[0]
    for candidate in candidates where candidate.penalty < best.penalty { best = candidate }
    grid = best
  }

  /// Modules a side, without the quiet zone.
  package var side: Int { grid.side }

  /// Whether a module is dark; all outside the symbol are light.
  package func isDark(_ row: Int, _ column: Int) -> Bool {
    (0..<side).contains(row) && (0..<side).contains(column) && grid[row, column]
  }

  /// The code in half blocks, two rows per line, with its quiet zone: light modules are drawn, as on a dark terminal.
  package var terminalText: String {
    let quiet = 4
    let columns = -quiet..<side + quiet
    return stride(from: -quiet, to: side + quiet, by: 2).map { row in
      String(
        columns.map { column -> Character in
          // Below the last row of a symbol, whose rows are odd in number, there is the quiet zone.
          switch (isDark(row, column), isDark(row + 1, column)) {
          case (false, false): "\u{2588}"
          case (false, true): "\u{2580}"
          case (true, false): "\u{2584}"
          case (true, true): " "
          }
        })
    }.joined(separator: "\n")
  }
}
