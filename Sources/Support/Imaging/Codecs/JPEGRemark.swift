/// Warnings of libjpeg about files whose pixels are all intact, and repairs of the file that avoid them.
///
/// The library reports its first warning only. So that damage after such a warning is not missed, its cause is repaired and
/// the file is decoded again, until there is no warning, or one of damage.
enum JPEGRemark: CaseIterable {
  /// A scan of a sequential JPEG with other parameters than 0, 63, 0, which it has no use for.
  case scanParameters
  /// A version of JFIF other than 1.
  case version
  /// An Adobe transform of which libjpeg has to guess the usual one.
  case transform
  /// Bytes between segments that belong to none.
  case strayBytes
  /// All that was coded is there, and only the marker at the end is not.
  case noEnd

  /// nil for a warning of damage.
  init?(_ warning: String) {
    guard let remark = Self.allCases.first(where: { warning.contains($0.words) }) else { return nil }
    self = remark
  }

  private var words: String {
    switch self {
    case .scanParameters: "Invalid SOS parameters for sequential JPEG"
    case .version: "unknown JFIF revision number"
    case .transform: "Unknown Adobe color transform code"
    case .strayBytes: "extraneous bytes before marker"
    case .noEnd: "Premature end of JPEG file"
    }
  }

  /// Whether the warning is of bytes between the last scan and the end of the image, by when all has been decoded.
  static func isAtTheEnd(_ warning: String) -> Bool {
    warning.contains("extraneous bytes before marker 0xd9")
  }

  /// The file without what was remarked on; nil where it cannot be put right, and may be damaged.
  func mended(_ bytes: [UInt8]) -> [UInt8]? {
    let segments = JPEGStructure.segments(bytes).segments
    let mended =
      switch self {
      case .scanParameters: Self.withPlainScans(bytes, segments)
      case .version: Self.replacing(bytes, segments, JPEGStructure.application0, "JFIF\0", at: 5) { _ in 1 }
      case .transform:
        Self.replacing(bytes, segments, JPEGStructure.application14, "Adobe", at: 11) { _ in
          Self.components(segments) == 4 ? 2 : 1
        }
      case .strayBytes: Self.withoutStrayBytes(bytes, segments)
      case .noEnd: Self.isOneScan(segments) ? bytes + [0xFF, 0xD9] : nil
      }
    return mended == bytes ? nil : mended
  }

  /// Components of the frame; nil without one.
  private static func components(_ segments: [JPEGStructure.Segment]) -> Int? {
    segments.first { isFrame($0.marker) }.flatMap { $0.payload.dropFirst(5).first.map(Int.init) }
  }

  private static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
  }

  /// Whether one scan, of all components, holds all of a sequential picture: else scans may be missing at its end.
  private static func isOneScan(_ segments: [JPEGStructure.Segment]) -> Bool {
    let scans = segments.filter { $0.marker == JPEGStructure.startOfScan }
    guard let frame = segments.first(where: { isFrame($0.marker) }), scans.count == 1 else { return false }
    return (frame.marker == 0xC0 || frame.marker == 0xC1)
      && scans[0].payload.first.map(Int.init) == components(segments)
  }

  private static func withPlainScans(_ bytes: [UInt8], _ segments: [JPEGStructure.Segment]) -> [UInt8] {
    var bytes = bytes
    for scan in segments where scan.marker == JPEGStructure.startOfScan && scan.payload.count >= 3 {
      bytes.replaceSubrange(scan.payload.suffix(3).indices, with: [0, 63, 0])
    }
    return bytes
  }

  private static func replacing(
    _ bytes: [UInt8], _ segments: [JPEGStructure.Segment], _ marker: UInt8, _ name: String, at offset: Int,
    with value: (UInt8) -> UInt8
  ) -> [UInt8] {
    var bytes = bytes
    for segment in segments
    where segment.marker == marker && segment.payload.starts(with: name.utf8)
      && segment.payload.count > offset
    {
      let index = segment.payload.startIndex + offset
      bytes[index] = value(bytes[index])
    }
    return bytes
  }

  /// The file with nothing but segments before its first scan.
  private static func withoutStrayBytes(
    _ bytes: [UInt8], _ segments: [JPEGStructure.Segment]
  ) -> [UInt8]? {
    guard let scan = segments.firstIndex(where: { $0.marker == JPEGStructure.startOfScan }) else {
      return nil
    }
    let header = segments[..<scan].flatMap { bytes[$0.start..<$0.payload.endIndex] }
    var picture = Array(bytes.prefix(2))
    picture += header
    picture += bytes[segments[scan].start...]
    return picture
  }
}
