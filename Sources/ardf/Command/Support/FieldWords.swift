import FileFormats

/// Options that users know from other programs, translated to ours where they mean the same.
package enum FieldWords {
  /// Our options that other programs write as `conf=0.25`.
  private static let alsoWritten: Set = ["conf", "iou", "imgsz", "classes", "max-det"]
  /// Commands that accept this form.
  private static let takingPairs: Set = [
    "run", "detect", "depth", "replay", "serve", "evaluate", "bench", "profile", "tune", "convert",
    "quantize",
  ]

  /// Options whose value is a share, from 0 to 1.
  private static let shares: Set = [
    "--conf", "--iou", "--overlap", "--track-high-thresh", "--track-low-thresh",
    "--new-track-thresh", "--match-thresh", "--max-error", "--tolerance",
  ]

  /// The command line with what asks for the version or a help in its place.
  ///
  /// `version` and `-v` stand for `--version`, `-h detect` for `detect -h`, `detect help` for `detect --help`.
  package static func asked(_ words: [String]) -> [String] {
    if words.count == 1, ["version", "-v", "-V", "-version"].contains(words[0]) { return ["--version"] }
    guard words.count > 1 else { return words }
    if ["-h", "--help", "-help"].contains(words[0]), CommandNames.isCommand(words[1]) {
      return words.dropFirst() + [words[0] == "-h" ? "-h" : "--help"]
    }
    guard words.count == 2, words[1] == "help", !fileExists("help") else { return words }
    return words[0] == "help" ? ["--help"] : CommandNames.isCommand(words[0]) ? [words[0], "--help"] : words
  }

  /// The words of a command line, with other programs' options translated.
  ///
  /// - Parameters:
  ///   - words: All after the program's name.
  ///   - subcommands: Of the first word.
  /// - Returns: The words for the parser.
  /// - Throws: `CommandError.usage` with what there is instead.
  package static func translated(_ words: [String], subcommands: [String]) throws -> [String] {
    guard let verb = words.first else { return words }
    let isNested = words.dropFirst().first.map(subcommands.contains) ?? false
    let head = Array(words.prefix(isNested ? 2 : 1))
    var (arguments, others): ([String], [String]) = ([], [])
    var rest = words.dropFirst(head.count)
    if let task = rest.first, takingPairs.contains(verb), !fileExists(task),
      let other = FieldWord.commands.first(where: { $0.name == task })
    {
      // `yolo detect predict`
      guard task == "predict" else { throw CommandError.usage("\(verb) \(task): \(other.answer)") }
      rest.removeFirst()
    }
    var previous = ""
    while let word = rest.popFirst() {
      if word == "--" {
        others += [word] + rest
        break
      }
      defer { previous = word }
      // Most words are files, by the thousand: only options and pairs are examined.
      if previous == "--classes" { try checkList(word, next: rest.first) }
      guard word.utf8.first == UInt8(ascii: "-") || word.utf8.contains(UInt8(ascii: "=")) else {
        others.append(word)
        continue
      }
      if let pair = joinedNumber(word) {
        rest = pair + rest
        continue
      }
      let isPair = takingPairs.contains(verb) && !previous.hasPrefix("-") && isPair(word)
      guard word.hasPrefix("--") || isPair || isShort(word, of: verb) else {
        try refuseHiddenHelp(word)
        others.append(word)
        continue
      }
      var (name, inline) = split(word)
      // The parser takes it for an option.
      if inline == nil, let next = rest.first, next.wholeMatch(of: /-[0-9.]+/) != nil {
        inline = rest.popFirst()
      }
      guard
        let known = FieldWord.all.first(where: { $0.names.contains(name) && $0.meaning(to: verb) != nil }),
        let meaning = known.meaning(to: verb)
      else {
        others.append("--\(name)" + (inline.map { "=\($0)" } ?? ""))
        continue
      }
      if !known.takesValue, ["false", "0"].contains(inline?.lowercased()) { continue }
      let value = known.takesValue ? inline ?? rest.popFirst() : nil
      if let value, known.usual.contains(value) { continue }
      switch meaning {
      case .answer(let text): throw CommandError.usage("\(printableName(word)): \(text)")
      case .done: break
      case .words(let ours): others += ours
      case .argument: if let value { arguments.append(value) }
      case .option(let ours): others.append(ours + (value.map { "=\($0)" } ?? ""))
      case .square(let ours): others.append(ours + (value.map { "=\(square($0))" } ?? ""))
      case .side(let ours):
        if let value { try checkSide(value, next: rest.first, ours) }
        others.append(ours + (value.map { "=\($0)" } ?? ""))
      }
    }
    try refuseSecondValues(others, of: verb)
    // Before options that take all words up to the next.
    return head + arguments + sharesOfOne(others)
  }

  /// Translates percentages to shares: `--conf 25%` to `--conf 25e-2`, which is exactly 0.25.
  private static func sharesOfOne(_ words: [String]) -> [String] {
    var taken: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" { return taken + [word] + rest }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard shares.contains(parts[0]) else {
        taken.append(word)
        continue
      }
      if parts.count == 2 {
        taken.append("\(parts[0])=\(ofOne(parts[1]))")
      } else {
        taken.append(word)
        if let value = rest.popFirst() { taken.append(ofOne(value)) }
      }
    }
    return taken
  }

  /// A percentage as a share; any other word unchanged.
  static func ofOne(_ value: String) -> String {
    value.wholeMatch(of: /[0-9]+(?:\.[0-9]+)?%/) == nil ? value : value.dropLast() + "e-2"
  }

  /// `-t4` in two words; nil for anything else.
  private static func joinedNumber(_ word: String) -> [String]? {
    guard word.wholeMatch(of: /-[a-zA-Z][0-9][0-9,.]*/) != nil else { return nil }
    return [String(word.prefix(2)), String(word.dropFirst(2))]
  }

  /// Whether a word is another program's option with one dash, such as OpenVINO's `-niter`, `-m` and `-hint=latency`.
  private static func isShort(_ word: String, of verb: String) -> Bool {
    guard word.wholeMatch(of: /-[a-z][a-z_]*(?:=.*)?/) != nil else { return false }
    let name = split(word).name
    return FieldWord.all.contains { $0.names.contains(name) && $0.meaning(to: verb) != nil }
  }

  /// Refuses a word with one dash and several letters, of which the parser takes an h for `-h`.
  private static func refuseHiddenHelp(_ word: String) throws {
    guard word.wholeMatch(of: /-[a-z][a-z_-]{2,}(?:=.*)?/) != nil, word != "-help",
      split(word).name.contains("h")
    else { return }
    throw CommandError.usage(
      "\(printableName(word)): an option of several letters has two dashes: --\(split(word).name)")
  }

  /// Refuses height and width where a side is asked for.
  private static func checkSide(_ value: String, next: String?, _ option: String) throws {
    func isNumber(_ word: String) -> Bool { word.wholeMatch(of: /[0-9]+/) != nil }
    let second = next.flatMap { isNumber(value) && isNumber($0) && !fileExists($0) ? " \($0)" : nil }
    guard let pair = (value + (second ?? "")).wholeMatch(of: /\[?([0-9]+)[,x ][0-9]+\]?/) else { return }
    let other =
      option == "--imgsz" ? "--rect pads pictures no more than needed" : "the other follows from the picture"
    throw CommandError.usage("\(option) \(pair.0): give one side, \(option) \(pair.1); \(other)")
  }

  /// Refuses numbers with blanks between where a list with commas is asked for.
  private static func checkList(_ value: String, next: String?) throws {
    func isNumber(_ word: String) -> Bool { word.wholeMatch(of: /[0-9]+/) != nil }
    guard let next, isNumber(value), isNumber(next), !fileExists(next) else { return }
    throw CommandError.usage("--classes \(value) \(next): write commas between: --classes \(value),\(next)")
  }

  /// Whether a word has the form of `yolo predict`, such as `conf=0.25`, and is not an existing file.
  private static func isPair(_ word: String) -> Bool {
    guard word.wholeMatch(of: /[a-z_]+=.*/) != nil, !fileExists(word) else { return false }
    let name = split(word).name
    guard name.count > 1 else { return false }
    return alsoWritten.contains(name) || FieldWord.all.contains { $0.names.contains(name) }
  }

  /// The name without dashes before it, in our spelling, and the value that follows an equals sign.
  private static func split(_ word: String) -> (name: String, value: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = String(parts[0].drop { $0 == "-" }).replacing("_", with: "-")
    return (name, parts.count > 1 ? parts[1] : nil)
  }

  /// `640` as height and width; a value that has both unchanged.
  private static func square(_ side: String) -> String {
    side.contains("x") ? side : side.contains(",") ? side.replacing(",", with: "x") : "\(side)x\(side)"
  }
}
