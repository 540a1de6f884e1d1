import FileFormats
import Synchronization

/// Rows of text in columns: the first column to the left, numbers to the right.
///
/// A cell is part of one line, whatever a file has put into it.
struct TextTable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  init(_ header: [String], rightAligned: Set<Int> = []) {
    rows = [header.map(printableLine)]
    self.rightAligned = rightAligned
  }

  mutating func add(_ row: [String]) { rows.append(row.map(printableLine)) }

  /// The rows, no wider than a terminal unless that is asked for.
  var text: String {
    let layout = TableLayout(rows, rightAligned: rightAligned, width: Self.isWide ? nil : Self.columns)
    return rows.map(layout.text).joined()
  }

  /// The columns that every terminal has.
  private static let columns = 80
  private static let wide = Atomic(false)

  /// Whether every row is a line, however wide.
  static var isWide: Bool {
    get { wide.load(ordering: .relaxed) }
    set { wide.store(newValue, ordering: .relaxed) }
  }
}

/// A number with a fixed number of decimals, whatever the locale.
func decimal(_ value: Double, _ places: Int) -> String {
  // Swift's own text of a NaN holds its bits.
  if value.isNaN { return "nan" }
  guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
  var power = 1.0
  for _ in 0..<places { power *= 10 }
  let scaled = Int(clamping: (abs(value) * power).rounded())
  let padded = zeroPadded(scaled, places + 1)
  let sign = value < 0 && scaled != 0 ? "-" : ""
  return sign + (places == 0 ? padded : "\(padded.dropLast(places)).\(padded.suffix(places))")
}

/// A number of bytes for people.
func byteText(_ count: Int) -> String {
  let value = Double(count)
  return switch count {
  case ..<1000: "\(count) B"
  case ..<1_000_000: "\(decimal(value / 1e3, 1)) kB"
  case ..<1_000_000_000: "\(decimal(value / 1e6, 1)) MB"
  default: "\(decimal(value / 1e9, 2)) GB"
  }
}
