/// File names that are safe to use in a folder.
package enum PlainName {
  /// Most bytes of a name.
  package static let longest = 200

  /// Whether a name is one path component that cannot leave its folder: not hidden, without slashes and control
  /// characters.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= longest
      && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.utf8.contains(UInt8(ascii: "\\")) && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}
