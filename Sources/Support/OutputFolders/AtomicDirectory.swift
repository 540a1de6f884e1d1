import Digests
import FileFormats
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder built under a temporary sibling name that appears whole under its final name, or not at all.
///
/// Its `OutputRecord` goes into it, by which a later one knows that it may take its place.
package final class AtomicDirectory: Sendable {
  private enum Phase { case building, committed, discarded }

  private struct State {
    var phase = Phase.building
    /// Digests of the files written so far.
    var digests: NameTable<String> = [:]
  }

  /// The final name.
  package let path: String
  /// Where the folder's files are to be written until `commit()`.
  package var temporaryPath: String { temporary.path }

  private let temporary: AtomicOutputs.Temporary
  private let force: Bool
  private let mendsChanges: Bool
  /// Names of files beside folders that were committed into this one by themselves; nil for a folder of files.
  private let beside: [String]?
  private let state = Mutex(State())

  /// Creates the temporary folder beside `path`.
  ///
  /// - `force`: Lets `commit()` replace an existing folder, if there is nothing in it but what `ardf` wrote.
  /// - `mendsChanges`: Lets it replace too what was changed since `ardf` wrote it.
  /// - `beside`: For a folder of folders that are committed into it by themselves: what the files beside them are
  ///   called, as patterns.
  /// - Throws: `FileError.alreadyExists` when the name is taken and `force` is false, `.notADirectory` when it is
  ///   taken by a file, `.foreign` and `.edited` for a folder that may not be replaced.
  package init(
    path: String, force: Bool, mendsChanges: Bool = false, foldersBeside beside: [String]? = nil
  ) throws(FileError) {
    if POSIX.exists(path) {
      guard force else { throw .alreadyExists(path: path) }
      try OutputRecord.checkReplaceable(path, mendsChanges: mendsChanges)
    }
    self.mendsChanges = mendsChanges
    self.path = path
    self.force = force
    self.beside = beside
    temporary = try AtomicOutputs.makeTemporary(for: path) { name throws(FileError) in
      try POSIX.makeDirectory(name)
      do throws(FileError) {
        return try POSIX.openForLocking(name)
      } catch .missing {
        // Taken for a leftover already.
        throw .alreadyExists(path: name)
      }
    }
  }

  /// A folder among the system's temporary files, the user's alone and not to be committed: it is gone with the object, or
  /// with the process; what a killed one has left goes first.
  package static func scratch(_ name: String) throws(FileError) -> AtomicDirectory {
    let parent = FileManager.default.temporaryDirectory.path
    let head = "ardf-\(name)-"
    AtomicOutputs.removeLeftovers(in: parent) { $0.hasPrefix(head) }
    let number = UInt64.random(in: .min ... .max)
    let folder = try AtomicDirectory(path: "\(parent)/\(head)\(number)", force: false)
    do {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.temporaryPath)
    } catch {
      throw .permissionDenied(path: folder.temporaryPath)
    }
    return folder
  }

  /// The path, inside the temporary folder, of a file to be written.
  package func path(_ name: String) -> String { "\(temporaryPath)/\(name)" }

  /// Creates a folder, and those it needs, inside the temporary folder.
  ///
  /// `name`: a relative path without `..`.
  ///
  /// - Returns: the new folder's present path.
  @discardableResult
  package func makeSubdirectory(_ name: String) throws(FileError) -> String {
    var current = temporaryPath
    for component in name.split(separator: "/") {
      precondition(component != "..", "a subdirectory stays inside")
      current += "/\(component)"
      try AtomicOutputs.makeFolder(current)
    }
    return current
  }

  /// Writes a whole file into the temporary folder.
  package func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    try write(bytes, RawSpan(), to: name)
    let digest = OutputRecord.digest(of: FileBytes(bytes), name: name)
    state.withLock { $0.digests[name] = digest }
  }

  /// Writes an array as a whole `.npy` file into the temporary folder, without a copy of its elements.
  package func write(_ array: NPYArray, to name: String) throws(FileError) {
    let digest = try array.withEncoded { (header, elements) throws(FileError) in
      try write(header, elements, to: name)
      return sha256Hex(header, elements)
    }
    state.withLock { $0.digests[name] = digest }
  }

  private func write(_ head: [UInt8], _ rest: RawSpan, to name: String) throws(FileError) {
    let (folder, _) = AtomicOutputs.split(name)
    if folder != "." { try makeSubdirectory(folder) }
    do {
      let descriptor = try POSIX.create(path(name))
      defer { POSIX.closeDescriptor(descriptor) }
      try POSIX.write(head.span, to: descriptor, path: name)
      try POSIX.write(rest, to: descriptor, path: name)
      // The disk works while the other files are made.
      POSIX.beginSynchronizing(descriptor)
    } catch {
      throw error.about("\(path)/\(name)")
    }
  }

  /// Writes a whole text file into the temporary folder as UTF-8.
  package func write(_ text: String, to name: String) throws(FileError) {
    try write(Array(text.utf8), to: name)
  }

  /// Flushes everything inside and gives the folder its final name.
  ///
  /// With `force`, an existing folder and the new one take each other's names in one step, and the old one is
  /// removed after: at any moment there is one whole folder under the name.
  ///
  /// - Throws: `FileError`; `.foreign` where something that `ardf` did not write has come into the existing folder.
  package func commit() throws(FileError) {
    let digests = state.withLock { state in
      precondition(state.phase == .building, "the folder was committed or discarded")
      return state.digests
    }
    if let beside {
      try OutputRecord.folders(beside: beside).write(to: temporaryPath)
      try POSIX.synchronizeDirectory(temporaryPath)
    } else {
      try OutputRecord.files(adding(digests)).write(to: temporaryPath)
      try POSIX.synchronizeTree(temporaryPath)
    }
    let old = try AtomicOutputs.publish(temporaryPath) { () throws(FileError) in
      if force, POSIX.exists(path) { return try replaceExisting() }
      try POSIX.renameDirectoryExclusively(temporaryPath, to: path)
      return nil
    }
    state.withLock { $0.phase = .committed }
    defer {
      if let old { AtomicOutputs.discard(old) }
      POSIX.closeDescriptor(temporary.descriptor)
    }
    try POSIX.synchronizeDirectory(AtomicOutputs.split(path).folder)
  }

  /// The digests with those of files that other programs have written.
  private func adding(_ digests: NameTable<String>) throws(FileError) -> NameTable<String> {
    var digests = digests
    var folders = [""]
    while let prefix = folders.popLast() {
      for entry in try POSIX.entries(of: path(prefix)) {
        let name = prefix + entry
        switch try POSIX.kind(of: path(name)) {
        case .directory: folders.append(name + "/")
        case .file where digests[name] == nil:
          digests[name] = OutputRecord.digest(of: try FileBytes(path: path(name)), name: name)
        case .file, .link, .other: continue
        }
      }
    }
    return digests
  }

  /// Puts the new folder in the place of the old one and returns where that one is left.
  private func replaceExisting() throws(FileError) -> String {
    // Locked, so that no other process takes the old folder for a leftover while it has the temporary name.
    let old = try POSIX.openForLocking(path)
    defer { POSIX.closeDescriptor(old) }
    POSIX.lock(old)
    if try POSIX.exchange(temporaryPath, path) {
      do {
        try OutputRecord.checkReplaceable(temporaryPath, mendsChanges: mendsChanges)
      } catch {
        _ = try POSIX.exchange(temporaryPath, path)
        throw error.about(path)
      }
      return temporaryPath
    }
    // No exchange on this file system: for a moment nothing has the name. Who dies in it leaves the old folder to
    // whoever removes leftovers, to be given its name again.
    let aside = AtomicOutputs.aside(temporaryPath)
    try POSIX.rename(path, to: aside)
    do {
      try OutputRecord.checkReplaceable(aside, mendsChanges: mendsChanges)
      try POSIX.rename(temporaryPath, to: path)
    } catch {
      try POSIX.rename(aside, to: path)
      throw error.about(path)
    }
    return aside
  }

  /// Removes the temporary folder; nothing appears under the final name.
  package func discard() {
    let wasBuilding = state.withLock { state in
      defer { if state.phase == .building { state.phase = .discarded } }
      return state.phase == .building
    }
    guard wasBuilding else { return }
    AtomicOutputs.discard(temporaryPath)
    POSIX.closeDescriptor(temporary.descriptor)
  }

  deinit { discard() }
}
