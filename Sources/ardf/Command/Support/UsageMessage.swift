import ArgumentParser
import FileFormats

/// The message about a command line that the parser refuses.
enum UsageMessage {
  /// The place where a surplus argument belongs.
  private static let strays = [
    ("demo", "the demo shows a capture of its own; for yours: ardf run WORD --out results"),
    ("fuse", "relative depth follows --relative, and the capture --capture"),
    ("place", "what ardf detect found follows --detections, and the capture --capture"),
    ("compose", "what ardf detect found follows --detections, and the capture --capture"),
    ("report", "one folder of results is taken; the capture follows --capture"),
    (
      "serve",
      "one picture, capture or folder of results is shown at a time; weights follow --yolo and --depth"
    ),
    ("replay", "one sequence is played at a time; weights follow --yolo and --depth"),
    ("capture check", "one capture is checked at a time"),
    ("capture convert", "one capture is converted at a time; the folder to write follows --out"),
    ("capture frames", "one recording is taken at a time"),
    ("infer", "inputs have names: --input NAME=WORD; ardf inspect model.onnx lists them"),
    ("trace", "weights follow --weights, and the picture --input: ardf trace --weights FILE --input PICTURE"),
    ("bench", "one network is measured at a time; what it is fed follows --input"),
    ("profile", "one network is measured at a time; what it is fed follows --input"),
    ("tune", "one network is measured at a time; the plan file follows --out"),
    ("quantize", "pictures follow --calibrate, and the file to write --out"),
    ("simulate", "one script is run at a time; the file for its trace follows --out"),
    ("status", "one job is shown at a time"),
    ("merge", "one job is merged at a time; the file for its records follows --out"),
    ("convert", "the two files are all: ardf convert best.pt best.safetensors"),
    ("weights get", "one network is fetched at a time"),
    ("weights list", "all are listed; one is fetched by its name: ardf weights get WORD"),
    ("evaluate", "weights follow --weights"),
    ("inspect kernels", "all are listed; those that a network uses: ardf inspect plan FILE"),
    ("inspect operators", "all are listed; whether a file's are implemented: ardf inspect FILE"),
    ("inspect cpu", "it shows this machine; what a file is: ardf inspect FILE"),
    ("inspect", "one file is shown at a time"),
  ]

  /// The parser's message; an unknown option is named first, before anything that is missing.
  ///
  /// - Parameters:
  ///   - text: What the parser says.
  ///   - words: The command line after the program's name.
  /// - Returns: The message to print.
  static func improved(_ text: String, words: [String]) -> String {
    let words = ours(words)
    let text = withNumberAsTyped(text, words: words)
    let usage = text.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
    guard !usage.isEmpty else { return text }
    if let unknown = unknownOption(among: words) {
      let group = words.first ?? ""
      let remedy =
        unknown.near.map { "Did you mean '\($0)'?" } ?? owners(of: unknown.typed, group: group)
        ?? ownersOfFieldWord(unknown.typed, group: group)
      return (["Error: Unknown option '\(unknown.typed)'." + (remedy.map { " \($0)" } ?? "")] + usage)
        .joined(separator: "\n")
    }
    // The parser takes any word for near.
    if let short = text.firstMatch(of: /^Error: Unknown option '(-[^-'][^']*)'/) {
      return (["Error: Unknown option '\(short.1)'."] + usage).joined(separator: "\n")
    }
    if let remedy = RefusedValue(text, words: words)?.remedy {
      return text.replacing("\n", with: "; \(remedy)\n", maxReplacements: 1)
    }
    let commands = [1, 2].map { words.prefix($0).joined(separator: " ") }
    let one = text.firstMatch(of: /^Error: Unexpected argument '(.*)'/)
    let unexpected =
      (one ?? text.firstMatch(of: /^Error: [0-9]+ unexpected arguments: '(.*?)'/)).map { String($0.1) }
    guard let stray = unexpected ?? strayFirst(words),
      let place = strays.first(where: { commands.contains($0.0) })?.1
    else { return text }
    let said = place.replacing("WORD", with: shellWord(stray))
    return (["Error: Unexpected argument '\(stray)': \(said)"] + usage).joined(separator: "\n")
  }

  /// A command line with other programs' options translated; as it was typed where that fails.
  static func ours(_ words: [String]) -> [String] {
    (try? FieldWords.translated(words, subcommands: CommandNames.subcommands(of: words.first))) ?? words
  }

  /// The message with a refused whole number as it was typed: Swift's text of 50 is 50.0.
  private static func withNumberAsTyped(_ text: String, words: [String]) -> String {
    guard let match = text.firstMatch(of: /^Error: (--[a-z-]+) (-?[0-9]+)\.0:/),
      words.contains(String(match.2)) || words.contains("\(match.1)=\(match.2)")
    else { return text }
    return text.replacing("\(match.1) \(match.2).0:", with: "\(match.1) \(match.2):", maxReplacements: 1)
  }

