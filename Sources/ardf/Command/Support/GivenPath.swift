/// A file that a command reads, and its name in messages.
///
/// The two differ where the file was made from a checkpoint: it lies in the user's cache, and users know the checkpoint.
struct GivenPath: Sendable, CustomStringConvertible {
  /// Where the file lies.
  let path: String
  /// The file's name in messages.
  let name: String

  /// A file that was made from another, whose name messages use.
  init(_ path: String, madeFrom name: String) { (self.path, self.name) = (path, name) }

  /// A file whose name in messages is its path.
  init(_ path: String) { self.init(path, madeFrom: path) }

  var description: String { name }

  /// The files that no output may replace.
  var inputs: [String] { [name, path] }
}
