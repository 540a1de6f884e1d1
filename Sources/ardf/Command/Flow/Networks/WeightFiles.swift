import FileFormats
import Models
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The weight files that a command reads: the file given, else the first found in `WeightFolders`.
enum WeightFiles {
  /// The default network first, then the others by accuracy.
  private static let variants = ["l", "x", "m", "s", "n"]
  /// The sizes of networks, the smallest first.
  private static let sizes = ["n", "s", "m", "l", "x"]
  /// The published checkpoint, wherever it lies, comes before the one trained here.
  private static let publishedDepth = [
    "depth_anything_v2_vits.safetensors", "depth-anything-v2-small.safetensors",
  ]
  private static let ownDepth = "dav2s-ardf-fp16.safetensors"
  /// The detector's weights: a file, a network's name, that of a weight file in `WeightFolders`, or by default the
  /// first there is.
  ///
  /// - `others`: further names to mention in the error.
  static func detector(_ given: String?, others: String = "") throws -> GivenPath {
    if let given {
      guard let network = RecognizedNetwork.published(named: fileStem(given, endings: [".pt"])),
        !exists(given), !given.contains("/")
      else {
        if let found = try named(given) { return found }
        guard exists(given) || given.contains(".") || given.contains("/") else {
          let near = EditDistance.nearest(
            to: given.lowercased(), among: PublishedWeights.all.flatMap(\.names), most: 1)
          throw CommandError.noWeights(
            "\(given): no such file, and no network; "
              + (near.isEmpty ? "" : "did you mean \(near.prefix(3).joined(separator: " or "))? ")
              + "the networks are " + RecognizedNetwork.publishedNames(sizes: sizes) + others)
        }
        return try file(given)
      }
      if let found = try converted(names(network), ".pt") { return found }
      throw missing(given, what: "their file", get: network)
    }
    if let found = try converted(variants.flatMap { names("yolo11\($0)-seg") }, ".pt") { return found }
    throw missing("weights of a YOLO11-seg network", what: "--yolo FILE", get: "yolo11n-seg")
  }

  /// The weights of a network of any kind: a file, a checkpoint, or a published network's name.
  static func network(_ given: String) throws -> GivenPath {
    try namedDepth(given)
      ?? detector(given, others: "; of depth " + PublishedWeights.depthNames.joined(separator: ", "))
  }

  /// The value of `--depth` for no depth network.
  static let noDepth = "none"

  /// The depth network's weights; nil where none were given and none are found, and where none are wanted.
  static func depth(_ given: String?) throws -> GivenPath? {
    guard let given else {
      return try converted(publishedDepth, ".pth") ?? first(of: [ownDepth]).map(GivenPath.init)
    }
    guard given != noDepth else { return nil }
    if let found = try namedDepth(given) ?? named(given) { return found }
    guard exists(given) || given.contains(".") || given.contains("/") else {
      throw CommandError.noWeights(
        "\(given): no such file, and no depth network; the networks are "
          + PublishedWeights.depthNames.joined(separator: ", ")
          + "; --depth \(noDepth) needs none")
    }
    return try file(given)
  }

  /// The weights of a depth network that is given by its name; nil for a file, and for any other name.
  private static func namedDepth(_ given: String) throws -> GivenPath? {
    // Hugging Face's names have a slash, and are not paths.
    let stem = hasEnding(given, ".pth") ? String(given.dropLast(4)) : given
    guard !exists(given), let network = PublishedWeights.named(stem), network.isDepth else { return nil }
    if let found = try converted(network.names.flatMap(names), ".pth") { return found }
    guard stem == given, let own = own(of: network) else {
      throw missing(given, what: "their file", get: network.name)
    }
    guard !network.isCheckpoint(given) else {
      throw missing(given, what: "ardf's own weights of this network, \(own)", get: network.name)
    }
    Console.note(
      "\(given): \(own) is ardf's own; the published weights, which are preferred: ardf weights get \(network.name)"
    )
    return GivenPath(own)
  }

  /// Whether a name is that of ardf's own weights.
  static func isOwn(_ name: String) -> Bool {
    "\(fileStem(name, endings: [".safetensors"])).safetensors" == ownDepth
  }

  /// Where ardf's own weights of a network lie; nil where there are none.
  private static func own(of network: PublishedWeights) -> String? {
    publishedDepth.contains("\(network.name).safetensors") ? first(of: [ownDepth]) : nil
  }

  /// As `depth`, for commands that require one.
  static func requiredDepth(_ given: String?) throws -> GivenPath {
    if let found = try depth(given) { return found }
    guard given != noDepth else {
      throw CommandError.usage("--depth none: nothing is left to do; give a depth network's weights")
    }
    throw missing("weights of Depth Anything V2 Small", what: "--depth FILE", get: "depth_anything_v2_vits")
  }

  /// The file names of a network, in both spellings.
  private static func names(_ network: String) -> [String] {
    ["\(network).safetensors", "\(network.replacing("-", with: "_")).safetensors"]
  }

  /// The first weight file of these names, or the first checkpoint that need only be converted.
  private static func converted(_ names: [String], _ ending: String) throws -> GivenPath? {
    if let found = first(of: names) { return GivenPath(found) }
    return try first(of: checkpoints(names, ending)).map(ConvertedWeights.of)
  }

  /// A weight file given by its path, converted where it is a checkpoint.
  private static func file(_ given: String) throws -> GivenPath {
    ConvertedWeights.isCheckpoint(given) ? try ConvertedWeights.of(given) : GivenPath(given)
  }

  private static func first(of names: [String]) -> String? {
    for folder in WeightFolders.all {
      for name in names where exists("\(folder)/\(name)") { return "\(folder)/\(name)" }
    }
    return nil
  }

  /// Where the weights of a name lie, or the checkpoint that is converted where it is used; nil where neither is there.
  static func found(_ network: PublishedWeights) -> String? {
    let files = network.names.flatMap(names)
    return first(of: files) ?? first(of: checkpoints(files, network.ending))
  }

  /// Where a weight file of any name lies among those that are looked for, by its name or its stem; nil for a path.
  static func named(_ name: String) throws -> GivenPath? {
    guard !exists(name), !name.contains("/") else { return nil }
    let file = "\(fileStem(name, endings: [".safetensors"])).safetensors"
    return try converted([file], ".pt") ?? converted([file], ".pth")
  }

  /// The file to convert: a path, or a published network's name, of which the checkpoint comes before weights made of it.
  static func checkpoint(_ given: String) throws -> String {
    guard !exists(given), !given.contains("/"),
      let network = PublishedWeights.named(fileStem(given, endings: [".pt", ".pth"]))
    else { return given }
    let files = network.names.flatMap(names)
    if let found = first(of: checkpoints(files, network.ending)) ?? first(of: files) { return found }
    throw missing(given, what: "their file", get: network.name)
  }

  private static func checkpoints(_ files: [String], _ ending: String) -> [String] {
    files.map { $0.replacing(".safetensors", with: ending) }
  }

  private static func missing(_ name: String, what: String, get: String) -> CommandError {
    .noWeights(
      "\(name): not found (looked in \(WeightFolders.text)); fetch them: ardf weights get \(get), or give \(what)"
    )
  }

  private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
