/// What a folder is, judged by the names in it alone.
enum RecognisedLayout {
  /// `frame.json`.
  case nativeFrame
  /// `index.jsonl` with `messages.bin`.
  case recordedClip
  case transforms
  case strayScanner
  case tum
  case polycam
  case arKitScenes
  case redwood
  /// `NNNNN.json` with `NNNNN_rgb.jpg`.
  case clip(stems: [String])
  /// `frame_NNNNN.json`.
  case scannerApp(numbers: [String])
  /// `NNNNNN.json` of the native layout.
  case numberedFrames(stems: [String])
  /// Folders that are native frames.
  case frameFolders([String])
  case pictures([String])
  /// Captures that are not parts of each other, in folders of these names, and maybe pictures.
  case collection([String])
  case nothing

  init(of folder: CaptureFolder) throws(CaptureError) {
    let names = try folder.names()
    if let layout = Self.ofOneCapture(folder, names) {
      self = layout
      return
    }
    let frames = names.filter { folder.hasFile("\($0)/\(NativeCapture.frameFile)") }
    let pictures = names.filter(PlainImages.isPicture)
    // Pictures beside frames, or in folders of their own, may be anybody's thumbnails.
    let isKnown = Set(frames + pictures)
    let others = names.filter {
      !isKnown.contains($0) && Self.holdsCapture("\(folder.path)/\($0)", folder.limits)
    }
    if !others.isEmpty, !isKnown.isEmpty {
      self = .collection((frames + others).sorted())
    } else if !frames.isEmpty {
      self = .frameFolders(frames)
    } else {
      self = pictures.isEmpty ? .nothing : .pictures(pictures)
    }
  }

  /// The layouts that files or folders of fixed names tell.
  private static func ofOneCapture(_ folder: CaptureFolder, _ names: [String]) -> RecognisedLayout? {
    let present = Set(names)
    if present.contains(NativeCapture.frameFile) { return .nativeFrame }
    if present.isSuperset(of: [RecordedClip.indexFile, RecordedClip.messagesFile]) { return .recordedClip }
    if present.contains(TransformsFile.name) { return .transforms }
    if present.isSuperset(of: [StrayScannerFolder.odometry, StrayScannerFolder.cameraMatrix]) {
      return .strayScanner
    }
    if present.isSuperset(of: [TUMSequence.pictures, TUMSequence.depths]) { return .tum }
    if folder.hasSubfolder(PolycamFolder.keyframes) { return .polycam }
    if folder.hasSubfolder(ARKitScenesFolder.pictures) { return .arKitScenes }
    if folder.hasSubfolder(RedwoodSequence.depthFolder),
      RedwoodSequence.pictureFolders.contains(where: folder.hasSubfolder)
    {
      return .redwood
    }
    let stems = names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
    let numbered = stems.filter(isNumber)
    if numbered.contains(where: { present.contains(ClipFolder.picture($0)) }) {
      return .clip(stems: numbered)
    }
    let scans = stems.filter { $0.hasPrefix("frame_") }.map { String($0.dropFirst("frame_".count)) }
    if scans.contains(where: isNumber) { return .scannerApp(numbers: scans.filter(isNumber)) }
    return numbered.isEmpty ? nil : .numberedFrames(stems: numbered)
  }

  /// Whether a path is a folder that holds a capture of any kind but pictures.
  private static func holdsCapture(_ path: String, _ limits: CaptureLimits) -> Bool {
    guard let folder = try? CaptureFolder(path: path, limits: limits), let names = try? folder.names() else {
      return false
    }
    return ofOneCapture(folder, names) != nil
      || names.contains { folder.hasFile("\($0)/\(NativeCapture.frameFile)") }
  }

  private static func isNumber(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
