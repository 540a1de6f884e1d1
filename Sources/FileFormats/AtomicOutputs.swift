import Synchronization

/// The temporary names of outputs being written, so that an interrupted run leaves none behind.
public enum AtomicOutputs {
  private struct State {
    var temporaries: Set<String> = []
    var counter = 0
  }

  private static let state = Mutex(State())

  /// Removes every temporary file and folder now being written by this process.
  ///
  /// Meant for the handler of a signal that ends the process, called in normal context (not inside
  /// the signal frame itself).
  public static func removeTemporaries() {
    let temporaries = state.withLock { state in
      defer { state.temporaries = [] }
      return state.temporaries
    }
    for path in temporaries { POSIX.removeTree(path) }
  }

  /// A registered temporary name in the folder of `path`.
  static func reserveTemporary(for path: String) -> String {
    let (folder, name) = split(path)
    return state.withLock { state in
      state.counter += 1
      // A component may have 255 bytes; a long final name keeps only its head.
      let head = String(decoding: name.utf8.prefix(200), as: UTF8.self)
      let temporary = "\(folder)/.\(head).\(POSIX.processIdentifier)-\(state.counter).partial"
      state.temporaries.insert(temporary)
      return temporary
    }
  }

  static func forget(_ temporary: String) {
    state.withLock { _ = $0.temporaries.remove(temporary) }
  }

  static func discard(_ temporary: String) {
    POSIX.removeTree(temporary)
    forget(temporary)
  }

  /// The folder and the last component of a path.
  static func split(_ path: String) -> (folder: String, name: String) {
    var path = Substring(path)
    while path.count > 1 && path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", String(path)) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }
}
