import OutputFolders

/// Where results go.
struct OutputTarget {
  static let standardOutput = "-"

  /// A folder, or `standardOutput`.
  let path: String
  /// Whether an existing folder is replaced, if ardf wrote it.
  var force = false
  /// Whether results are printed as JSON too.
  var printsJSON = false
  /// Whether nothing is printed for people.
  var isQuiet = false

  /// Standard output in place of a folder.
  var isStandardOutput: Bool { path == Self.standardOutput }

  /// The folder, refused now if it may not be written; nil for standard output.
  ///
  /// `inputs`: The paths that the command reads.
  func folder(inputs: [String?]) throws -> OutputFolder? {
    isStandardOutput ? nil : try OutputFolder(path, force: force, inputs: inputs)
  }
}
