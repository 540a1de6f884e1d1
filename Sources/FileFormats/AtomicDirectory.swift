import Synchronization

/// A folder built under a temporary sibling name that appears whole under its final name, or not at all.
public final class AtomicDirectory: Sendable {
  private enum Phase { case building, committed, discarded }

  /// The final name.
  public let path: String
  /// Where the folder's files are to be written until `commit()`.
  public let temporaryPath: String

  private let force: Bool
  private let phase = Mutex(Phase.building)

  /// Creates the temporary folder beside `path`.
  ///
  /// - Parameter force: lets `commit()` replace an existing folder.
  /// - Throws: `FileError.alreadyExists` when the name is taken and `force` is false,
  ///   `FileError.notADirectory` when it is taken by a file.
  public init(path: String, force: Bool) throws(FileError) {
    if let kind = try? POSIX.kind(of: path) {
      guard force else { throw .alreadyExists(path: path) }
      guard kind == .directory else { throw .notADirectory(path: path) }
    }
    self.path = path
    self.force = force
    temporaryPath = AtomicOutputs.reserveTemporary(for: path)
    do {
      try POSIX.makeDirectory(temporaryPath)
    } catch {
      AtomicOutputs.forget(temporaryPath)
      throw error.about(path)
    }
  }

  /// The path, inside the temporary folder, of a file to be written.
  public func path(_ name: String) -> String { "\(temporaryPath)/\(name)" }

  /// Creates a folder, and those it needs, inside the temporary folder.
  ///
  /// - Parameter name: a relative path without `..`.
  /// - Returns: the new folder's present path.
  @discardableResult
  public func makeSubdirectory(_ name: String) throws(FileError) -> String {
    var current = temporaryPath
    for component in name.split(separator: "/") {
      precondition(component != "..", "a subdirectory stays inside")
      current += "/\(component)"
      do {
        try POSIX.makeDirectory(current)
      } catch .alreadyExists {
        guard try POSIX.kind(of: current) == .directory else { throw .notADirectory(path: current) }
      }
    }
    return current
  }

  /// Writes a whole file into the temporary folder.
  public func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    let (folder, _) = AtomicOutputs.split(name)
    if folder != "." { try makeSubdirectory(folder) }
    do {
      let descriptor = try POSIX.create(path(name))
      defer { POSIX.closeDescriptor(descriptor) }
      try POSIX.write(bytes.span, to: descriptor, path: name)
    } catch {
      throw error.about("\(path)/\(name)")
    }
  }

  /// Writes a whole text file into the temporary folder as UTF-8.
  public func write(_ text: String, to name: String) throws(FileError) {
    try write(Array(text.utf8), to: name)
  }

  /// Flushes everything inside and gives the folder its final name.
  ///
  /// With `force`, an existing folder and the new one take each other's names in one step, and the old one is
  /// removed after: at any moment there is one whole folder under the name.
  public func commit() throws(FileError) {
    phase.withLock { precondition($0 == .building, "the folder was committed or discarded") }
    try POSIX.synchronizeTree(temporaryPath)
    let old = try AtomicOutputs.publish(temporaryPath) { () throws(FileError) in
      if force, POSIX.exists(path) { return try replaceExisting() }
      try POSIX.renameDirectoryExclusively(temporaryPath, to: path)
      return nil
    }
    phase.withLock { $0 = .committed }
    defer { if let old { AtomicOutputs.discard(old) } }
    try POSIX.synchronizeDirectory(AtomicOutputs.split(path).folder)
  }

  /// Puts the new folder in the place of the old one and returns where that one is left.
  private func replaceExisting() throws(FileError) -> String {
    if try POSIX.exchange(temporaryPath, path) { return temporaryPath }
    // No exchange on this file system: for a moment nothing has the name.
    let aside = temporaryPath + ".old"
    try POSIX.rename(path, to: aside)
    do {
      try POSIX.rename(temporaryPath, to: path)
    } catch {
      try POSIX.rename(aside, to: path)
      throw error
    }
    return aside
  }

  /// Removes the temporary folder; nothing appears under the final name.
  public func discard() {
    let wasBuilding = phase.withLock { phase in
      defer { if phase == .building { phase = .discarded } }
      return phase == .building
    }
    if wasBuilding { AtomicOutputs.discard(temporaryPath) }
  }

  deinit { discard() }
}