  /// A surplus word after a command that takes only options, even if the parser reports something missing; nil without
  /// one.
  private static func strayFirst(_ words: [String]) -> String? {
    guard words.count > 1, !words[1].hasPrefix("-"), CommandNames.subcommands(of: words[0]).isEmpty else {
      return nil
    }
    let help = ARDF.helpMessage(for: CommandNames.named(by: words), includeHidden: true, columns: 200)
    return help.contains("\nARGUMENTS:") ? nil : words[1]
  }

  /// The other commands with an option of this name, as text, those of the same group before all; nil without any.
  private static func owners(of option: String, group: String) -> String? {
    let all = CommandNames.all.filter { options(of: $0.command, withHidden: false).contains(option) }
    let siblings = all.filter { $0.name.hasPrefix("\(group) ") }
    let owners = siblings.isEmpty ? all : siblings
    guard !owners.isEmpty else { return nil }
    guard owners.count <= 6 else { return "Other commands have it; leave it out here." }
    let names = owners.map { "ardf \($0.name)" }.joined(separator: ", ")
    return "It belongs to \(names); leave it out here."
  }

  /// Another program's option that this command has no meaning for, by our option that it stands for elsewhere; nil for any
  /// other word.
  private static func ownersOfFieldWord(_ typed: String, group: String) -> String? {
    let name = String(typed.drop { $0 == "-" }).replacing("_", with: "-")
    let meanings = FieldWord.all.filter { $0.names.contains(name) }.flatMap(\.meanings)
    guard !meanings.isEmpty else { return nil }
    for (_, meaning) in meanings {
      let ours: String? =
        switch meaning {
        case .option(let ours), .side(let ours), .square(let ours): ours
        case .words(let words): words[0].split(separator: "=").first.map(String.init)
        case .argument, .done, .answer: nil
        }
      if let ours, let owners = owners(of: ours, group: group) { return "It stands for \(ours). \(owners)" }
    }
    let verbs = meanings.flatMap { $0.verbs ?? [] }
    let names = CommandNames.all.map(\.name).filter(verbs.contains)
    guard (1...6).contains(names.count) else { return "Other commands know it; leave it out here." }
    return "It is a word for \(names.map { "ardf \($0)" }.joined(separator: ", ")); leave it out here."
  }

  /// The option of ours for another program's option that is spelled nearly so; nil where there is none.
  private static func nearFieldWord(to typed: String, most: Int, verb: String) -> String? {
    let ours = FieldWord.all.flatMap { word -> [(name: String, option: String)] in
      switch word.meaning(to: verb) {
      case .option(let option), .side(let option), .square(let option):
        word.names.filter { $0.count > 3 }.map { ("--\($0)", option) }
      case .argument, .words, .done, .answer, nil: []
      }
    }
    let near = EditDistance.nearest(to: typed, among: ours.map(\.name), most: most).first
    return ours.first { $0.name == near }?.option
  }

  /// A command's options with their dashes.
  private static func options(of command: any ParsableCommand.Type, withHidden: Bool) -> [String] {
    let help = ARDF.helpMessage(for: command, includeHidden: withHidden, columns: 200)
    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
    // Up to the column of what each is for.
    let names = lines.compactMap { $0.dropFirst(2).split(separator: #/  +/#).first }
    return names.flatMap { $0.matches(of: /--?[a-zA-Z0-9-]+/).map { String($0.0) } }
  }

  /// The first word that looks like an option but is not one of the command's, and the nearest option.
  private static func unknownOption(among words: [String]) -> (typed: String, near: String?)? {
    let known = options(of: CommandNames.named(by: words), withHidden: true)
    guard known.contains("--help") else { return nil }
    for word in words.prefix(while: { $0 != "--" }) {
      let typed = word.split(separator: "=").first.map(String.init) ?? word
      let isLong = typed.wholeMatch(of: /--[a-zA-Z][a-zA-Z0-9-]*/) != nil
      // One dash before a whole word.
      let isSlip = typed.wholeMatch(of: /-[a-zA-Z][a-zA-Z-]{2,}/) != nil && known.contains("-\(typed)")
      guard isSlip || isLong && !known.contains(typed) else { continue }
      if isSlip { return (typed, "-\(typed)") }
      let most = max((typed.count - 2) / 4, typed.count > 4 ? 1 : 0)
      // The help is named in the message anyway.
      let options = known.filter { $0.hasPrefix("--") && $0 != "--help" }.sorted()
      let near = EditDistance.nearest(to: typed, among: options, most: most).first
      return (typed, near ?? nearFieldWord(to: typed, most: most, verb: words.first ?? ""))
    }
    return nil
  }
}
