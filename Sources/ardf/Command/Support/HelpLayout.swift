import Synchronization

/// The order of a help's headings, and the screen that `-h` shows of it.
package enum HelpLayout {
  /// Headings in the order in which people look for them; any other comes before the last ones.
  private static let first = [
    "ARGUMENTS", "INPUT", "DETECTOR", "TRACKING", "DEPTH", "EFFECTS", "PLAYBACK", "OUTPUT", "CALIBRATION",
  ]
  private static let last = ["OPTIONS", "JOBS", "SERVING", "COMPUTATION", "LIMITS"]
  /// The headings of options that many commands have, wherever they are declared.
  private static let headings = [
    "OUTPUT": ["--out", "--force", "--json", "--report", "--save-outputs", "--arena", "--quiet", "--wide"],
    "COMPUTATION": ["--precision", "--plan", "--threads", "--openblas", "--plain"],
    "INPUT": [
      "--relative", "--capture", "--frame", "--detections", "--objects", "--fusion", "--input", "--size",
      "--axis",
      "--weights", "--model",
    ],
  ]
  /// Examples that are shown where a screen has room for them.
  private static let mostExamples = 2
  private static let (width, height) = (80, 24)

  private static let shortHelp = Atomic(false)

  /// Whether `-h` was asked for, and not `--help`.
  static var isShort: Bool { shortHelp.load(ordering: .relaxed) }

  /// Notes whether `-h` is among the words, before any `--`.
  static func note(_ words: [String]) {
    shortHelp.store(words.prefix { $0 != "--" }.contains("-h"), ordering: .relaxed)
  }

  /// A heading with the lines below it.
  private struct Section {
    let title: String
    var lines: [String]

    /// The names of options, or of commands, each once.
    var names: [String] { lines.compactMap(Self.name) }

    /// The option, or the command, that a line is the first of; nil for a further line of one.
    static func name(of line: String) -> String? {
      guard line.hasPrefix("  "), line.dropFirst(2).first != " " else { return nil }
      if let option = line.prefix(60).firstMatch(of: /--[a-z0-9-]+/) { return String(option.0) }
      return line.split(separator: " ").first.map(String.init)
    }
  }

  /// A help with its headings in order.
  package static func arranged(_ text: String) -> String {
    let (head, sections) = parts(of: text)
    guard !sections.isEmpty else { return text }
    let lines = head.split(separator: "\n", omittingEmptySubsequences: false).map { fitting(String($0)) }
    return
      ([lines.joined(separator: "\n")]
      + sections.map { "\($0.title):\n" + $0.lines.joined(separator: "\n") })
      .map { trimmed($0) }.joined(separator: "\n\n") + "\n"
  }

  /// Shortens a help to one screen: the command's purpose, its usage, two examples, and the names of its options.
  ///
  /// - Parameter text: The whole help.
  /// - Returns: The screen.
  package static func short(_ text: String) -> String {
    let (head, sections) = parts(of: text)
    guard !sections.isEmpty else { return text }
    let lines = head.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let overview = lines.prefix { !$0.isEmpty }.joined(separator: "\n").replacing("OVERVIEW: ", with: "")
    let usage = shortened(Array(lines.drop { !$0.hasPrefix("USAGE: ") }.prefix { !$0.isEmpty }))
    let named = sections.filter { $0.title != "ARGUMENTS" }.map { ($0.title.lowercased(), $0.names) }
    let column = (named.map(\.0.count).max() ?? 0) + 2
    let options = named.filter { !$0.1.isEmpty }.map { title, names in
      wrapped(names, indent: column, first: title)
    }.joined(separator: "\n")
    let command = usage.first?.dropFirst("USAGE: ".count).split(separator: " ").prefix {
      $0.first?.isLetter ?? false
    }
    let end = "\(command?.joined(separator: " ") ?? "ardf") --help says what each does."
    func screen(_ count: Int) -> String {
      [overview, usage.joined(separator: "\n"), examples(of: lines, count), options, end]
        .filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }
    let fitting = (0...mostExamples).reversed().map(screen).first {
      $0.count(where: { $0 == "\n" }) <= height
    }
    return fitting ?? screen(0)
  }

  /// A line that says how a command is called, in several where it is wide; any other line as it is.
  static func fitting(_ line: String) -> String {
    guard line.count > width, let title = line.prefixMatch(of: /U(?:SAGE|sage):[ ]/)?.0 else { return line }
    let words = line.dropFirst(title.count).matches(of: /\[[^\]]*\]|--[^ ]+ <[^>]*>|[^ ]+/).map {
      String($0.0)
    }
    return wrapped(words, indent: title.count, first: String(title.dropLast()))
  }

  /// How a command is called, its options left out where they make the line wide.
  private static func shortened(_ usage: [String]) -> [String] {
    guard usage.contains(where: { $0.count > width }) else { return usage }
    let words = usage.joined(separator: " ").replacing(/\[-[^\]]*\]/, with: "").split(separator: " ")
      .map(String.init).filter { $0 != "[<options>]" }
    let command = words.prefix { $0.first?.isLetter ?? false }
    let call = command.dropFirst() + ["[<options>]"] + words.dropFirst(command.count)
    return [wrapped(Array(call), indent: "USAGE: ".count, first: "USAGE:")]
  }

  /// The first examples, each with the line that says what it is for.
  private static func examples(of lines: [String], _ most: Int) -> String {
    let examples = lines.drop { $0 != "EXAMPLES:" }.dropFirst().prefix { $0.hasPrefix("  ") }
    var shown: [String] = []
    var count = 0
    for line in examples {
      if line.hasPrefix("  # ") { count += 1 }
      guard count <= most else { break }
      shown.append(line)
    }
    return shown.joined(separator: "\n")
  }

  private static func wrapped(_ names: [String], indent: Int, first: String) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines = [first + String(repeating: " ", count: indent - first.count)]
    for name in names {
      let line = lines[lines.count - 1]
      let isEmpty = line.count == indent
      if !isEmpty, line.count + 1 + name.count > width {
        lines.append(margin + name)
      } else {
        lines[lines.count - 1] = isEmpty ? line + name : line + " " + name
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The text before the first heading of arguments or options, and the headings in order.
  private static func parts(of text: String) -> (head: String, sections: [Section]) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let usage = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return (text, []) }
    var head = Array(lines[..<usage])
    var sections: [Section] = []
    for line in lines[usage...] {
      if line.wholeMatch(of: /[A-Z][A-Z ]*:/) != nil {
        sections.append(Section(title: String(line.dropLast()), lines: []))
      } else if sections.isEmpty {
        head.append(line)
      } else if !line.isEmpty, !line.hasPrefix("  See '") {
        sections[sections.count - 1].lines.append(line)
      }
    }
    let ordered = filed(sections).enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }
    return (head.joined(separator: "\n"), ordered.map(\.element))
  }

  /// The sections with options below the headings where people look for them.
  private static func filed(_ sections: [Section]) -> [Section] {
    guard let place = sections.firstIndex(where: { $0.title == "OPTIONS" }) else { return sections }
    var sections = sections
    let lines = sections[place].lines
    sections[place].lines = []
    var title = "OPTIONS"
    for line in lines {
      if let name = Section.name(of: line) {
        title = headings.first { $0.value.contains(name) }?.key ?? "OPTIONS"
      }
      if let index = sections.firstIndex(where: { $0.title == title }) {
        sections[index].lines.append(line)
      } else {
        sections.append(Section(title: title, lines: [line]))
      }
    }
    return sections.filter { !$0.lines.isEmpty }
  }

  private static func rank(_ section: Section) -> Int {
    if let index = first.firstIndex(of: section.title) { return index }
    if let index = last.firstIndex(of: section.title) { return first.count + 1 + index }
    return first.count
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
