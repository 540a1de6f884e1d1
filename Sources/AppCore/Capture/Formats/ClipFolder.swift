import FileFormats
import Geometry
import Imaging

/// A clip as separate files: `NNNNN.json`, `NNNNN_rgb.jpg`, `NNNNN_depth.png`, `NNNNN_conf.png`.
struct ClipFolder: CaptureSource, CaptureFormat {
  static let marks = "NNNNN.json with NNNNN_rgb.jpg"

  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .clipFolder }

  private let folder: CaptureFolder
  private let files: [SequenceFrame]

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.sorted.metadataNumbers().contains { names.contains(picture($0)) }
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> ClipFolder {
    try ClipFolder(folder, stems: folder.names().metadataNumbers())
  }

  private init(_ folder: CaptureFolder, stems: [String]) throws(CaptureError) {
    var listing = SequenceListing(filesOf: folder)
    for stem in stems {
      let file = "\(stem).json"
      try listing.add(name: stem, file: file) { () throws(CaptureError) in
        let header = ClipHeader(try folder.metadata(file))
        for name in [Self.picture(stem), Self.depth(stem)] where !folder.hasFile(name) {
          throw .missingFile(file: file, name: name)
        }
        return try header.timestamp()
      }
    }
    try listing.finish()
    self.folder = folder
    files = listing.frames
    (defects, skipped) = (listing.defects, listing.skipped)
    frames = files.map(\.reference)
    path = folder.path
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let stem = try reference(at: index).name
    let file = files[index].file
    var parts = try ClipHeader(try folder.metadata(file)).parts(name: stem)
    if decodingImage { parts.image = try folder.picture(Self.picture(stem), namedBy: file) }
    parts.depth = try folder.depth(Self.depth(stem), namedBy: file)
    if folder.hasFile(Self.confidence(stem)) {
      parts.confidence = try folder.confidence(Self.confidence(stem), namedBy: file)
    }
    return try parts.assembled()
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    let stem = try reference(at: index).name
    return try folder.encodedPicture(Self.picture(stem), namedBy: files[index].file)
  }

  static func picture(_ stem: String) -> String { "\(stem)_rgb.jpg" }
  static func depth(_ stem: String) -> String { "\(stem)_depth.png" }
  static func confidence(_ stem: String) -> String { "\(stem)_conf.png" }
}
