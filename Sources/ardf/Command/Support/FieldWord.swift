/// An option of other detectors' command lines, and its meaning for our commands that lack an option of that name.
package struct FieldWord {
  package enum Meaning: Equatable {
    /// The same as our option, value included.
    case option(String)
    /// Its value is a positional argument of our command.
    case argument
    /// The same as these words.
    case words([String])
    /// The side of a square, for our option that takes height and width.
    case square(String)
    /// The same as our option, which takes only one side.
    case side(String)
    /// Our default, so that the option is dropped.
    case done
    /// A word that is not supported: the message.
    case answer(String)
  }

  /// Its spellings, without dashes before them.
  package let names: [String]
  /// Whether a value follows the option.
  package let takesValue: Bool
  /// Values that mean our default.
  package let usual: Set<String>
  /// The meaning to each of some commands; nil for all commands.
  package let meanings: [(verbs: Set<String>?, meaning: Meaning)]

  private init(
    _ names: [String], takesValue: Bool, usual: Set<String> = [],
    _ meanings: [(verbs: Set<String>?, meaning: Meaning)]
  ) {
    (self.names, self.takesValue, self.usual, self.meanings) = (names, takesValue, usual, meanings)
  }

  /// The meaning to a command; nil where the command defines it itself.
  package func meaning(to verb: String) -> Meaning? {
    meanings.first { $0.verbs?.contains(verb) ?? true }?.meaning
  }
}

extension FieldWord {
  /// All of them.
  package static let all: [FieldWord] = inputs + outputs + thresholds + computation

  static func value(
    _ names: [String], usual: Set<String> = [], _ meanings: (verbs: Set<String>?, meaning: Meaning)...
  ) -> FieldWord {
    FieldWord(names, takesValue: true, usual: usual, meanings)
  }

  static func flag(
    _ names: [String], _ meanings: (verbs: Set<String>?, meaning: Meaning)...
  ) -> FieldWord {
    FieldWord(names, takesValue: false, meanings)
  }

  /// Commands of other programs, and our command that does the same.
  package static let commands: [(name: String, answer: String)] = [
    ("predict", "ardf detect finds objects, ardf run measures them too"),
    ("segment", "ardf detect finds masks with the weights of a -seg network"),
    ("pose", "ardf detect finds key points with the weights of a -pose network"),
    ("obb", "ardf detect finds oriented boxes with the weights of an -obb network"),
    ("classify", "ardf detect tells what pictures are of with the weights of a -cls network"),
    ("track", "ardf detect --track bytetrack follows objects through films and sequences"),
    ("val", "ardf evaluate measures accuracy"),
    ("validate", "ardf evaluate measures accuracy"),
    ("benchmark", "ardf bench measures speed"),
    ("train", "ardf trains nothing; it runs checkpoints of your own as they are (--yolo best.pt)"),
    (
      "export",
      "ardf runs checkpoints as they are (--yolo best.pt), and ardf convert makes .safetensors of them"
    ),
    ("download", "ardf weights get fetches published checkpoints"),
  ]
}
