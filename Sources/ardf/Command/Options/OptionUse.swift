import ArgumentParser
import FileFormats

/// Options that a command uses in some of its modes alone.
///
/// Given in another mode they would be ignored without a word. Permissions (`--force`, `--allow-nonfinite`) and what is
/// printed (`--quiet`, `--wide`) are taken in every mode.
struct OptionUse<Command>: Sendable {
  /// By all their names, as they are typed.
  let options: [String]
  /// The message after the name of the option.
  let reason: String
  /// Whether the options named are the only ones that are taken, in place of those that are not.
  let isComplete: Bool
  /// Whether the command says that they are left out and continues.
  let isNoted: Bool
  /// Whether the options named are used, or where `isComplete` whether all others are.
  let isUsed: @Sendable (Command) -> Bool

  /// Options that mean nothing unless `isUsed`.
  static func options(
    _ options: [String], _ reason: String, when isUsed: @escaping @Sendable (Command) -> Bool
  ) -> Self {
    Self(options: options, reason: reason, isComplete: false, isNoted: false, isUsed: isUsed)
  }

  /// Options that are left out, with a note, unless `isUsed`.
  static func noted(_ options: [String], _ reason: String, when isUsed: @escaping @Sendable (Command) -> Bool)
    -> Self
  {
    Self(options: options, reason: reason, isComplete: false, isNoted: true, isUsed: isUsed)
  }

  /// The only options of a mode, as far as `mode` holds.
  static func only(_ options: [String], _ reason: String, in mode: @escaping @Sendable (Command) -> Bool)
    -> Self
  {
    Self(options: options, reason: reason, isComplete: true, isNoted: false, isUsed: { !mode($0) })
  }

  /// Those of the options given that the command does not use.
  func unused(among given: [String], of command: Command) -> [String] {
    guard !isUsed(command) else { return [] }
    return given.filter { option in
      isComplete
        ? !options.contains(option) && !GivenOptions.everywhere.contains(option) : options.contains(option)
    }
  }
}

/// A command that uses some of its options in some of its modes alone.
protocol ModalCommand: ParsableCommand {
  static var optionUses: [OptionUse<Self>] { get }
}

extension ModalCommand {
  /// Refuses the first option given that would be ignored, and names those that are left out.
  ///
  /// - Throws: `CommandError.usage`.
  func checkOptions(given: [String]) throws {
    for use in Self.optionUses {
      let unused = use.unused(among: given, of: self)
      guard let first = unused.first else { continue }
      guard use.isNoted else { throw CommandError.usage("\(first) \(use.reason)") }
      Console.note("\(unused.joined(separator: ", ")) \(use.reason)")
    }
  }

  /// All options that are used in some modes alone.
  static var modalOptions: [String] { optionUses.flatMap(\.options) }
}

/// The options of a command line.
package enum GivenOptions {
  static let everywhere: Set = [
    "--force", "--quiet", "-q", "--wide", "--allow-nonfinite", "--help", "-h", "--version",
  ]

  /// The names of the options given, with their dashes.
  static func names(in words: [String]) -> [String] {
    words.prefix { $0 != "--" }.compactMap { word in
      guard word.utf8.first == UInt8(ascii: "-") else { return nil }
      let name = word.prefix { $0 != "=" }
      return name.wholeMatch(of: /--[a-z][a-z0-9-]*|-[a-z]/) == nil ? nil : String(name)
    }
  }

  /// Refuses an option with an empty value, as an unset variable of a shell gives: it names nothing.
  ///
  /// - Parameter words: All after the program's name, as they were typed.
  /// - Throws: `CommandError.usage`.
  package static func refuseEmptyValues(in words: [String]) throws {
    let words = words.prefix { $0 != "--" }
    for (index, word) in words.enumerated() {
      let option = word.prefix { $0 != "=" }
      guard option.wholeMatch(of: /--?[a-zA-Z][a-zA-Z0-9_-]*/) != nil else { continue }
      let isEmpty = word == option + "=" || word == option && words.dropFirst(index + 1).first == ""
      guard isEmpty else { continue }
      throw CommandError.usage("\(option): its value is empty; give one, or leave \(option) out")
    }
  }

  /// Refuses an option of this process's command line that would be ignored.
  ///
  /// - Throws: `CommandError.usage`.
  static func refuse(_ options: [String], _ reason: String) throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let ours = try FieldWords.translated(words, subcommands: CommandNames.subcommands(of: words.first))
    guard let option = names(in: ours).first(where: options.contains) else { return }
    throw CommandError.usage("\(reason); leave \(option) out")
  }

  /// Checks a parsed command against the words that it was parsed from.
  ///
  /// - Throws: `CommandError.usage`.
  static func check(_ command: any ParsableCommand, _ words: [String]) throws {
    try (command as? any ModalCommand)?.checkOptions(given: names(in: words))
  }

  /// Parses a command line and checks it, without running its command.
  ///
  /// - Parameter words: All after the program's name, in our own words.
  /// - Returns: The message about the first option that would be ignored; nil where all are used.
  /// - Throws: What the parser finds.
  package static func refusal(of words: [String]) throws -> String? {
    let command = try ARDF.parseAsRoot(words)
    do {
      try check(command, words)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Options that are used in some modes alone, by the words that name their command.
  package static var modal: [(command: String, options: [String])] {
    CommandNames.all.compactMap { name, command in
      (command as? any ModalCommand.Type).map { (name, $0.modalOptions) }
    }
  }
}
