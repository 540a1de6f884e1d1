import FileFormats

/// A `.npz` file: named NumPy arrays in a zip archive.
package struct NPZArchive: Sendable {
  /// How many times its compressed bytes an array may have, beyond `smallBytes`.
  package static let largestRatio = 64
  /// Bytes that an array may unpack to whatever it was compressed to.
  package static let smallBytes = 32 << 20
  /// Bytes before an array's elements, at most, and of its widest elements.
  private static let (headerBytes, elementBytes) = (NPYHeader.maximumLength + 12, 8)

  /// The arrays' names, sorted.
  package let names: [String]

  private let archive: ZipArchive

  /// Opens the file at `path`.
  ///
  /// - Throws: `FileError` or `ZipError`.
  package init(path: String) throws { self.init(try ZipArchive(path: path)) }

  /// Opens a file held in memory.
  package init(bytes: [UInt8]) throws(ZipError) { self.init(try ZipArchive(FileBytes(bytes))) }

  private init(_ archive: ZipArchive) {
    self.archive = archive
    names = archive.members.map(\.name).filter { $0.hasSuffix(".npy") }.map { String($0.dropLast(4)) }
      .sortedByBytes()
  }

  /// Whether there is an array of that name.
  package func contains(_ name: String) -> Bool { archive.contains(name + ".npy") }

  /// The array of that name, which is unpacked only if it is not larger than can be.
  ///
  /// `most`: The most elements that are of use.
  ///
  /// - Throws: `ZipError` or `NPYError`.
  package func array(named name: String, atMost most: Int = .max) throws -> NPYArray {
    guard contains(name) else { throw NPYError.noSuchArray(name, available: names) }
    let member = try archive.member(name + ".npy")
    let (needed, overflow) = most.multipliedReportingOverflow(by: Self.elementBytes)
    let limit = min(
      Self.smallBytes + Self.largestRatio * member.dataRange.count,
      overflow ? .max : needed + Self.headerBytes)
    guard member.unpackedBytes <= limit else {
      throw NPYError.unpacksTooLarge(name, bytes: member.size, limit: limit)
    }
    return try NPYArray.read(archive.contents(of: member))
  }

  /// The `.npz` file of `arrays`, names sorted, members stored.
  package static func encoded(_ arrays: some Sequence<(key: String, value: NPYArray)>) -> [UInt8] {
    ZipWriter.archive(
      arrays.sorted { ByteName($0.key) < ByteName($1.key) }.map {
        (name: $0.key + ".npy", bytes: $0.value.encoded())
      })
  }

  /// Writes `arrays` as a `.npz` file, whole or not at all.
  package static func write(
    _ arrays: some Sequence<(key: String, value: NPYArray)>, path: String, overwrite: Bool
  ) throws(FileError) {
    try AtomicFile.write(encoded(arrays), to: path, overwrite: overwrite)
  }
}
