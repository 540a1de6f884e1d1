import FileFormats

/// The weight files that a command line names, for messages about one that the parser refuses: whatever else is missing,
/// a file of a format that is not read never becomes a network.
enum GivenWeights {
  private static let options = ["--weights", "--yolo", "--depth", "--models", "--model"]
  /// Commands that take a network as their argument.
  private static let verbs: Set = [
    "profile", "tune", "bench", "inspect", "infer", "quantize", "convert", "verify",
  ]
  /// Options of these whose values are other files, of which some are named as models are.
  private static let otherFiles: Set = ["--plan", "--out", "-o", "--input", "--compare", "--reference"]

  /// The error about the first file of a format that is not read; nil without one.
  ///
  /// - `words`: The command line after the program's name, in words of ours.
  static func refused(among words: [String]) -> CommandError? {
    for path in paths(among: words) where ForeignModel.recognized(path) != nil {
      do {
        try ForeignModel.refuse(path)
      } catch {
        return error as? CommandError
      }
    }
    return nil
  }

  private static func paths(among words: [String]) -> [String] {
    let takesNetwork = words.first.map(verbs.contains) ?? false
    var paths: [String] = []
    var previous = ""
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2, options.contains(parts[0]) {
        paths += files(parts[1])
      } else if options.contains(previous) {
        paths += files(word)
      } else if takesNetwork, !word.hasPrefix("-"), !otherFiles.contains(previous) {
        paths.append(word)
      }
      previous = word
    }
    return paths
  }

  /// The files of a value, which may be a list of names and files, as `--models` takes it.
  private static func files(_ value: String) -> [String] {
    guard !fileExists(value) else { return [value] }
    return value.split(separator: ",").map { entry in
      String(entry.split(separator: "=", maxSplits: 1).last ?? entry)
    }
  }
}
