/// The remedies that messages give.
public enum Remedies {
  private static let verbs: Set = [
    "add", "ask", "check", "choose", "compute", "convert", "copy", "correct", "crop", "decompress",
    "download", "export",
    "fetch", "free", "gather", "give", "install", "leave", "let", "listen", "look", "lower", "make", "mend",
    "name", "open",
    "pack", "pair", "pass", "place", "plan", "put", "quantize", "raise", "record", "remove", "rename",
    "replace", "run",
    "save",
    "say", "send", "set", "split", "start", "state", "store", "take", "tap", "trace", "tune", "undistort",
    "unpack", "use",
    "write",
  ]

  /// Finds the parts of a message that begin with what to do.
  ///
  /// - Parameter message: The message.
  /// - Returns: The parts, in order.
  public static func found(in message: String) -> [String] {
    message.split { ";:".contains($0) }.map { $0.drop { $0 == " " } }
      .filter { verbs.contains($0.split { !$0.isLetter }.first.map(String.init) ?? "") }.map(String.init)
  }

  /// Tells whether a message says what is right in place of what was found.
  ///
  /// - Parameter message: The message.
  /// - Returns: Whether it does.
  public static func saysWhatIsRight(_ message: String) -> Bool {
    ["must ", "expected "].contains(where: message.contains)
  }
}
