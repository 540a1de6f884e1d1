import ArgumentParser
import FileFormats

/// The message about a command line that the parser refuses.
enum UsageMessage {
  /// Where the one argument too many belongs.
  private static let strays = [
    ("demo", "the demo shows a capture of its own; for yours: ardf run WORD --out results"),
    ("infer", "inputs have names: --input NAME=WORD; ardf inspect model.onnx lists them"),
    ("trace", "weights follow --weights, and the picture --input: ardf trace --weights FILE --input PICTURE"),
    ("bench", "one network is measured at a time; a picture follows --input"),
    ("profile", "one network is measured at a time; a picture follows --input"),
    ("convert", "the two files are all: ardf convert best.pt best.safetensors"),
    ("weights get", "one network is fetched at a time"),
    ("weights list", "all are listed; one is fetched by its name: ardf weights get WORD"),
    ("evaluate", "weights follow --weights"),
  ]

  /// The parser's message with the option that there is none of named first, whatever else is missing.
  ///
  /// - Parameters:
  ///   - text: What the parser says.
  ///   - words: The command line after the program's name.
  /// - Returns: The message to print.
  static func improved(_ text: String, words: [String]) -> String {
    let words =
      (try? FieldWords.translated(words, subcommands: CommandNames.subcommands(of: words.first))) ?? words
    let usage = text.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
    guard !usage.isEmpty else { return text }
    if let unknown = unknownOption(among: words) {
      return
        ([
          "Error: Unknown option '\(unknown.typed)'."
            + (unknown.near.map { " Did you mean '\($0)'?" } ?? "")
        ] + usage).joined(separator: "\n")
    }
    let commands = [1, 2].map { words.prefix($0).joined(separator: " ") }
    let unexpected = text.firstMatch(of: /^Error: Unexpected argument '(.*)'/).map { String($0.1) }
    guard let stray = unexpected ?? strayFirst(words),
      let place = strays.first(where: { commands.contains($0.0) })?.1
    else { return text }
    let said = place.replacing("WORD", with: shellWord(stray))
    return (["Error: Unexpected argument '\(stray)': \(said)"] + usage).joined(separator: "\n")
  }

  /// The word after a command that takes none but options, whatever else the parser misses; nil where it is none.
  private static func strayFirst(_ words: [String]) -> String? {
    guard words.count > 1, !words[1].hasPrefix("-"), CommandNames.subcommands(of: words[0]).isEmpty else {
      return nil
    }
    let help = ARDF.helpMessage(for: CommandNames.named(by: words), includeHidden: true, columns: 200)
    return help.contains("\nARGUMENTS:") ? nil : words[1]
  }

  /// The first word that looks like an option and is none of the command's, and the option that it is near to.
  private static func unknownOption(among words: [String]) -> (typed: String, near: String?)? {
    let command = CommandNames.named(by: words)
    let help = ARDF.helpMessage(for: command, includeHidden: true, columns: 200)
    let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
    // Up to the column of what each is for.
    let names = lines.compactMap { $0.dropFirst(2).split(separator: #/  +/#).first }
    let known = Set(names.flatMap { $0.matches(of: /--?[a-zA-Z0-9-]+/).map { String($0.0) } })
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
      return (typed, EditDistance.nearest(to: typed, among: options, most: most).first)
    }
    return nil
  }
}
