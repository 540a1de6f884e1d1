import AppCore
import FileFormats
import Imaging

/// Several paths that were given, by the rule for what lies in a folder: what is neither a picture nor a capture is left
/// out, and named.
///
/// `folder/*` is read as `folder` is, whether a shell expands it or this program does.
struct GivenSources {
  /// Pictures, captures and folders; what is missing is among them, and fails as such.
  private(set) var kept: [String] = []
  /// Pictures of kinds that are not read, and films.
  private(set) var unread: [String] = []
  /// Files of other kinds.
  private(set) var others: [String] = []
  /// Whether the others of several sources are done where one is bad.
  let areSeveral: Bool

  /// - Parameters:
  ///   - paths: What was given, without patterns.
  ///   - open: Opens a source.
  init(_ paths: [String], open: (String) throws -> any CaptureSource) {
    guard paths.count > 1 else {
      (kept, areSeveral) = (paths, false)
      return
    }
    var folders = Folders(paths)
    let joined = folders.joined(paths, open)
    areSeveral = joined.count > 1
    guard areSeveral else {
      kept = joined
      return
    }
    for path in joined {
      switch Kind(of: path, &folders, open) {
      case .source: kept.append(path)
      case .unread: unread.append(path)
      case .other: others.append(path)
      }
    }
  }

  private enum Kind {
    case source, unread, other

    init(of path: String, _ folders: inout Folders, _ open: (String) throws -> any CaptureSource) {
      let name = lastComponent(path)
      guard pathKind(path) == .file, !CaptureReader.isSourceFile(name) else {
        self = .source
        return
      }
      let format = (try? FileBytes(path: path)).flatMap { bytes in
        ImageFormat(sniffing: bytes.slice(0..<min(bytes.count, 512)).array())
      }
      if hasUnreadPictureEnding(name) {
        // Raw pictures have the form of TIFF.
        self = format == nil || format == .tiff ? .unread : .source
      } else if UnreadPictures.isFilm(path) {
        self = .unread
      } else if hasEnding(name, ".json") {
        self = folders.isCapture(AtomicOutputs.split(path).folder, open) ? .source : .other
      } else {
        self = format == nil ? .other : .source
      }
    }
  }

  /// The folders in which the given paths lie.
  private struct Folders {
    private var names: NameTable<[String]> = [:]
    private var captures: NameTable<Bool> = [:]

    init(_ paths: [String]) {
      for path in paths where pathKind(path) != nil {
        let (folder, name) = AtomicOutputs.split(path)
        names[folder, default: []].append(name)
      }
    }

    /// Whether a folder holds a capture, or what may be one; pictures alone do not count.
    mutating func isCapture(_ folder: String, _ open: (String) throws -> any CaptureSource) -> Bool {
      if let known = captures[folder] { return known }
      let found: Bool
      do {
        found = try open(folder).layout != .images
      } catch CaptureError.unrecognizedLayout {
        found = false
      } catch {
        found = true
      }
      captures[folder] = found
      return found
    }

    /// The paths, with a capture in the place of its files where all of them are given.
    ///
    /// Folders that are given are captures of their own, whatever lies beside them.
    func joined(_ paths: [String], _ open: (String) throws -> any CaptureSource) -> [String] {
      var whole: NameTable<Bool> = [:]
      for (folder, names) in names where names.count > 1 {
        let files = names.count { pathKind("\(folder)/\($0)") == .file }
        guard files > 1 else { continue }
        let given = NameSet(names)
        let all = ((try? folderNames(of: folder)) ?? []).filter { !$0.startsWithBytes(of: ".") }
        guard given.isSuperset(of: all), let source = try? open(folder), source.layout != .images else {
          continue
        }
        // Folders of native frames are captures by themselves, and pictures beside them were named.
        guard source.layout != .native || files == names.count else { continue }
        whole[folder] = false
      }
      guard !whole.isEmpty else { return paths }
      var joined: [String] = []
      for path in paths {
        let folder = AtomicOutputs.split(path).folder
        guard pathKind(path) != nil, let isThere = whole[folder] else {
          joined.append(path)
          continue
        }
        if !isThere { joined.append(folder) }
        whole[folder] = true
      }
      return joined
    }
  }
}
