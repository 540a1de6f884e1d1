import FileFormats
import Geometry
import Imaging

/// The native layout, `ardf.capture/1`: one frame, a folder of frame folders, or numbered frames side by side.
struct NativeCapture: CaptureSource {
  static let schema = "ardf.capture/1"
  static let frameFile = "frame.json"

  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .native }

  private let folder: CaptureFolder
  private let files: [SequenceFrame]

  /// A single frame, whose folder holds frame.json; its metadata must be in order.
  init(single folder: CaptureFolder) throws(CaptureError) {
    let fields = try Self.fields(Self.frameFile, in: folder)
    let name = lastComponent(folder.path)
    let reference = FrameReference(
      name: name.isEmpty ? "capture" : name, timestamp: try fields.number("timestamp"))
    self.init(
      folder: folder, files: [SequenceFrame(reference: reference, file: Self.frameFile)], defects: [:],
      skipped: [])
  }

  /// A sequence from the metadata files of its frames, `NAME/frame.json` or `NAME.json`.
  init(sequence folder: CaptureFolder, metadata: [(name: String, file: String)]) throws(CaptureError) {
    var listing = SequenceListing(filesOf: folder)
    for (name, file) in metadata {
      try listing.add(name: name, file: file) { () throws(CaptureError) in
        try Self.fields(file, in: folder).number("timestamp")
      }
    }
    try listing.finish()
    self.init(
      folder: folder, files: listing.frames, defects: listing.defects,
      skipped: listing.skipped)
  }

  private init(
    folder: CaptureFolder, files: [SequenceFrame], defects: [Int: CaptureError], skipped: [SkippedFrame]
  ) {
    self.folder = folder
    self.files = files
    self.defects = defects
    self.skipped = skipped
    path = folder.path
    frames = files.map(\.reference)
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let file = files[index].file
    let fields = try Self.fields(file, in: folder)
    let imageSize = try fields.size("imageSize")
    var parts = FrameParts(
      file: file, name: reference.name, timestamp: try fields.number("timestamp"), imageSize: imageSize,
      orientation: try fields.orientation("orientation"),
      intrinsics: try fields.intrinsics("intrinsics", order: .columnMajor, imageSize: imageSize),
      cameraToWorld: try fields.pose("cameraToWorld", order: .columnMajor))
    if let name = try fields.optionalString("image") {
      let located = beside(file, name)
      if decodingImage {
        parts.image = try folder.picture(located, namedBy: file)
      } else {
        _ = try folder.location(of: located, namedBy: file, limit: folder.limits.frameFileBytes)
      }
    }
    if let name = try fields.optionalString("depth") {
      parts.depth = try folder.depth(beside(file, name), namedBy: file)
    }
    if let name = try fields.optionalString("confidence") {
      parts.confidence = try folder.confidence(beside(file, name), namedBy: file)
    }
    parts.sensor = try Self.sensor(fields, file: file, hasConfidence: parts.confidence != nil)
    return try parts.assembled()
  }

  /// The sensor as stated; where nothing is, a depth with confidences is a phone's.
  private static func sensor(
    _ fields: FrameFields, file: String, hasConfidence: Bool
  ) throws(CaptureError) -> SensorModel {
    var model = SensorModel(hasConfidence ? .lidar : .unknown)
    if let name = try fields.optionalString("sensor") {
      guard let kind = SensorModel.Kind(rawValue: name) else {
        throw .badField(
          file: file, field: "sensor",
          expected: SensorModel.Kind.allCases.map(\.rawValue).joined(separator: ", ") + "; found \"\(name)\"")
      }
      model.kind = kind
    }
    if fields.has("sensorRange") {
      let meters = try fields.number("sensorRange")
      guard meters > Double(SensorRules.nearest), meters.isFinite else {
        throw .badField(
          file: file, field: "sensorRange", expected: "meters, more than \(SensorRules.nearest)")
      }
      model.maximumRange = meters
    }
    return model
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    let file = files[index].file
    guard let name = try Self.fields(file, in: folder).optionalString("image") else { return nil }
    return try folder.encodedPicture(beside(file, name), namedBy: file)
  }

  /// A name found in a metadata file, relative to the capture; absolute names stay so, to be refused.
  private func beside(_ file: String, _ name: String) -> String {
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
    return file[...slash] + name
  }

  private static func fields(_ file: String, in folder: CaptureFolder) throws(CaptureError) -> FrameFields {
    let fields = try folder.metadata(file)
    let found = try fields.string("schema")
    guard found == schema else { throw .unsupportedSchema(file: file, found: found, expected: schema) }
    return fields
  }
}
