import ArgumentParser
import FileFormats

/// A refused option value and an accepted one, found by trying values with the parser.
struct RefusedValue {
  private let value: String
  private let option: String
  private let words: [String]

  /// nil where the message is about something else, or names the remedy itself.
  ///
  /// - Parameters:
  ///   - text: The parser's message about the value.
  ///   - words: The command line after the program's name.
  init?(_ text: String, words: [String]) {
    let line = text.prefix { $0 != "\n" }
    guard let match = line.wholeMatch(of: /Error: The value '(.*)' is invalid for '(-[^ ']+)[^']*'/) else {
      return nil
    }
    (value, option, self.words) = (String(match.1), String(match.2), words)
  }

  /// The accepted value; nil where the option takes no number and is not `--shard`.
  var remedy: String? {
    if option == "--shard" { return "give I/N with I from 1 to N, or auto/N" }
    let pointed = value.replacing(",", with: ".")
    if value.wholeMatch(of: /-?[0-9]+,[0-9]+/) != nil, takes(pointed) {
      return "decimals follow a point: \(option) \(pointed)"
    }
    guard takes("1") else { return nil }
    if let number = CheckedInt(value) {
      return number < 0 ? "give no number below 0" : "the number is too large"
    }
    if takes("1.5") { return "give a number" }
    return takes("1M") ? "give a whole number, or one such as 64M" : "give a whole number"
  }

  /// Whether the parser takes another value for this one.
  private func takes(_ other: String) -> Bool {
    var words = words
    if let place = words.firstIndex(of: "\(option)=\(value)") {
      words[place] = "\(option)=\(other)"
    } else if let place = words.indices.dropLast().first(where: {
      words[$0] == option && words[$0 + 1] == value
    }) {
      words[place + 1] = other
    } else {
      return false
    }
    do {
      _ = try ARDF.parseAsRoot(words)
      return true
    } catch {
      return !ARDF.fullMessage(for: error).contains("is invalid for '\(option)")
    }
  }
}
