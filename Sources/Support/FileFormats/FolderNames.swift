/// The names in a folder, sorted; hidden ones too.
///
/// Unlike Foundation's listing, one that fails half-way is an error, not a shorter list. Names that are not UTF-8 name
/// nothing that could be opened: `namesThatAreNotText` has them.
package func folderNames(of path: String) throws(FileError) -> [String] { try POSIX.entries(of: path) }

/// Whether a path names anything, be it a link that leads nowhere.
package func fileExists(_ path: String) -> Bool { POSIX.exists(path) }

/// Kind of file at a path.
package enum PathKind: Sendable { case file, folder, pipe, characterDevice, other }

/// Kind of file at a path, links followed; nil for none.
package func pathKind(_ path: String) -> PathKind? { POSIX.kind(followingLinks: path) }

/// The names in a folder that are not UTF-8, sorted, with each byte beyond printable ASCII as `\xHH`.
package func namesThatAreNotText(in path: String) throws(FileError) -> [String] {
  try POSIX.listing(of: path).notText
}
