import AppCore
import FileFormats

/// Sources without those that are given twice, by whatever names and links: each is done once, so that no object is in the
/// results twice.
struct DistinctSources {
  let kept: [any CaptureSource]

  /// Says which are left out.
  init(_ sources: [any CaptureSource]) {
    let places = sources.map { Self.place(of: $0.path) }
    var first = NameTable<String>()
    // Frames of folders that are given too, by the folders' places.
    var frames = NameTable<NameSet>()
    for (source, place) in zip(sources, places) where sources.count > 1 && pathKind(source.path) == .folder {
      frames[place] = NameSet(source.frames.map(\.name))
    }
    var kept: [any CaptureSource] = []
    for (source, place) in zip(sources, places) {
      let (folder, name) = AtomicOutputs.split(place)
      if let other = first[place] {
        Console.note(
          "\(source.path): is given twice\(other == source.path ? "" : " (\(other))"); it is done once")
      } else if frames[folder]?.contains(name) == true {
        Console.note("\(source.path): lies in \(folder), which is given too; it is done once")
      } else {
        first[place] = source.path
        kept.append(source)
      }
    }
    self.kept = kept
  }

  /// The path of a source without links to folders; a link to a file keeps its name, which results go by.
  private static func place(of path: String) -> String {
    if pathKind(path) == .folder, let resolved = POSIX.resolved(path) { return resolved }
    let (folder, name) = AtomicOutputs.split(path)
    guard let resolved = POSIX.resolved(folder), fileExists(path) else { return path }
    return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
  }
}
