import ArgumentParser
import FileFormats

/// Names of files to write: none says another format than the file has.
enum OutputName {
  /// Endings of names of text.
  static let ofText: Set = ["csv", "json", "jsonl", "yaml", "yml", "txt", "md", "log"]
  /// Endings of names of other files.
  static let ofFiles: Set = [
    "jpg", "jpeg", "png", "webp", "heic", "tif", "tiff", "bmp", "gif", "svg", "mp4", "mov", "mkv", "avi",
    "webm",
    "npy", "npz", "pfm", "ply", "glb", "usda", "usdz", "html", "pdf", "zip", "safetensors", "pt", "pth",
    "onnx",
  ]

  /// The ending of a path's last name, in lowercase and without its dot; nil without one.
  static func ending(of path: String) -> String? {
    let name = lastComponent(path)
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
  }

  /// Refuses a name with the ending of another format; one without a known ending is taken.
  ///
  /// - Parameters:
  ///   - path: The value of the option.
  ///   - ending: That of the format that is written, without its dot.
  ///   - option: The option, for the message.
  /// - Throws: `ValidationError`.
  static func check(_ path: String, is ending: String, option: String = "--out") throws {
    guard let found = Self.ending(of: path), found != ending,
      ofText.contains(found) || ofFiles.contains(found)
    else { return }
    throw ValidationError(
      "\(option) \(path): a .\(ending) file is written; give a name that ends in .\(ending)")
  }
}
