import FileFormats
import FoundationEssentials
import Models
import NNRuntime

/// Where weight files are found: a file given, else `./weights`, else the folder that `$ARDF_WEIGHTS` names.
enum WeightFiles {
  static let variable = "ARDF_WEIGHTS"
  /// The default network first, then the others by accuracy.
  private static let variants = ["l", "x", "m", "s", "n"]
  /// The published checkpoint, wherever it lies, comes before the one trained here.
  private static let publishedDepth = [
    "depth_anything_v2_vits.safetensors", "depth-anything-v2-small.safetensors",
  ]
  private static let ownDepth = "dav2s-ardf-fp16.safetensors"
  private static let folders =
    ["weights"] + (ProcessInfo.processInfo.environment[variable].map { [$0] } ?? [])

  private static var order: String {
    "looked in ./weights and \(folders.count > 1 ? folders[1] : "$\(variable), which is not set")"
  }

  /// The detector's weights: a file, a network's name, or by default the first there is.
  static func detector(_ given: String?) throws -> String {
    if let given {
      guard let variant = variant(named: given), !exists(given) else {
        guard exists(given) || given.contains(".") || given.contains("/") else {
          throw CommandError.noWeights(
            "\(given): no such file, and no network; the networks are "
              + variants.map { "yolo11\($0)-seg" }.joined(separator: ", "))
        }
        return given
      }
      if let found = first(of: names(variant)) { return found }
      throw missing(given, names(variant), what: "--yolo FILE")
    }
    let all = variants.flatMap(names)
    if let found = first(of: all) { return found }
    throw missing("weights of a YOLO11-seg network", all, what: "--yolo FILE")
  }

  /// The depth network's weights; nil where none were given and none are found.
  ///
  /// A published `.pth` that was only put there is converted beside itself on its first use.
  static func depth(_ given: String?) throws -> String? {
    if let found = given ?? first(of: publishedDepth) { return found }
    guard let checkpoint = first(of: ["depth_anything_v2_vits.pth"]) else { return first(of: [ownDepth]) }
    let converted = checkpoint.replacing(".pth", with: ".safetensors")
    let weights = try CheckpointConverter.read(checkpoint)
    try OutputError.mapping { () throws(FileError) in
      try SafetensorsWriter.write(weights.tensors, metadata: weights.metadata, to: converted, overwrite: true)
    }
    Console.note("\(checkpoint) converted to \(converted)")
    return converted
  }

  /// As `depth`, for commands that cannot go on without.
  static func requiredDepth(_ given: String?) throws -> String {
    if let found = try depth(given) { return found }
    throw missing("weights of Depth Anything V2 Small", publishedDepth + [ownDepth], what: "--depth FILE")
  }

  /// Both spellings are one name.
  private static func names(_ variant: String) -> [String] {
    ["yolo11\(variant)-seg.safetensors", "yolo11\(variant)_seg.safetensors"]
  }

  private static func variant(named name: String) -> String? {
    let name = name.replacing("_", with: "-")
    return variants.first { name == "yolo11\($0)-seg" }
  }

  private static func first(of names: [String]) -> String? {
    for folder in folders {
      for name in names where exists("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  /// A checkpoint that only needs converting is worth naming.
  private static func missing(_ name: String, _ names: [String], what: String) -> CommandError {
    let checkpoints = names.flatMap { name in
      [".pt", ".pth"].map { name.replacing(".safetensors", with: $0) }
    }
    if let checkpoint = first(of: checkpoints), let dot = checkpoint.lastIndex(of: ".") {
      return .noWeights(
        "\(checkpoint) must be converted first: ardf convert \(shellWord(checkpoint)) "
          + shellWord("\(checkpoint[..<dot]).safetensors"))
    }
    return .noWeights(
      "\(name): not found (\(order)); give \(what), which ardf convert makes from a published checkpoint")
  }

  private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
