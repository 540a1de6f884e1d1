import FileFormats

/// The kind of capture in a folder, judged by the names in it alone.
enum RecognizedLayout {
  /// One capture of a format.
  case capture(any CaptureFormat.Type)
  /// Folders that are native frames.
  case frameFolders([String])
  case pictures([String])
  /// Captures that are not parts of each other, in folders of these names, and maybe pictures.
  case collection([String])
  case nothing

  init(of folder: CaptureFolder) throws(CaptureError) {
    let names = try folder.names()
    if let format = CaptureFormats.format(of: folder, names) {
      self = .capture(format)
      return
    }
    let frames = names.filter { folder.hasFile("\($0)/\(NativeCapture.frameFile)") }
    let pictures = names.filter(hasPictureEnding)
    // Pictures next to frames, or in folders of their own, may be thumbnails.
    let isKnown = NameSet(frames + pictures)
    let others = names.filter {
      !isKnown.contains($0) && Self.holdsCapture("\(folder.path)/\($0)", folder.limits)
    }
    if !others.isEmpty, !isKnown.isEmpty {
      self = .collection((frames + others).sortedNaturally())
    } else if !frames.isEmpty {
      self = .frameFolders(frames)
    } else {
      self = pictures.isEmpty ? .nothing : .pictures(pictures)
    }
  }

  /// Whether a path is a folder that holds a capture of any kind but pictures.
  private static func holdsCapture(_ path: String, _ limits: CaptureLimits) -> Bool {
    guard let folder = try? CaptureFolder(path: path, limits: limits), let names = try? folder.names() else {
      return false
    }
    return CaptureFormats.format(of: folder, names) != nil
      || names.contains { folder.hasFile("\($0)/\(NativeCapture.frameFile)") }
  }
}
