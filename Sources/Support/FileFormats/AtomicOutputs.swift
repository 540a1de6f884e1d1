import Synchronization

/// Tracks the temporary files of outputs being written, so that an interrupted run removes them.
///
/// An entry is called `.NAME.TOKEN.partial`, TOKEN sixteen random digits, and is locked while it is being written: one
/// that can be locked was left by a process that is gone, whatever number that process had, and on whichever machine.
package enum AtomicOutputs {
  private struct State {
    var temporaries: NameSet = []
    var isClosed = false
  }

  /// An entry under a temporary name; locked for as long as the descriptor is open.
  package struct Temporary {
    package let path: String
    package let descriptor: Int32
  }

  private static let state = Mutex(State())

  /// Removes every temporary file and folder now being written by this process, for good: whoever wants
  /// another one waits for the end of the process.
  ///
  /// Meant for the handler of a signal that ends the process, called in normal context (not inside
  /// the signal frame itself).
  package static func removeTemporaries() {
    let temporaries = state.withLock { state in
      state.isClosed = true
      return state.temporaries.sorted
    }
    for path in temporaries {
      // Another thread may add a file to a folder while it is being emptied.
      for _ in 0..<100 where POSIX.exists(path) { POSIX.removeTree(path) }
    }
  }

  /// Whether `removeTemporaries` was called: the process is about to end.
  package static var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Makes a folder where there is none yet; what holds it must exist.
  package static func makeFolder(_ path: String) throws(FileError) {
    do {
      try POSIX.makeDirectory(path)
    } catch .alreadyExists {
      guard try POSIX.kind(of: path) == .directory else { throw .notADirectory(path: path) }
    } catch {
      throw error.about(path)
    }
  }

  // MARK: - Temporary entries

  private static let ending = ".partial"

  /// Makes and registers an entry under a temporary name in the folder of `path`, and locks it.
  ///
  /// `make`: Makes the entry, which must not exist yet, and opens it.
  package static func makeTemporary(
    for path: String, _ make: (String) throws(FileError) -> Int32
  ) throws(FileError) -> Temporary {
    let (folder, name) = split(path)
    let head = head(of: name)
    while true {
      // Under the lock: whoever removes temporaries finds every entry that there is, and none is made after that.
      let made: Result<Temporary?, FileError>? = state.withLock { state in
        guard !state.isClosed else { return nil }
        let name = "\(folder)/.\(head).\(token())\(ending)"
        do throws(FileError) {
          let temporary = Temporary(path: name, descriptor: try make(name))
          state.temporaries.insert(name)
          return .success(temporary)
        } catch .alreadyExists {
          return .success(nil)
        } catch {
          POSIX.removeTree(name)
          return .failure(error.about(path))
        }
      }
      guard let made else {
        POSIX.sleepAWhile()
        continue
      }
      guard let temporary = try made.get() else { continue }
      // Until it is locked, anyone may take it for a leftover: who has it locked is about to remove it, or did.
      if POSIX.lock(temporary.descriptor) != .lockedElsewhere,
        POSIX.names(temporary.path, temporary.descriptor)
      {
        return temporary
      }
      POSIX.closeDescriptor(temporary.descriptor)
      forget(temporary.path)
    }
  }

  private static func token() -> String {
    zeroPadded(UInt64.random(in: .min ... .max), 16, radix: 16)
  }

  /// A component may have 255 bytes; a long final name keeps only its head.
  private static func head(of name: String) -> String {
    String(decoding: name.utf8.prefix(200), as: UTF8.self)
  }

  package static func forget(_ temporary: String) {
    state.withLock { state in _ = state.temporaries.remove(temporary) }
  }

  /// Runs the step that gives a temporary entry its final name, and forgets the temporary name.
  ///
  /// Where `removeTemporaries` came first the entry may be half gone: then the step is not run, and this waits
  /// for the end of the process.
  ///
  /// `step`: returns the path of what it displaced, to be discarded after.
  @discardableResult
  package static func publish(
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

  package static func discard(_ temporary: String) {
    POSIX.removeTree(temporary)
    forget(temporary)
  }

  // MARK: - What killed processes left

  /// Where a folder is put while another takes its name, on file systems that cannot exchange the two in one step.
  package static func aside(_ temporary: String) -> String { temporary + asideEnding }

  private static let asideEnding = ".old"

  /// Removes the temporary entries of `path` that killed processes of this user have left.
  package static func removeLeftovers(of path: String) {
    let (folder, name) = split(path)
    removeLeftovers(in: folder) { $0 == head(of: name) }
  }

  /// Removes the temporary entries in a folder that killed processes of this user have left.
  ///
  /// `isMeant`: Whether those of a final name are to go.
  package static func removeLeftovers(in folder: String, where isMeant: (String) -> Bool = { _ in true }) {
    for entry in (try? POSIX.entries(of: folder)) ?? [] {
      guard let leftover = Leftover(entry), isMeant(leftover.head) else { continue }
      let path = "\(folder)/\(entry)"
      guard let descriptor = try? POSIX.openForLocking(path) else { continue }
      defer { POSIX.closeDescriptor(descriptor) }
      guard POSIX.isOwn(descriptor), POSIX.lock(descriptor) == .locked, POSIX.names(path, descriptor) else {
        continue
      }
      let final = "\(folder)/\(leftover.head)"
      // The process died between the two steps of a replacement: nothing has the name, and this had it.
      if leftover.isAside, !POSIX.exists(final), (try? POSIX.rename(path, to: final)) != nil { continue }
      POSIX.removeTree(path)
    }
  }

  /// Whether a name in a folder is that of an output being written, or of what is left of one.
  package static func isTemporary(_ name: String) -> Bool { Leftover(name) != nil }

  private struct Leftover {
    /// The final name, or the beginning of a long one.
    let head: String
    let isAside: Bool

    init?(_ entry: String) {
      isAside = entry.hasSuffix(ending + asideEnding)
      let named = isAside ? entry.dropLast(asideEnding.count) : entry[...]
      guard named.hasPrefix("."), named.hasSuffix(ending) else { return nil }
      let stem = named.dropFirst().dropLast(ending.count)
      guard let dot = stem.lastIndex(of: "."), Self.isToken(stem[stem.index(after: dot)...]) else {
        return nil
      }
      head = String(stem[..<dot])
    }

    /// Sixteen hexadecimal digits; or a process's number and a counter, as they were before.
    private static func isToken(_ text: Substring) -> Bool {
      let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
      return text.utf8.count == 16 && text.allSatisfy(\.isHexDigit)
        || numbers.count == 2 && numbers.allSatisfy { CheckedInt($0) != nil }
    }
  }

  // MARK: - Paths

  /// The folder and the last component of a path.
  package static func split(_ path: String) -> (folder: String, name: String) {
    // Bytes: a slash and a mark that joins it are one character.
    let slash = UInt8(ascii: "/")
    var bytes = path.utf8[...]
    while bytes.count > 1, bytes.last == slash { bytes = bytes.dropLast() }
    guard let last = bytes.lastIndex(of: slash) else { return (".", String(Substring(bytes))) }
    let folder = bytes[..<last]
    return (
      folder.isEmpty ? "/" : String(Substring(folder)), String(Substring(bytes[bytes.index(after: last)...]))
    )
  }
}
