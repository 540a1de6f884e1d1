/// The texts of `--help`.
enum Help {
  /// A discussion that ends with examples, each a line for people and a command that works as it is printed.
  ///
  /// A command without such a line goes on with the example before it.
  static func text(_ discussion: String, _ examples: (what: String?, command: String)...) -> String {
    var lines = (discussion.isEmpty ? [] : [discussion, ""]) + ["EXAMPLES:"]
    for example in examples {
      if let what = example.what { lines.append("  # \(what)") }
      lines.append("  \(example.command)")
    }
    return lines.joined(separator: "\n")
  }
}
