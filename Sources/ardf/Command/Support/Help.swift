/// The texts of `--help`.
enum Help {
  /// A discussion that ends with examples, each a line for people and a command that works as it is printed.
  ///
  /// A command without such a line continues the example before it. Lines have at most 78 columns, so that no
  /// terminal breaks them; longer commands continue after a backslash.
  static func text(_ discussion: String, _ examples: (what: String?, command: String)...) -> String {
    var lines = (discussion.isEmpty ? [] : [discussion, ""]) + ["EXAMPLES:"]
    for example in examples {
      if let what = example.what { lines.append("  # \(what)") }
      lines += example.command.split(separator: "\n").enumerated().map { ($0 == 0 ? "  " : "    ") + $1 }
    }
    return lines.joined(separator: "\n")
  }
}
