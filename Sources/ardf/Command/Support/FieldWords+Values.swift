import FileFormats

extension FieldWords {
  /// Options that take one number.
  private static let numbers: Set = [
    "--conf", "--iou", "--threads", "-t", "--imgsz", "--max-det", "--depth-size", "--tile", "--overlap",
    "--fov",
    "--rate", "--repeat", "--streams", "--runs", "--iterations", "--warm-up", "--seconds", "--top",
    "--workers",
    "--sensor-range", "--depth-unit", "--depth-scale", "--max-error", "--calibrate-count", "--tolerance",
    "--seed",
    "--track-buffer", "--track-high-thresh", "--track-low-thresh", "--new-track-thresh", "--match-thresh",
    "--stall", "--turns",
    "-n", "-i",
  ]
  /// Options that take one network.
  private static let networks: Set = ["--yolo", "--depth", "--weights"]
  /// Options that are given once for each value.
  private static let repeated: Set = ["--frame", "--at"]

  /// Refuses a second value after that of an option that takes one: it would be taken for a picture.
  ///
  /// - Parameters:
  ///   - words: The words after the command, translated.
  ///   - verb: The command.
  /// - Throws: `CommandError.usage`.
  static func refuseSecondValues(_ words: [String], of verb: String) throws {
    let words = Array(words.prefix { $0 != "--" })
    for (place, word) in words.enumerated() where word.utf8.first == UInt8(ascii: "-") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let after = words.dropFirst(place + 1)
      guard let value = parts.count == 2 ? parts[1] : after.first,
        let next = parts.count == 2 ? after.first : after.dropFirst().first
      else { continue }
      try refuse(next, after: value, of: parts[0], verb: verb)
    }
  }

  private static func refuse(_ next: String, after value: String, of option: String, verb: String) throws {
    let remedy: String
    if networks.contains(option), isNetwork(next) {
      remedy = "\(option) takes one network; leave \(next) out"
    } else if fileExists(next) || !isPlain(next) {
      return
    } else if numbers.contains(option), isNumber(value), isNumber(next) {
      remedy =
        verb == "bench" && ["--threads", "-t"].contains(option)
        ? "write commas between: \(option) \(value),\(next)" : "\(option) takes one number; leave \(next) out"
    } else if repeated.contains(option), isNumber(value), isNumber(next) {
      remedy = "give the option for each: \(option) \(value) \(option) \(next)"
    } else if option == "--classes" || option == "--precision" && verb == "evaluate", isName(next) {
      remedy = "write commas between: \(option) \(value),\(next)"
    } else {
      return
    }
    throw CommandError.usage("\(option) \(printableName(value)) \(printableName(next)): \(remedy)")
  }

  private static func isNumber(_ word: String) -> Bool { Double(ofOne(word)) != nil }

  /// Whether a word has no mark of a path, a pattern or an address.
  private static func isPlain(_ word: String) -> Bool { !word.contains { "/*?[:".contains($0) } }

  /// Whether a word may be the name of a class or a precision, and not of a file.
  private static func isName(_ word: String) -> Bool {
    word.first?.isLetter == true && !word.contains(".")
  }

  private static func isNetwork(_ word: String) -> Bool {
    if [".safetensors", ".pt", ".pth", ".onnx"].contains(where: { hasEnding(word, $0) }) { return true }
    return !fileExists(word) && PublishedWeights.named(word) != nil
  }

  /// A message that begins with one of our options, or says what is invalid for it, with the word that was typed for it.
  ///
  /// - Parameters:
  ///   - text: The message.
  ///   - words: All after the program's name, as they were typed.
  /// - Returns: The message to print.
  package static func asTyped(_ text: String, words: [String]) -> String {
    guard let verb = words.first else { return text }
    for word in words.dropFirst().prefix(while: { $0 != "--" }) {
      guard let (typed, ours) = synonym(word, of: verb) else { continue }
      for start in ["", "Error: "] where [" ", ":"].contains(where: { text.hasPrefix(start + ours + $0) }) {
        return start + typed + String(text.dropFirst(start.count + ours.count))
      }
      let named = "for '\(ours) "
      if text.contains(named) { return text.replacing(named, with: "for '\(typed) ", maxReplacements: 1) }
    }
    return text
  }

  /// Another program's option as it was typed, and the one of ours that it stands for; nil for any other word.
  private static func synonym(_ word: String, of verb: String) -> (typed: String, ours: String)? {
    let typed = String(word.prefix { $0 != "=" })
    guard word.hasPrefix("-") || word.wholeMatch(of: /[a-z_]+=.*/) != nil else { return nil }
    let name = String(typed.drop { $0 == "-" }).replacing("_", with: "-")
    switch FieldWord.all.first(where: { $0.names.contains(name) && $0.meaning(to: verb) != nil })?
      .meaning(to: verb)
    {
    case .option(let ours), .square(let ours), .side(let ours): return typed == ours ? nil : (typed, ours)
    case .argument, .words, .done, .answer, nil: return nil
    }
  }
}
