import AppCore
import FileFormats
import Geometry

/// Where detections go, picture by picture: a folder each, a line each on standard output, and what is said about all.
final class DetectionResults {
  private let output: OutputOptions
  private let format: FormatOptions.Format
  /// Results lie in `--out` itself, and not in a folder a picture.
  private let isSingle: Bool
  private let folder: OutputFolder?
  private var index: [JSONValue] = []
  private var coco: [JSONValue] = []
  private var rows = ObjectTable.header(ObjectTable.detections)

  /// Refuses, before any work is done, a folder that may not be written.
  ///
  /// `inputs`: What is read.
  init(_ output: OutputOptions, _ format: FormatOptions, isSingle: Bool, inputs: [String?]) throws {
    self.output = output
    self.format = format.format
    self.isSingle = isSingle
    folder = try output.folder(inputs: inputs)
    if printsLines, self.format == .csv { try Console.print(rows) }
  }

  /// Whether every picture's results are printed as they come.
  private var printsLines: Bool { folder == nil || output.json }

  /// Writes and prints what was found in a picture.
  ///
  /// - `name`: of its folder among those of others; empty for the only one.
  /// - `isListed`: keeps what was found for `index.json`.
  func add(_ file: DetectionsFile, of frame: CapturedFrame, source: String, name: String, isListed: Bool)
    throws
  {
    if let folder {
      try FrameWriter(folder: name.isEmpty ? folder : folder.subfolder(name)).write(
        file, image: frame.image, orientation: frame.orientation, document: format != .coco)
    }
    if format == .coco { coco += try COCOResults.entries(file) }
    let lines =
      format == .csv
      ? ObjectTable.lines(ObjectTable.rows(of: file, source: source, timestamp: frame.timestamp)) : ""
    if format == .csv, folder != nil { rows += lines }
    if printsLines {
      switch format {
      case .ardf: try Console.print(line(file, frame, source: source, name: name).serialized())
      case .csv: if !lines.isEmpty { try Console.print(lines) }
      case .coco: break
      }
    } else if !output.quiet {
      try Console.print(line: file.line)
    }
    guard folder != nil, !isSingle else { return }
    var entry: [String: JSONValue] = [
      "folder": .string(name), "name": .string(frame.name), "source": .string(source),
      "timestamp": .number(frame.timestamp),
    ]
    if isListed { entry["summary"] = file.json }
    index.append(.object(entry))
  }

  /// The document with where it comes from and where it goes, which a folder's name tells of a file.
  private func line(_ file: DetectionsFile, _ frame: CapturedFrame, source: String, name: String) -> JSONValue
  {
    var line = file.json.object ?? [:]
    line["source"] = .string(source)
    line["timestamp"] = .number(frame.timestamp)
    if folder != nil { line["folder"] = .string(name) }
    return .object(line)
  }

  /// Writes what is said about all, and gives the folder its name.
  ///
  /// `layout`: of the only source.
  func finish(layout: CaptureLayout?, skipped: [SkippedFrame]) throws {
    if let folder {
      if format == .coco { try folder.write(.array(coco), to: "detections.json") }
      if format == .csv { try folder.write(Array(rows.utf8), to: "detections.csv") }
      if !isSingle {
        try folder.write(
          [
            "schema": "ardf.index/1", "layout": layout.map { .string($0.rawValue) } ?? .null,
            "frames": .array(index),
            "skipped": .array(skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
          ], to: "index.json")
      }
      try folder.commit()
    }
    if printsLines, format == .coco { try Console.print(.array(coco)) }
  }
}

extension DetectionsFile {
  /// What was found, counted by class in order of appearance: `bus.jpg 1920x1440: 1 bus, 3 person`.
  fileprivate var line: String {
    var counts: [(name: String, count: Int)] = []
    for detection in detections {
      if let index = counts.firstIndex(where: { $0.name == detection.className }) {
        counts[index].count += 1
      } else {
        counts.append((detection.className, 1))
      }
    }
    let found = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    return "\(image) \(imageSize.width)x\(imageSize.height): " + (found.isEmpty ? "no objects" : found)
  }
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
