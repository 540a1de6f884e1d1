import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder of the user's own effects: `smoke.mov`, `love.webm`, or a folder `aurora` of PNG files.
///
/// Names are those of the effects, whatever their case, `-` and `_`; files of other names are left alone.
package struct AssetFolder: Sendable {
  /// Endings of films.
  static let films = ["mov", "mp4", "webm", "mkv", "avi", "gif", "apng"]

  private struct Asset {
    let path: String
    let isFolder: Bool
  }
  private let assets: [EffectType: Asset]

  /// Lists the folder.
  ///
  /// - Throws: `MediaError.file` if it cannot be listed.
  package init(_ folder: String) throws(MediaError) {
    let names: [String]
    do {
      names = try folderNames(of: folder)
    } catch {
      throw .file(error)
    }
    var assets: [EffectType: Asset] = [:]
    for name in names {
      let path = "\(folder)/\(name)"
      var isFolder = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
      let dot = name.lastIndex(of: ".")
      let stem = isFolder ? name : dot.map { String(name[..<$0]) } ?? name
      let ending = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
      guard let type = EffectType(name: stem), !type.isDebug, assets[type] == nil,
        isFolder || Self.films.contains(ending)
      else { continue }
      assets[type] = Asset(path: path, isFolder: isFolder)
    }
    self.assets = assets
  }

  /// The effects that it has something for.
  package var effects: [EffectType] { assets.keys.sorted { $0.rawValue < $1.rawValue } }

  /// The films of those of `types` that it has something for; videos need the user's `ffmpeg`.
  ///
  /// - Throws: `MediaError`.
  package func films(of types: Set<EffectType>, ffmpeg path: String? = nil) throws(MediaError)
    -> [EffectType: any EffectFilm]
  {
    var films: [EffectType: any EffectFilm] = [:]
    for type in types {
      guard let asset = assets[type] else { continue }
      films[type] =
        asset.isFolder
        ? try PictureFilm(folder: asset.path)
        : try PictureFilm(video: asset.path, ffmpeg: try FFmpeg(path: path))
    }
    return films
  }
}
