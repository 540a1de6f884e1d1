import Synchronization

/// The names that people gave, for messages about files that were made from them.
enum GivenNames {
  private static let names = Mutex<[(made: String, given: String)]>([])

  /// A file was made of another one, after which messages call it.
  static func add(_ given: String, for made: String) {
    names.withLock { names in
      names.removeAll { $0.made == made }
      names.append((made, given))
    }
  }

  /// A message that names what was given.
  static func said(_ message: String) -> String {
    names.withLock { $0.reduce(message) { $0.replacing($1.made, with: $1.given) } }
  }
}
