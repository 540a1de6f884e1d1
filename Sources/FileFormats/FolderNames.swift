/// The names in a folder, sorted; hidden ones too.
///
/// Unlike Foundation's listing, one that fails half-way is an error, not a shorter list.
package func folderNames(of path: String) throws(FileError) -> [String] { try POSIX.entries(of: path) }

/// Whether a path names anything, be it a link that leads nowhere.
package func fileExists(_ path: String) -> Bool { POSIX.exists(path) }
