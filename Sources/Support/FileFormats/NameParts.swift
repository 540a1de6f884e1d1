/// Endings of the pictures that are read.
package let pictureEndings = [
  ".jpg", ".jpeg", ".png", ".heic", ".heif", ".hif", ".avif", ".webp", ".tif", ".tiff", ".jp2", ".bmp",
  ".ppm", ".pgm",
  ".pnm",
]
/// The formats of pictures that are read, for people.
package let pictureFormats = "JPEG, PNG, HEIC, AVIF, WebP, TIFF, JPEG 2000, BMP, PNM"

/// The last component of a path.
package func lastComponent(_ path: String) -> String {
  var bytes = path.utf8[...]
  while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
  guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return String(Substring(bytes)) }
  return String(Substring(bytes[bytes.index(after: slash)...]))
}

/// The last component of a path without its last ending, whatever that is; a leading dot begins none.
package func fileStem(_ path: String) -> String {
  let name = lastComponent(path)
  guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
  return String(name[..<dot])
}

/// The last component of a path without its last ending if that is one of `endings`, in either case.
///
/// Names of captures' pictures often have a dot and no ending: `1305031102.175304`.
package func fileStem(_ path: String, endings: [String]) -> String {
  let name = lastComponent(path)
  guard let ending = endings.first(where: { hasEnding(name, $0) }), name.utf8.count > ending.utf8.count else {
    return name
  }
  return String(decoding: name.utf8.dropLast(ending.utf8.count), as: UTF8.self)
}

/// Whether a name ends in some ASCII text, in either case.
package func hasEnding(_ name: String, _ ending: String) -> Bool {
  func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
  return name.utf8.suffix(ending.utf8.count).map(lower).elementsEqual(ending.utf8.map(lower))
}

/// Endings of pictures that are not read.
private let unreadPictureEndings = [
  ".gif", ".jpe", ".jfif", ".mpo", ".jxl", ".j2k", ".jpx", ".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf",
  ".rw2", ".raf", ".pef", ".srw", ".tga", ".psd", ".exr", ".pbm", ".svg", ".ico", ".dcm",
]

/// Whether a name ends as a picture's that is not read.
package func hasUnreadPictureEnding(_ name: String) -> Bool {
  unreadPictureEndings.contains { hasEnding(name, $0) }
}

/// Whether a name ends as a picture's that is read.
package func hasPictureEnding(_ name: String) -> Bool { pictureEndings.contains { hasEnding(name, $0) } }

/// The id of a picture in predictions: the number in its name without ending, else that name.
///
/// `name`: The name of a file, or of a capture's frame.
package func pictureId(_ name: String) -> JSONValue {
  let stem = fileStem(name, endings: pictureEndings)
  let isNumber = stem.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  return (isNumber ? CheckedInt(stem) : nil).map(\.json) ?? .string(stem)
}

/// The ids of several pictures in predictions, each different: `pictureId`, or all of their `paths` where two would
/// share one.
package func pictureIds(_ names: [String], paths: [String]) -> [JSONValue] {
  let ids = names.map(pictureId)
  let count = NameSet(ids.map { $0.serialized() }).count
  return count == NameSet(paths).count ? ids : paths.map(JSONValue.string)
}
