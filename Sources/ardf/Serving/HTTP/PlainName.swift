/// Names that stay where they are put.
package enum PlainName {
  /// Bytes of a name.
  package static let longest = 200

  /// Whether a name is one component of a path that leads nowhere else: not hidden, without slashes and control
  /// characters.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= longest
      && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.utf8.contains(UInt8(ascii: "\\")) && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}
