#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The capture of one frame that comes with the program.
enum DemoCapture {
  /// In an installation: PREFIX/share/ardf/captures/bedroom for PREFIX/bin/ardf; in a checkout: Examples/Captures/bedroom of
  /// the nearest folder above the program that has it.
  ///
  /// nil for a program that was copied without.
  static var path: String? {
    let folders = WeightFolders.program.dropLast()
    if folders.last == "bin" {
      let installed = path(folders.dropLast() + ["share", "ardf", "captures", "bedroom"])
      if isThere(installed) { return installed }
    }
    return folders.indices.reversed()
      .map { path(folders[..<$0] + ["Examples", "Captures", "bedroom"]) }
      .first(where: isThere)
  }

  private static func path(_ parts: ArraySlice<String>) -> String { "/" + parts.joined(separator: "/") }

  private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
