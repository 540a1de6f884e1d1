import Synchronization

/// The names that users gave, for messages about files made from theirs.
enum GivenNames {
  private static let names = Mutex<[(made: String, given: String)]>([])

  /// Records that a file was made from another, whose name messages use.
  static func add(_ given: String, for made: String) {
    names.withLock { names in
      names.removeAll { $0.made == made }
      names.append((made, given))
    }
  }

  /// The message with the given names in place of the made ones.
  static func said(_ message: String) -> String {
    names.withLock { $0.reduce(message) { $0.replacing($1.made, with: $1.given) } }
  }
}
