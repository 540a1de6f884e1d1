import FileFormats
import OutputFolders
import Synchronization

/// The standard streams, for people and other programs.
///
/// Nothing else writes to the standard streams (`tools/check/house-rules`), so that no text from a file reaches a terminal
/// with its control characters.
enum Console {
  private static let quiet = Atomic(false)

  /// Whether only results and errors are printed.
  static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Prints a line about progress and times to standard error, unless `isQuiet`.
  static func inform(_ line: String) { if !isQuiet { note(line) } }

  /// Lines about what is done, as `inform(_:)`.
  static func inform(lines text: String) { if !isQuiet { note(lines: text) } }

  /// A line that is not a result: to standard error.
  static func note(_ line: String) {
    // If standard error cannot be written, there is nowhere to report it.
    Progress.makeRoom()
    try? StandardStream.error.write(printableLine(line) + "\n")
  }

  /// Lines that are not results, of a table or of the parser's help: to standard error.
  static func note(lines text: String) {
    try? StandardStream.error.write(printableText(text.hasSuffix("\n") ? text : text + "\n"))
  }

  /// A result as text, whose lines are the caller's: to standard output.
  static func print(_ text: String) throws {
    Progress.makeRoom()
    try write(Array(printableText(text.hasSuffix("\n") ? text : text + "\n").utf8))
  }

  /// A result in one line: to standard output.
  static func print(line: String) throws { try print(printableLine(line)) }

  /// A result as JSON: to standard output.
  static func print(_ value: JSONValue) throws { try print(value.serialized(pretty: true)) }

  /// A result that is a file: to standard output.
  static func write(_ bytes: [UInt8]) throws {
    try OutputError.mapping { () throws(FileError) in try StandardStream.output.write(bytes) }
  }
}

/// A line on the terminal that counts, for work that takes more than a second.
struct Progress {
  private static let delay = Duration.seconds(1)

  private let what: String
  private let total: Int?
  private let start = ContinuousClock.now
  /// Whether a line is on the terminal now.
  private static let isShown = Atomic(false)

  /// - `total`: nil where it is not known.
  init(_ what: String, of total: Int?) {
    self.what = what
    self.total = total
  }

  /// Shows how many are done, if standard error is a terminal and the work has taken more than a second.
  mutating func update(_ done: Int) {
    guard StandardStream.error.isTerminal, !Console.isQuiet, ContinuousClock.now - start > Self.delay
    else { return }
    Self.isShown.store(true, ordering: .relaxed)
    try? StandardStream.error.write(
      "\r\u{1B}[K\(what) \(done)\(total.map { "/\($0)" } ?? "")\(remaining(done))")
  }

  /// The estimated time for the rest.
  private func remaining(_ done: Int) -> String {
    guard let total, done > 0, done < total else { return "" }
    let elapsed = Double((ContinuousClock.now - start).components.seconds)
    let seconds = Int(clamping: elapsed / Double(done) * Double(total - done))
    return seconds < 100 ? ", \(seconds) s left" : ", \((seconds + 30) / 60) min left"
  }

  /// Clears the line.
  func finish() { Self.makeRoom() }

  /// Shows how far work is that reports its steps.
  static func showing<Result>(
    _ what: String, _ work: (_ observe: (_ done: Int, _ total: Int) -> Void) throws -> Result
  ) rethrows -> Result {
    var progress: Progress?
    defer { progress?.finish() }
    return try work { done, total in
      if progress == nil { progress = Progress(what, of: total) }
      progress?.update(done)
    }
  }

  /// Clears the line before another is written.
  static func makeRoom() {
    guard isShown.exchange(false, ordering: .relaxed) else { return }
    try? StandardStream.error.write("\r\u{1B}[K")
  }
}
