import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opens captures of every known layout.
public enum CaptureReader {
  /// Opens a capture, recognizing its layout by what the path holds.
  ///
  /// A folder may hold a capture of any `CaptureLayout`, folders of native frames, or pictures. A file may be a
  /// picture, an archive (`.zip`, `.whl`) of any of these, a recording of Record3D (`.r3d`) or ROS 2 (`.mcap`, `.db3`), or
  /// the metadata of one frame of a folder, which then is the only frame. Topics of a recording of ROS 2 may be named after
  /// it: `robot.mcap:/front`. A folder of several captures is refused. What a `.zip` holds is unpacked
  /// into the folder for temporary files (`TMPDIR`), and gone with the capture.
  ///
  /// - Parameters:
  ///   - path: The file or folder.
  ///   - limits: What it may cost.
  ///   - photographs: Where the cameras of plain pictures come from; nil for none.
  /// - Returns: The capture, of whose files only indices have been read.
  /// - Throws: `CaptureError`.
  public static func open(
    _ path: String, limits: CaptureLimits = CaptureLimits(), photographs: PhotographCamera? = nil
  ) throws(CaptureError) -> any CaptureSource {
    if let bag = BagPath(path) { return try open(bag, path: path, limits) }
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .notFound(path: path)
    }
    return isFolder
      ? try open(folder: CaptureFolder(path: path, limits: limits), photographs)
      : try open(file: path, limits, photographs)
  }

  /// The link-free path of a regular file of a capture, which must lie inside its folder.
  ///
  /// - Throws: `CaptureError.nameEscapesCapture`, `.missingFile`, `.notARegularFile`, `.notFound`.
  public static func file(_ name: String, in path: String) throws(CaptureError) -> String {
    try CaptureFolder(path: path, limits: CaptureLimits()).location(of: name, namedBy: name, limit: .max)
  }

  private static func open(
    folder: CaptureFolder, _ photographs: PhotographCamera?
  ) throws(CaptureError) -> any CaptureSource {
    switch try RecognizedLayout(of: folder) {
    case .capture(let format): return try format.open(folder)
    case .frameFolders(let names):
      return try NativeCapture(
        sequence: folder, metadata: names.map { ($0, "\($0)/\(NativeCapture.frameFile)") })
    case .pictures(let names):
      return try PlainImages(folder, path: folder.path, names: names, camera: photographs)
    case .collection(let names): throw .severalCaptures(path: folder.path, names: names)
    case .nothing:
      // A folder of one recording stands for it, as the app's share sheet leaves it.
      let recordings = try folder.names().filter { name in
        ([recording] + BagRecording.endings).contains { hasEnding(name, $0) }
      }
      if recordings.count > 1 { throw .severalCaptures(path: folder.path, names: recordings) }
      if let name = recordings.first {
        return try open(file: "\(folder.path)/\(name)", folder.limits, photographs)
      }
      if let name = try folder.names().first(where: ForeignRecording.isCompressedBag) {
        throw .foreignLayout(path: "\(folder.path)/\(name)", layout: .compressedBag)
      }
      if folder.hasSubfolder(Record3DFiles.frames),
        Record3DFiles.lacksMetadata(
          try folder.names(in: Record3DFiles.frames).map { "\(Record3DFiles.frames)/\($0)" })
      {
        throw .foreignLayout(path: folder.path, layout: .record3DWithoutMetadata)
      }
      if SpectacularAI.recognizes(folder) {
        throw .foreignLayout(path: folder.path, layout: .spectacularAI)
      }
      throw .unrecognizedLayout(path: folder.path)
    }
  }

  /// Opens one picture with its depth, or a folder of pictures with a folder of their depths.
  ///
  /// - Parameters:
  ///   - image: A picture, or a folder of them.
  ///   - depth: u16 (PNG) or float32 meters (npy), covering the picture's whole field.
  ///   - confidence: 0, 1, 2 for each cell of the depth.
  ///   - camera: The camera of all pictures.
  ///   - depthUnit: meters of one unit of a PNG.
  ///   - limits: What it may cost.
  /// - Returns: The capture.
  /// - Throws: `CaptureError`.
  public static func open(
    image: String, depth: String, confidence: String? = nil, camera: StatedCamera, depthUnit: Double = 0.001,
    limits: CaptureLimits = CaptureLimits()
  ) throws(CaptureError) -> any CaptureSource {
    guard DepthUnitMeters.range.contains(depthUnit) else {
      throw .badField(file: depth, field: "depth unit", expected: DepthUnitMeters.expected)
    }
    let unit = DepthUnit(png: Float(depthUnit), npy: 1)
    var isFolder = false
    guard FileManager.default.fileExists(atPath: image, isDirectory: &isFolder), isFolder else {
      return try PlainShot(
        image: image, depth: depth, confidence: confidence, camera: camera, unit: unit, limits: limits)
    }
    return try PairedFolders(
      pictures: image, depths: depth, confidences: confidence, camera: camera, unit: unit, limits: limits)
  }

  private static func open(
    file path: String, _ limits: CaptureLimits, _ photographs: PhotographCamera?
  ) throws(CaptureError) -> any CaptureSource {
    let (parent, name) = AtomicOutputs.split(path)
    if hasEnding(name, recording) { return try Record3DCapture(archive: path, limits: limits) }
    if isBag(name) { return try BagCapture(files: [path], path: path, wanted: [], limits: limits) }
    if isArchive(name) {
      return try open(archive: path, limits, photographs)
    }
    if let foreign = ForeignRecording.layout(of: path) { throw .foreignLayout(path: path, layout: foreign) }
    if FilmKind.isFilm(path), !hasPictureEnding(name) { throw .film(file: path) }
    guard name.hasSuffix(".json") else {
      return try PlainImages(
        CaptureFolder(path: parent, limits: limits), path: path, names: [name], isSingleFile: true,
        camera: photographs)
    }
    let folder = try CaptureFolder(path: parent, limits: limits)
    let stem = String(name.dropLast(".json".count))
    let source = try open(folder: folder, photographs)
    let isWhole = [NativeCapture.frameFile, TransformsFile.name].contains(name)
    let position = source.frames.firstIndex { $0.name == stem }
    let defect = position.flatMap { source.defects[$0]?.description }
    guard isWhole || position != nil && defect == nil else {
      let reason =
        defect ?? source.skipped.first { $0.name == stem }?.reason ?? "it is not a frame of its folder"
      throw .noUsableFrame(path: path, firstReason: reason)
    }
    return isWhole ? source : OneFrame(of: source, named: stem, path: path)
  }

  /// A recording of ROS 2 of which topics are named.
  private static func open(
    _ bag: BagPath, path: String, _ limits: CaptureLimits
  ) throws(CaptureError) -> any CaptureSource {
    guard pathKind(bag.path) == .folder else {
      guard isBag(bag.path) else { throw .notFound(path: path) }
      return try BagCapture(files: [bag.path], path: path, wanted: bag.topics, limits: limits)
    }
    let folder = try CaptureFolder(path: bag.path, limits: limits)
    let names = try folder.names()
    guard BagFolder.recognizes(folder, names: NameSet(names)) else {
      guard names.filter(isBag).count == 1, let name = names.first(where: isBag) else {
        throw .notFound(path: path)
      }
      return try BagCapture(
        files: ["\(bag.path)/\(name)"], path: path, wanted: bag.topics, limits: limits)
    }
    return try BagFolder.open(folder, wanted: bag.topics, path: path)
  }

  /// A recorded clip is read from its archive; anything else is unpacked for as long as it is open.
  private static func open(
    archive path: String, _ limits: CaptureLimits, _ photographs: PhotographCamera?
  ) throws(CaptureError) -> any CaptureSource {
    var costs = CaptureArchive.Limits()
    (costs.fileBytes, costs.totalBytes) = (limits.frameFileBytes, limits.archivedClipBytes)
    let archive = try CaptureArchive(path: path, limits: costs)
    if archive.isClip { return try RecordedClip(archive: path, limits: limits) }
    if Record3DFiles.lacksMetadata(archive.files.map(\.name)) {
      throw .foreignLayout(path: path, layout: .record3DWithoutMetadata)
    }
    return try UnpackedCapture(archive) { inner throws(CaptureError) in
      // An archive in an archive may hold itself.
      guard !isArchive(inner) else { throw .unrecognizedLayout(path: inner) }
      return try open(inner, limits: limits, photographs: photographs)
    }
  }

  /// Whether a file of that name may be a source by itself: a picture, a recording, or an archive of a capture.
  package static func isSourceFile(_ name: String) -> Bool {
    hasPictureEnding(name) || isArchive(name) || isBag(name)
  }

  private static func isBag(_ name: String) -> Bool {
    BagRecording.endings.contains { hasEnding(name, $0) }
  }

  /// The file name ending of Record3D's recordings.
  private static let recording = ".r3d"
  private static let archive = ".zip"

  private static func isArchive(_ name: String) -> Bool {
    [archive, ".whl", recording].contains { hasEnding(name, $0) }
  }
}

/// One frame of a larger capture.
struct OneFrame: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let skipped: [SkippedFrame] = []
  var layout: CaptureLayout { whole.layout }
  var hasPoses: Bool { whole.hasPoses }
  var notes: [String] { whole.notes }

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

  func reading<Result>(_ step: (String) throws(CaptureError) -> Result) throws(CaptureError) -> Result {
    try whole.reading(step)
  }
}
