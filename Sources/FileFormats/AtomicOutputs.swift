import Synchronization

/// The temporary names of outputs being written, so that an interrupted run leaves none behind.
public enum AtomicOutputs {
  private struct State {
    var temporaries: Set<String> = []
    var counter = 0
    var isClosed = false
  }

  private static let state = Mutex(State())

  /// Removes every temporary file and folder now being written by this process, for good: whoever wants
  /// another one waits for the end of the process.
  ///
  /// Meant for the handler of a signal that ends the process, called in normal context (not inside
  /// the signal frame itself).
  public static func removeTemporaries() {
    let temporaries = state.withLock { state in
      state.isClosed = true
      return state.temporaries
    }
    for path in temporaries {
      // Another thread may add a file to a folder while it is being emptied.
      for _ in 0..<100 where POSIX.exists(path) { POSIX.removeTree(path) }
    }
  }

  /// Whether `removeTemporaries` was called: the process is about to end.
  public static var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Removes the temporary files and folders of `path` that killed processes have left.
  public static func removeLeftovers(of path: String) {
    let (folder, name) = split(path)
    let head = ".\(head(of: name))."
    for entry in (try? POSIX.entries(of: folder)) ?? [] where entry.hasPrefix(head) && entry.hasSuffix(ending)
    {
      let writer = entry.dropFirst(head.count).prefix { $0 != "-" }
      if Int(writer) != nil, !POSIX.exists("/proc/\(writer)") { POSIX.removeTree("\(folder)/\(entry)") }
    }
  }

  /// Makes a folder where there is none yet; what holds it must exist.
  public static func makeFolder(_ path: String) throws(FileError) {
    do {
      try POSIX.makeDirectory(path)
    } catch .alreadyExists {
      guard try POSIX.kind(of: path) == .directory else { throw .notADirectory(path: path) }
    } catch {
      throw error.about(path)
    }
  }

  /// Removes a file or a whole folder, following no link; what cannot be removed stays.
  public static func remove(_ path: String) { POSIX.removeTree(path) }

  /// A registered temporary name in the folder of `path`.
  static func reserveTemporary(for path: String) -> String {
    let (folder, name) = split(path)
    let head = head(of: name)
    while true {
      let temporary: String? = state.withLock { state in
        guard !state.isClosed else { return nil }
        state.counter += 1
        let temporary = "\(folder)/.\(head).\(POSIX.processIdentifier)-\(state.counter)\(ending)"
        state.temporaries.insert(temporary)
        return temporary
      }
      if let temporary { return temporary }
      POSIX.sleepAWhile()
    }
  }

  private static let ending = ".partial"

  /// A component may have 255 bytes; a long final name keeps only its head.
  private static func head(of name: String) -> String {
    String(decoding: name.utf8.prefix(200), as: UTF8.self)
  }

  static func forget(_ temporary: String) {
    state.withLock { _ = $0.temporaries.remove(temporary) }
  }

  /// Runs the step that gives a temporary entry its final name, and forgets the temporary name.
  ///
  /// Where `removeTemporaries` came first the entry may be half gone: then the step is not run, and this waits
  /// for the end of the process.
  ///
  /// - Parameter step: returns the path of what it displaced, to be discarded after.
  @discardableResult
  static func publish(
    _ temporary: String, _ step: () throws(FileError) -> String?
  ) throws(FileError) -> String? {
    while true {
      let result: Result<String?, FileError>? = state.withLock { state in
        guard !state.isClosed else { return nil }
        do throws(FileError) {
          let displaced = try step()
          state.temporaries.remove(temporary)
          if let displaced { state.temporaries.insert(displaced) }
          return .success(displaced)
        } catch {
          return .failure(error)
        }
      }
      if let result { return try result.get() }
      POSIX.sleepAWhile()
    }
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
