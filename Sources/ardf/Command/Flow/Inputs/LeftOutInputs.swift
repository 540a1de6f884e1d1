import AppCore
import Evaluation
import FileFormats
import Sharding

/// The bad ones of several inputs: the same rule for all commands that take more than one.
///
/// A bad input does not stop the others. Each is named on standard error and in the results, and the command fails at
/// its end. An error of the only input ends the command at once.
struct LeftOutInputs {
  /// An input and why it could not be used.
  struct Entry: Sendable {
    let name: String
    let source: String
    let reason: String

    var json: JSONValue { ["name": .string(name), "source": .string(source), "reason": .string(reason)] }
  }

  /// The inputs' common noun.
  private let unit: String
  private(set) var entries: [Entry] = []
  /// Pictures of kinds that are not read, and their folder.
  private var unread: [(path: String, source: String)] = []

  /// Whether inputs are reported by `tellGroups()`, one line per reason, and not one by one.
  private let isGrouped: Bool

  /// - `unit`: `pictures`, `frames`.
  init(unit: String, isGrouped: Bool = false) { (self.unit, self.isGrouped) = (unit, isGrouped) }

  /// Most names in a line.
  private static let mostNamed = 5

  /// Names with their reasons for people, one line per reason: `2 frames, a.jpg, b.jpg: no depth`.
  ///
  /// - Parameters:
  ///   - entries: The names, with reasons that may begin with them.
  ///   - unit: One of them.
  /// - Returns: The lines, in the order of the first of each.
  static func groups(_ entries: [(name: String, reason: String)], unit: String) -> [String] {
    var names: NameTable<[String]> = [:]
    var order: [String] = []
    for (name, reason) in entries {
      let own = reason.firstRange(of: "\(name): ")
      let reason = own.map { String(reason[$0.upperBound...]) } ?? reason
      if names[reason] == nil { order.append(reason) }
      names[reason, default: []].append(name)
    }
    return order.map { reason in
      let names = names[reason] ?? []
      guard names.count > 1 else { return "\(names[0]): \(reason)" }
      let more = names.count - mostNamed
      return "\(counted(names.count, unit)), \(names.prefix(mostNamed).joined(separator: ", "))"
        + (more > 0 ? " and \(more) more" : "") + ": \(reason)"
    }
  }

  /// The lines of `groups`.
  private var groups: [String] {
    Self.groups(entries.map { ($0.name, $0.reason) }, unit: String(unit.dropLast()))
  }

  /// Reports inputs that were not reported one by one.
  func tellGroups() {
    guard isGrouped else { return }
    for line in groups { Console.note("left out: \(line)") }
  }

  /// Processes one of several frames; prints and returns the defect of a bad one.
  ///
  /// - Throws: what is not a fault of the frame.
  @discardableResult
  mutating func attempt(_ frame: RunFrame, _ body: () throws -> Void) throws -> Entry? {
    do {
      try body()
      return nil
    } catch {
      guard let defect = FrameDefect(error) else { throw error }
      return add(defect, of: frame)
    }
  }

  /// Leaves a frame out.
  @discardableResult
  mutating func add(_ defect: FrameDefect, of frame: RunFrame) -> Entry {
    add(frame.reference.name, of: frame.source.path, reason: defect.reason)
  }

  /// Leaves an input out.
  @discardableResult
  mutating func add(_ name: String, of source: String, reason: String) -> Entry {
    if !isGrouped {
      // A defect of a member names the archive too.
      let (line, archive) = (Self.line(name, reason), lastComponent(source))
      let isMember = pathKind(source) == .file && !line.contains(archive)
      Console.note("left out: \(isMember ? "\(source): " : "")\(line)")
    }
    let entry = Entry(name: name, source: source, reason: reason)
    entries.append(entry)
    return entry
  }

  /// A defect with the input's name, which some reasons begin with.
  static func line(_ name: String, _ reason: String) -> String {
    reason.contains(name) ? reason : "\(name): \(reason)"
  }

  /// Leaves out what a folder holds beside pictures that can be opened.
  mutating func add(_ others: PassedOver, of source: String) {
    for path in others.unnamed { add(path, of: source, reason: SkippedFrame.notText) }
    add(unread: others.unread, of: source)
  }

  /// Leaves out pictures of kinds that are not read, given by their paths.
  mutating func add(unread paths: [String], of source: String) { unread += paths.map { ($0, source) } }

  /// Leaves a picture of a stream out.
  @discardableResult
  mutating func add(_ arrival: StreamedPictures.Arrival, _ damage: DamagedPicture) -> Entry {
    Console.note("\(damage)")
    let entry = Entry(
      name: StreamedFrame.name(arrival.picture.number), source: damage.stream, reason: damage.reason)
    entries.append(entry)
    return entry
  }

  /// Whether anything was left out.
  var isAny: Bool { !entries.isEmpty || !unread.isEmpty }

  /// The left-out inputs as JSON, for results.
  var json: [JSONValue] {
    entries.map(\.json)
      + unread.map { Entry(name: $0.path, source: $0.source, reason: UnreadPictures.reason($0.path)).json }
  }

  /// Throws if no input is left.
  func checkAnyLeft(of total: Int) throws {
    guard entries.count < total else {
      throw CommandError.input(
        total == 0
          ? "there are no \(unit): nothing was done"
          : "none of \(total) \(unit) could be read: nothing was done; "
            + (isGrouped ? groups.joined(separator: "; ") : "the first: \(entries[0].reason)"))
    }
  }

  /// Throws if inputs were left out; call it after the others are done.
  func finish(of total: Int) throws {
    guard entries.isEmpty else {
      throw CommandError.input("\(entries.count) of \(total) \(unit) could not be read; the others are done")
    }
    try UnreadPictures.check(unread.map(\.path))
  }
}
