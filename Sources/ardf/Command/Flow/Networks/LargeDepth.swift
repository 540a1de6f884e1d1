import FileFormats

/// A Depth Anything V2 network larger than Small, whose weights may not be used commercially and are not fetched.
struct LargeDepth {
  private let size: String

  /// nil for any other name.
  init?(_ name: String) {
    let name = fileStem(name.lowercased().replacing("_", with: "-"), endings: [".pth", ".safetensors"])
    guard name.hasPrefix("depth-anything-v2"),
      let size = [
        "base": "Base", "vitb": "Base", "large": "Large", "vitl": "Large", "giant": "Giant", "vitg": "Giant",
      ]
      .first(where: { name.split(separator: "-").contains(Substring($0.key)) })?.value
    else { return nil }
    self.size = size
  }

  /// The remedy.
  var answer: String {
    size == "Giant"
      ? "Depth Anything V2 Giant is not published; ardf weights get depth_anything_v2_vits fetches Small"
      : "Depth Anything V2 \(size) is licensed CC-BY-NC-4.0 and not fetched; ardf convert takes its file, and "
        + "ardf weights get depth_anything_v2_vits fetches Small"
  }
}
