import AppCore
import FileFormats
import OutputFolders

/// The kinds of files that were given, or lie in a folder, where pictures or a capture are needed; and what to do with
/// each.
struct FileKinds {
  /// Most names or endings in a sentence.
  private static let mostNamed = 5
  /// Most folders that are looked into, and how deep.
  private static let (mostFolders, deepest) = (200, 4)
  private static let packed = [".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar"]

  private var pictures: [String] = []
  private var films: [String] = []
  private var networks: [String] = []
  private var archives: [String] = []
  private var others: [String] = []
  /// A folder below that holds pictures or captures.
  private var deeper: String?
  /// Whether ardf wrote the folder.
  private var isOurs = false

  /// The kinds of files and folders.
  init(_ paths: [String]) {
    for path in paths {
      if pathKind(path) == .folder {
        deeper = deeper ?? Self.source(below: path)
      } else if hasUnreadPictureEnding(path) {
        pictures.append(path)
      } else if UnreadPictures.isFilm(path) {
        films.append(path)
      } else if MistakenInput.isNetwork(path) || ForeignModel.recognized(path) != nil {
        networks.append(path)
      } else if Self.packed.contains(where: { hasEnding(path, $0) }) {
        archives.append(path)
      } else {
        others.append(path)
      }
    }
  }

  /// The kinds of what lies in a folder; hidden files do not count.
  init(in folder: String) {
    let names = ((try? folderNames(of: folder)) ?? []).filter { !$0.startsWithBytes(of: ".") }
    self.init(names.map { "\(folder)/\($0)" })
    isOurs = fileExists("\(folder)/\(OutputRecord.fileName)")
  }

  /// The kinds and what to do with each, in one sentence; empty where nothing is there.
  var sentence: String {
    if isOurs { return "results of ardf; give the capture or the pictures that they were made from" }
    var parts: [String] = []
    if let deeper { parts.append("pictures or captures lie deeper: give \(shellWord(deeper))") }
    if !pictures.isEmpty {
      parts.append(
        "\(Self.counts(pictures)): kinds of pictures that are not read; convert them to JPEG or PNG")
    }
    if let film = films.first {
      let more = films.count > 1 ? " (and \(films.count - 1) more)" : ""
      parts.append("\(film)\(more) is a film, which goes alone: ardf detect \(shellWord(film)) --out film")
    }
    if let network = networks.first {
      parts.append("\(network) holds a network; weights follow --yolo or --depth")
    }
    if let archive = archives.first { parts.append("\(archive) is packed: unpack it, and give its folder") }
    if !others.isEmpty { parts.append("\(Self.counts(others)): no pictures") }
    return parts.joined(separator: "; ")
  }

  /// The remedy for a folder in which nothing can be opened, to be appended to the error's message; empty for other errors.
  static func remedy(for error: any Error) -> String {
    guard case CaptureError.unrecognizedLayout(let path)? = error as? CaptureError,
      pathKind(path) == .folder
    else { return "" }
    let sentence = FileKinds(in: path).sentence
    return sentence.isEmpty ? "" : ". It holds: \(sentence)"
  }

  /// `2 .dng, 1 .svg`, the most frequent ending first; files without an ending by their names.
  private static func counts(_ paths: [String]) -> String {
    var counts: NameTable<Int> = [:]
    for path in paths { counts[ending(of: lastComponent(path)), default: 0] += 1 }
    let all = counts.keys.map { ($0, counts[$0] ?? 0) }
    let sorted = all.enumerated().sorted { ($1.element.1, $0.offset) < ($0.element.1, $1.offset) }
    let words = sorted.prefix(mostNamed).map { "\($0.element.1) \($0.element.0)" }
    return words.joined(separator: ", ") + (all.count > mostNamed ? ", ..." : "")
  }

  private static func ending(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return name[dot...].lowercased()
  }

  /// The nearest folder below in which pictures, archives or recordings lie.
  private static func source(below folder: String) -> String? {
    var level = [folder]
    var seen = 0
    for _ in 0..<deepest {
      var next: [String] = []
      for folder in level {
        seen += 1
        guard seen <= mostFolders, let all = try? folderNames(of: folder) else { continue }
        let names = all.filter { !$0.startsWithBytes(of: ".") }
        if names.contains(where: CaptureReader.isSourceFile) { return folder }
        next += names.map { "\(folder)/\($0)" }.filter { pathKind($0) == .folder }
      }
      level = next
    }
    return nil
  }
}
