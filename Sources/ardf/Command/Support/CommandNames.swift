import ArgumentParser
import FileFormats

/// Errors for wrong command names: the parser of arguments would report an unexpected argument instead.
enum CommandNames {
  /// Other programs' words for our commands.
  private static let ofOthers = [
    "weights": [
      "download": "get", "fetch": "get", "install": "get", "pull": "get", "ls": "list", "show": "list",
    ],
    "capture": ["validate": "check", "info": "check", "export": "convert", "extract": "frames"],
    "inspect": ["gpu": "cpu", "ops": "operators", "model": "graph", "layers": "plan"],
  ]

  /// Words given in place of a command, and the command that does the same.
  private static let ofOtherPrograms = [
    "yolo": "leave the word out: ardf detect finds objects, ardf run measures them too",
    "test": "ardf evaluate measures accuracy",
    "info": "ardf inspect FILE says what a file is, ardf inspect cpu what this machine is",
    "onnx": "ardf infer runs networks of ONNX files",
    "ort": "ardf infer runs networks of ONNX files",
    "onnxruntime": "ardf infer runs networks of ONNX files",
    "benchmark_app": "ardf bench measures speed",
    "benchncnn": "ardf bench measures speed",
    "trtexec": "ardf bench measures speed",
    "ls": "ardf weights list says which networks there are",
  ]

  /// The names of a command's subcommands.
  static func subcommands(of name: String?) -> [String] {
    command(name)?.configuration.subcommands.map { $0._commandName } ?? []
  }

  private static func command(_ name: String?) -> (any ParsableCommand.Type)? {
    ARDF.configuration.subcommands.first { $0._commandName == name }
  }

  /// Whether a command has this name.
  static func isCommand(_ name: String) -> Bool { command(name) != nil }

  /// Every command without subcommands, by its words; hidden ones are left out.
  static var all: [(name: String, command: any ParsableCommand.Type)] {
    ARDF.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { command in
      let (name, own) = (command._commandName, command.configuration.subcommands)
      return own.isEmpty ? [(name, command)] : own.map { ("\(name) \($0._commandName)", $0) }
    }
  }

  /// The command that the first words name.
  static func named(by words: [String]) -> any ParsableCommand.Type {
    guard let outer = command(words.first) else { return ARDF.self }
    let own = outer.configuration.subcommands
    return own.first { $0._commandName == words.dropFirst().first } ?? outer.configuration.defaultSubcommand
      ?? outer
  }

  /// Throws for an unknown command, and for options before the command.
  ///
  /// - Throws: `CommandError.usage`.
  static func refuseUnknown(_ words: [String]) throws {
    let names = ARDF.configuration.subcommands.compactMap { command in
      command.configuration.shouldDisplay ? command._commandName : nil
    }
    guard let name = words.first else { return }
    if name.hasPrefix("-") { return try refuseOptionsFirst(words, names) }
    if name == "help" {
      guard let asked = words.dropFirst().first, !asked.hasPrefix("-"), command(asked) == nil else { return }
      throw none(asked, among: names)
    }
    if command(name) != nil { return try refuseUnknownOwn(words) }
    if let other = FieldWord.commands.first(where: { $0.name == name }) {
      throw CommandError.usage("there is no command \"\(name)\"; \(other.answer)")
    }
    if fileExists(name) || name.contains(".") || name.contains("/") {
      throw CommandError.usage(
        "\(name) is not a command; to find and measure what it shows: ardf run \(shellWord(name)) --out results"
      )
    }
    if let other = ofOtherPrograms[name] {
      throw CommandError.usage("there is no command \"\(name)\"; \(other)")
    }
    if let owned = all.first(where: { $0.name.hasSuffix(" \(name)") }) {
      throw CommandError.usage("there is no command \"\(name)\"; did you mean \(owned.name)?")
    }
    throw none(name, among: names)
  }

  private static func refuseOptionsFirst(_ words: [String], _ names: [String]) throws {
    let isOfRoot =
      ["-h", "--help", "--version"].contains(words[0]) || words[0].contains(/-completion|-dump-help/)
    guard !isOfRoot, let place = words.firstIndex(where: names.contains) else { return }
    let others = (words[..<place] + words[(place + 1)...]).map(typed)
    throw CommandError.usage(
      "\(words[0]): the command comes first: ardf \(([words[place]] + others).joined(separator: " "))")
  }

  /// Throws for an unknown subcommand of a command.
  private static func refuseUnknownOwn(_ words: [String]) throws {
    let (group, names) = (words[0], subcommands(of: words[0]))
    guard !names.isEmpty, words.count > 1, !words[1].hasPrefix("-"), !(names + ["help"]).contains(words[1])
    else { return }
    let word = words[1]
    let rest = words.dropFirst(2).map { " " + typed($0) }.joined()
    if let ours = ofOthers[group]?[word], !fileExists(word) {
      throw CommandError.usage("there is no command \"\(group) \(word)\"; ardf \(group) \(ours)\(rest)")
    }
    if command(group)?.configuration.defaultSubcommand != nil {
      guard !fileExists(word), !near(word, among: names).isEmpty else { return }
    }
    if group == "capture", fileExists(word) || word.contains(".") || word.contains("/") {
      throw CommandError.usage(
        "capture \(word): say what to do with it; what it holds: ardf capture check \(shellWord(word))")
    }
    if group == "weights", let network = PublishedWeights.named(fileStem(word, endings: [".pt", ".pth"])) {
      throw CommandError.usage("weights \(word): to fetch it: ardf weights get \(network.name)")
    }
    throw none(word, among: names, of: "\(group) ")
  }

  /// A word quoted for a shell; options unchanged.
  private static func typed(_ word: String) -> String {
    word.wholeMatch(of: /--?[a-zA-Z][a-zA-Z0-9-]*/) != nil ? word : shellWord(word)
  }

  private static func none(_ name: String, among names: [String], of group: String = "") -> CommandError {
    let near = near(name, among: names).map { group + $0 }
    return .usage(
      "there is no command \"\(group)\(name)\"; "
        + (near.isEmpty
          ? "the commands are \(names.map { group + $0 }.joined(separator: ", "))"
          : "did you mean \(near.joined(separator: " or "))?"))
  }

  /// Names that begin with the word, or else the nearest ones, with at most two letters changed.
  private static func near(_ name: String, among names: [String]) -> [String] {
    let name = name.lowercased()
    let longer = name.count > 2 ? names.filter { $0.hasPrefix(name) } : []
    return longer.isEmpty ? EditDistance.nearest(to: name, among: names, most: 2) : longer
  }
}
