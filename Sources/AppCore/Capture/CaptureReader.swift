import FileFormats
import FoundationEssentials

/// Opens captures of every known layout.
public enum CaptureReader {
  /// Opens a capture, recognising its layout by what the path holds.
  ///
  /// A folder may hold a native frame or sequence, a clip in its unpacked or recorded form, an export of 3D
  /// Scanner App, Stray Scanner or Polycam, `transforms.json`, a sequence of TUM RGB-D, Redwood or ARKitScenes,
  /// or pictures. A file may be a picture, an archive (`.zip`, `.whl`) that holds a recorded clip, or
  /// the metadata of one frame of a folder, which then is the only frame.
  /// - Throws: `CaptureError`.
  public static func open(
    _ path: String, limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) -> any CaptureSource {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .notFound(path: path)
    }
    return isFolder
      ? try open(folder: CaptureFolder(path: path, limits: limits)) : try open(file: path, limits)
  }

  private static func open(folder: CaptureFolder) throws(CaptureError) -> any CaptureSource {
    let names = try folder.names()
    let present = Set(names)
    if present.contains(NativeCapture.frameFile) { return try NativeCapture(single: folder) }
    if present.contains(RecordedClip.indexFile), present.contains(RecordedClip.messagesFile) {
      return try recordedClip(folder)
    }
    if let source = try indexedCapture(folder, present) { return source }
    let stems = names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
    let numbered = stems.filter(isNumber)
    if numbered.contains(where: { present.contains(ClipFolder.picture($0)) }) {
      return try ClipFolder(folder, stems: numbered)
    }
    let scans = stems.filter { $0.hasPrefix("frame_") }.map { String($0.dropFirst("frame_".count)) }.filter(
      isNumber)
    if !scans.isEmpty { return try ScannerAppExport(folder, numbers: scans) }
    if !numbered.isEmpty {
      return try NativeCapture(sequence: folder, metadata: numbered.map { ($0, "\($0).json") })
    }
    let frameFolders = names.filter { folder.hasFile("\($0)/\(NativeCapture.frameFile)") }
    if !frameFolders.isEmpty {
      return try NativeCapture(
        sequence: folder, metadata: frameFolders.map { ($0, "\($0)/\(NativeCapture.frameFile)") })
    }
    let pictures = names.filter(PlainImages.isPicture)
    if !pictures.isEmpty { return try PlainImages(folder, path: folder.path, names: pictures) }
    throw .unrecognisedLayout(path: folder.path)
  }

  /// Opens one picture with its depth.
  ///
  /// - Parameters:
  ///   - depth: u16 millimetres (PNG) or float32 metres (npy), covering the picture's whole field.
  ///   - confidence: 0, 1, 2 for each cell of the depth.
  /// - Throws: `CaptureError`.
  public static func open(
    image: String, depth: String, confidence: String? = nil, camera: StatedCamera,
    limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) -> any CaptureSource {
    try PlainShot(image: image, depth: depth, confidence: confidence, camera: camera, limits: limits)
  }

  /// The layouts that list their frames in files of fixed names.
  private static func indexedCapture(
    _ folder: CaptureFolder, _ present: Set<String>
  ) throws(CaptureError) -> IndexedCapture? {
    if present.contains(TransformsFile.name) { return try TransformsFile.open(folder) }
    if present.isSuperset(of: [StrayScannerFolder.odometry, StrayScannerFolder.cameraMatrix]) {
      return try StrayScannerFolder.open(folder)
    }
    if present.isSuperset(of: [TUMSequence.pictures, TUMSequence.depths]) {
      return try TUMSequence.open(folder)
    }
    if folder.hasSubfolder(PolycamFolder.keyframes) { return try PolycamFolder.open(folder) }
    if folder.hasSubfolder(ARKitScenesFolder.pictures) { return try ARKitScenesFolder.open(folder) }
    if folder.hasSubfolder(RedwoodSequence.depthFolder),
      RedwoodSequence.pictureFolders.contains(where: folder.hasSubfolder)
    {
      return try RedwoodSequence.open(folder)
    }
    return nil
  }

  private static func open(file path: String, _ limits: CaptureLimits) throws(CaptureError)
    -> any CaptureSource
  {
    let (parent, name) = split(path)
    if name.hasSuffix(".zip") || name.hasSuffix(".whl") {
      return try RecordedClip(archive: path, limits: limits)
    }
    guard name.hasSuffix(".json") else {
      // A picture that the user names may be a link; only what lies inside captures must not lead out.
      let (parent, name) = split(URL(filePath: path).resolvingSymlinksInPath().path)
      return try PlainImages(
        CaptureFolder(path: parent, limits: limits), path: path, names: [name], isSingleFile: true)
    }
    let folder = try CaptureFolder(path: parent, limits: limits)
    let stem = String(name.dropLast(".json".count))
    let source = try open(folder: folder)
    let isWhole = [NativeCapture.frameFile, TransformsFile.name].contains(name)
    guard isWhole || source.frames.contains(where: { $0.name == stem }) else {
      let reason = source.skipped.first { $0.name == stem }?.reason ?? "it is no frame of its folder"
      throw .noUsableFrame(path: path, firstReason: reason)
    }
    return isWhole ? source : OneFrame(of: source, named: stem, path: path)
  }

  private static func recordedClip(_ folder: CaptureFolder) throws(CaptureError) -> RecordedClip {
    let (index, messages) = (RecordedClip.indexFile, RecordedClip.messagesFile)
    let located = try folder.location(of: messages, namedBy: index, limit: folder.limits.clipBytes)
    let data: FileBytes
    do {
      data = try FileBytes(path: located)
    } catch {
      throw .unreadable(file: messages, reason: error.description)
    }
    return try RecordedClip(
      path: folder.path, index: try folder.bytes(index, namedBy: index), messages: data, limits: folder.limits
    )
  }

  private static func isNumber(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let parent = path[..<slash]
    return (parent.isEmpty ? "/" : String(parent), String(path[path.index(after: slash)...]))
  }
}

/// One frame of a larger capture.
struct OneFrame: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let skipped: [SkippedFrame] = []
  var layout: CaptureLayout { whole.layout }

  private let whole: any CaptureSource
  private let position: Int

  /// - Precondition: the source has a frame of that name.
  init(of whole: any CaptureSource, named name: String, path: String) {
    guard let position = whole.frames.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("no frame \(name)")
    }
    self.whole = whole
    self.position = position
    self.path = path
    frames = [whole.frames[position]]
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    _ = try reference(at: index)
    return try whole.frame(at: position, decodingImage: decodingImage)
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    return try whole.encodedPicture(at: position)
  }
}
