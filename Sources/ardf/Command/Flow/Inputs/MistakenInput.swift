import FileFormats
import Imaging
import Models
import NNVerification

/// Files given in place of others: the error names the kind of the file, and what to give instead.
enum MistakenInput {
  private static let weightEndings = [".safetensors", ".pt", ".pth", ".ckpt", ".onnx"]

  /// The weights that messages ask for.
  static let weights = "a .safetensors, .pt, .pth or .onnx file, or a name such as yolo11n-seg"

  /// Whether a file's name is that of weights or a network.
  static func isNetwork(_ path: String) -> Bool { weightEndings.contains { hasEnding(path, $0) } }

  /// Refuses a picture or another known kind of file where weights or a network are needed.
  ///
  /// A text with a name of weights is damaged weights.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - wanted: What to give instead.
  /// - Throws: `CommandError.input`.
  static func refuseAsWeights(_ path: String, give wanted: String = weights) throws {
    guard pathKind(path) == .file, let kind = FileKind(of: path),
      kind != .text || !isNetwork(path)
    else { return }
    throw CommandError.input("\(path): is \(kind.name), and holds no weights; give \(wanted)")
  }

  /// Refuses a picture, a film or a document where a file of numbers is needed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - wanted: What to give instead.
  ///   - taken: Further kinds that are taken.
  /// - Throws: `CommandError.input`.
  static func refusePicture(_ path: String, give wanted: String, taking taken: Set<FileKind> = []) throws {
    guard pathKind(path) == .file, let kind = FileKind(of: path),
      !taken.union([.json, .array, .arrays]).contains(kind)
    else { return }
    throw CommandError.input("\(path): is \(kind.name); give \(wanted)")
  }

  /// The tensors of a reference; a picture is refused.
  ///
  /// - Throws: `CommandError.input`, and the errors of `ReferenceFile`.
  static func reference(
    _ path: String,
    give wanted: String =
      "recorded tensors (.safetensors, .npz), as tools/reference/make-reference.py writes them"
  ) throws -> ReferenceFile {
    try refusePicture(path, give: wanted)
    return try ReferenceFile(path: path)
  }

  /// Refuses weights, a page, an empty folder, and the number of a camera where pictures or a capture are needed.
  ///
  /// - Throws: `CommandError.input`, `CommandError.missing`.
  static func refuseAsSource(_ path: String) throws {
    switch pathKind(path) {
    case .file:
      guard !hasEnding(path, ".html") else {
        throw CommandError.input(
          "\(path): is a page: open it in a browser; what it shows is read from the capture that it was made from"
        )
      }
      guard isNetwork(path) else { return }
      throw CommandError.input(
        "\(path): holds a network, not pictures; weights follow --yolo or --depth, and a picture, a film or a capture "
          + "stands by itself")
    case .folder:
      guard let names = try? folderNames(of: path), names.isEmpty else { return }
      throw CommandError.input("\(path): the folder is empty; give pictures (\(pictureFormats)) or a capture")
    case nil:
      guard path == "webcam" || path.wholeMatch(of: /[0-9]/) != nil else { return }
      let device = path == "webcam" ? "0" : path
      throw CommandError.missing(
        "\(path): no such file or folder; a camera is given as its device, /dev/video\(device)")
    case .pipe, .characterDevice, .other: return
    }
  }

  /// Refuses weights among several sources where none were given by their option, and says what to write.
  ///
  /// - Parameters:
  ///   - sources: What stands in the place of pictures.
  ///   - verb: The command.
  ///   - option: The option that takes the command's weights.
  ///   - given: Its value.
  /// - Throws: `CommandError.input`.
  static func refuseWeights(among sources: [String], verb: String, option: String, given: String?) throws {
    guard given == nil, sources.count > 1 else { return }
    for (place, source) in sources.enumerated() {
      let isFile = pathKind(source) == .file && isNetwork(source)
      let isName =
        !fileExists(source) && PublishedWeights.named(fileStem(source, endings: [".pt", ".pth"])) != nil
      guard isFile || isName else { continue }
      let pictures = (sources[..<place] + sources[(place + 1)...]).map(shellWord)
      let shown = pictures.prefix(2).joined(separator: " ") + (pictures.count > 2 ? " ..." : "")
      throw CommandError.input(
        "\(source): \(isFile ? "holds a network, not pictures" : "is the name of a network, not a picture"); weights follow "
          + "an option: ardf \(verb) \(shown) \(isDepth(source) ? "--depth" : option) \(shellWord(source))")
    }
  }

  /// Whether a name or a weight file is that of a depth network, as far as that is known without a conversion.
  private static func isDepth(_ weights: String) -> Bool {
    if let network = PublishedWeights.named(fileStem(weights, endings: [".pt", ".pth"])) {
      return network.isDepth
    }
    guard hasEnding(weights, ".safetensors"),
      let read = try? NetworkWeights(GivenPath(weights), allowNonFinite: true)
    else { return false }
    if case .depth = read.task { return true }
    return false
  }
}
