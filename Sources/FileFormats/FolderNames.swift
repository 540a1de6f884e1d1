/// The names in a folder, sorted; hidden ones too.
///
/// Unlike Foundation's listing, one that fails half-way is an error, not a shorter list.
package func folderNames(of path: String) throws(FileError) -> [String] { try POSIX.entries(of: path) }
