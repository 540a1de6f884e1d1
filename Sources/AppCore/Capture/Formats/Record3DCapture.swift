import Archives
import FileFormats
import Geometry
import Imaging

/// A recording of the app Record3D as it is stored (`.r3d`): `metadata`, and for each frame `rgbd/N.jpg`, `rgbd/N.depth`
/// and of LiDAR `rgbd/N.conf`, the latter two compressed by LZFSE.
///
/// Depth is float32 or float16 meters, by rows. Poses are of the picture as stored, which the app turns as the phone was
/// held.
struct Record3DCapture: CaptureSource {
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .record3D }
  var path: String { files.path }
  var hasPoses: Bool { metadata.hasPoses }

  private let files: Record3DFiles
  private let metadata: Record3DMetadata
  private let numbers: [Int]

  /// LiDAR's depth has no more cells; the camera in front sees patterns of infrared with more.
  private static let mostLiDARCells = 256 * 192

  /// A recording in an archive.
  init(archive path: String, limits: CaptureLimits) throws(CaptureError) {
    try self.init(Record3DFiles(archive: path, limits: limits))
  }

  init(_ files: Record3DFiles) throws(CaptureError) {
    let limits = files.limits
    let json = try files.bytes(Record3DFiles.metadata, limit: limits.indexBytes)
    let metadata = try Record3DMetadata(json, limits: limits)
    var listing = SequenceListing(path: files.path, limits: limits)
    let count = max(metadata.frameCount ?? 0, Self.countedFrames(files))
    for number in 0..<min(count, limits.frames + 1) {
      try listing.add(name: "\(number)", file: "\(number)") { () throws(CaptureError) in
        guard files.has(Self.picture(number)) else {
          throw .missingFile(file: Record3DFiles.metadata, name: Self.picture(number))
        }
        _ = try metadata.pose(of: number)
        return metadata.time(of: number)
      }
    }
    try listing.finish()
    self.files = files
    self.metadata = metadata
    frames = listing.frames.map(\.reference)
    (defects, skipped) = (listing.defects, listing.skipped)
    numbers = listing.frames.compactMap { integer(of: $0.file, in: 0...limits.frames) }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let number = numbers[index]
    let limits = files.limits
    let name = Self.picture(number)
    let picture = try files.bytes(name, limit: limits.frameFileBytes)
    let imageSize = try DepthDecoding.pictureHeader(picture, file: name, limits: limits).size
    let pose = try metadata.pose(of: number)
    var parts = FrameParts(
      file: "\(Record3DFiles.metadata), frame \(number)", name: reference.name,
      timestamp: reference.timestamp, imageSize: imageSize,
      orientation: metadata.hasPoses ? Orientation(gravityIn: pose) : .up,
      intrinsics: try metadata.camera(of: number).intrinsics(for: imageSize, file: name),
      cameraToWorld: pose)
    if decodingImage { parts.image = try DepthDecoding.picture(picture, file: name, limits: limits) }
    parts.depth = try depth(number, picture: imageSize)
    if let size = parts.depth?.size {
      parts.confidence = try confidence(number, size)
      parts.sensor = SensorModel(size.width * size.height > Self.mostLiDARCells ? .structuredLight : .lidar)
    }
    var frame = try parts.assembled()
    frame.isPosed = metadata.hasPoses
    return frame
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    let name = Self.picture(numbers[index])
    guard let picture = EncodedPicture(try files.bytes(name, limit: files.limits.frameFileBytes)) else {
      throw .malformed(file: name, reason: CaptureError.noPicture)
    }
    return picture
  }

  /// The depth of a frame; nil where it has none.
  private func depth(_ number: Int, picture: PixelSize) throws(CaptureError) -> Plane<Float>? {
    let name = "\(Record3DFiles.frames)/\(number).depth"
    guard files.has(name) else { return nil }
    let limit = files.limits.depthCells
    let cells = metadata.depthSize.map { $0.width * $0.height } ?? limit
    guard cells <= limit else {
      let size = metadata.depthSize ?? picture
      throw .tooManyPixels(file: name, width: size.width, height: size.height, limit: limit)
    }
    let bytes = try unpacked(name, limit: cells * 4)
    guard let (size, isHalf) = Self.layout(of: bytes.count, metadata.depthSize, shape: picture) else {
      throw .badDepthFormat(file: name, found: counted(bytes.count, "byte"))
    }
    let elements =
      isHalf
      ? bytes.elements(of: UInt16.self).map { HalfPrecision.float(fromBinary16: UInt16(littleEndian: $0)) }
      : bytes.elements(of: UInt32.self).map { Float(bitPattern: UInt32(littleEndian: $0)) }
    // What is infinitely far is not measured.
    return Plane(
      width: size.width, height: size.height, elements: elements.map { $0.isInfinite ? .nan : $0 })
  }

  /// The grid that so many bytes are of, and whether they are halves: of the stated size, or of the picture's shape.
  static func layout(
    of bytes: Int, _ stated: PixelSize?, shape: PixelSize
  ) -> (size: PixelSize, isHalf: Bool)? {
    for (length, isHalf) in [(4, false), (2, true)] where bytes > 0 && bytes.isMultiple(of: length) {
      let cells = bytes / length
      if let stated {
        if stated.width * stated.height == cells { return (stated, isHalf) }
        continue
      }
      let height = (Double(cells) * Double(shape.height) / Double(shape.width)).squareRoot()
      let rows = Int(clamping: height.rounded())
      guard rows > 0, cells.isMultiple(of: rows), abs(Double(rows) / height - 1) < 0.01,
        let size = try? PixelSize(checking: cells / rows, rows)
      else { continue }
      return (size, isHalf)
    }
    return nil
  }

  private func confidence(_ number: Int, _ size: PixelSize) throws(CaptureError) -> Plane<UInt8>? {
    let name = "\(Record3DFiles.frames)/\(number).conf"
    guard files.has(name) else { return nil }
    let bytes = try unpacked(name, limit: size.width * size.height)
    guard bytes.count == size.width * size.height else {
      throw .badConfidenceFormat(
        file: name, found: "\(counted(bytes.count, "byte")) for \(size.width)x\(size.height) cells")
    }
    return Plane(width: size.width, height: size.height, elements: bytes.array())
  }

  private func unpacked(_ name: String, limit: Int) throws(CaptureError) -> FileBytes {
    let bytes = try files.bytes(name, limit: files.limits.frameFileBytes)
    do {
      return FileBytes(try LZFSE.decompress(bytes, limit: limit))
    } catch {
      throw .malformed(file: name, reason: error.description)
    }
  }

  private static func picture(_ number: Int) -> String { "\(Record3DFiles.frames)/\(number).jpg" }

  /// How many pictures there are, counted from 0 without a gap.
  private static func countedFrames(_ files: Record3DFiles) -> Int {
    var count = 0
    while count <= files.limits.frames, files.has(picture(count)) { count += 1 }
    return count
  }
}

extension Record3DCapture: CaptureFormat {
  static let marks = "\(Record3DFiles.metadata) with \(Record3DFiles.frames) (Record3D, unpacked)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    folder.hasPlainFile(Record3DFiles.metadata) && folder.hasSubfolder(Record3DFiles.frames)
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> Record3DCapture {
    try Record3DCapture(.folder(folder))
  }
}
