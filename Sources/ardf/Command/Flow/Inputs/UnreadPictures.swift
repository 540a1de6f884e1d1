import AppCore
import FileFormats

/// Pictures whose format is not supported, and films, in a folder or among several sources: the command processes the
/// others and fails at its end, naming these.
///
/// Other files beside pictures, such as texts, are ignored.
enum UnreadPictures {
  /// The paths of the pictures and films left out of a folder; a film of a picture's name is a live photograph's.
  static func names(of source: any CaptureSource) -> [String] {
    guard source.layout == .images else { return [] }
    let pictures = NameSet(source.frames.map { fileStem($0.name, endings: pictureEndings) })
    return source.skipped.map(\.name).filter { name in
      hasUnreadPictureEnding(name)
        || isFilm("\(source.path)/\(name)") && !pictures.contains(fileStem(name))
    }.map { "\(source.path)/\($0)" }
  }

  /// Whether a file is a film, and not a picture that moves.
  static func isFilm(_ path: String) -> Bool {
    guard case .film? = StreamSource(path) else { return false }
    return !hasUnreadPictureEnding(path)
  }

  /// - Throws: `CommandError.overBudget`, which names them.
  static func check(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    let films = names.filter(isFilm)
    let pictures = names.filter { !isFilm($0) }
    var parts: [String] = []
    if !pictures.isEmpty {
      parts.append(
        "\(counted(pictures.count, "picture is", "pictures are")) of a kind that is not read; the others are done: "
          + named(pictures) + "; convert to JPEG or PNG what you need")
    }
    if !films.isEmpty {
      parts.append(
        "\(counted(films.count, "film is", "films are")) left out; the pictures are done: \(named(films)); "
          + "a film goes alone: ardf detect \(shellWord(films[0])) --out film")
    }
    throw CommandError.overBudget(parts.joined(separator: ". "))
  }

  /// Why such a picture or film is left out.
  static func reason(_ path: String) -> String {
    isFilm(path)
      ? "is a film, which goes alone" : "of a kind that is not read; convert it to JPEG or PNG"
  }

  private static func named(_ names: [String]) -> String {
    names.prefix(mostNamed).joined(separator: ", ")
      + (names.count > mostNamed ? " and \(names.count - mostNamed) more" : "")
  }

  private static let mostNamed = 20
}
