/// Facts on a checkpoint beyond its contents.
package struct ConversionHints {
  /// Where it lies; nil of one in memory.
  let path: String?
  /// The greatest depth that the user gives, meters.
  let maxDepth: Double?

  /// The last parts of its path, in lower case.
  func name(parts: Int) -> String {
    (path ?? "").lowercased().split(separator: "/").suffix(parts).joined(separator: "/")
  }
}
