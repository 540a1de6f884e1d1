import AppCore
import FileFormats

/// Writes detections frame by frame: a document each, or in the end one list of COCO results.
struct DetectionsSink {
  private let format: FormatOptions.Format
  private var results: [JSONValue] = []

  init(_ options: FormatOptions, network: DetectionNetwork) throws {
    format = options.format
    try options.check(network)
  }

  mutating func write(_ file: DetectionsFile, frame: CapturedFrame, to writer: FrameWriter) throws {
    try add(file)
    try writer.write(
      file, image: frame.image, orientation: frame.orientation, document: format == .ardf)
  }

  mutating func add(_ file: DetectionsFile) throws {
    if format == .coco { results += try COCOResults.entries(file) }
  }

  /// The list, if that is the format.
  var list: JSONValue? { format == .coco ? .array(results) : nil }
}

extension FormatOptions {
  /// COCO's categories are those of its own classes only.
  func check(_ network: DetectionNetwork) throws {
    if format == .coco, network.classCount != COCOResults.classCount {
      throw CommandError.input(
        "\(network.file): has \(network.classCount) classes; --format coco needs COCO's \(COCOResults.classCount)"
      )
    }
  }
}
