import AppCore
import FileFormats
import Geometry
import Models
import OutputFolders
import Perception
import Sharding

/// The output of detections: a folder or a line of standard output for each picture, and the index of all.
final class DetectionResults {
  private let output: OutputTarget
  private let format: DetectionFormat
  /// Whether results lie in `--out` itself, not in a folder for each picture.
  private let isSingle: Bool
  private let folder: OutputFolder?
  /// The writer of each picture's files.
  let files: DetectionFiles
  private var index: [JSONValue] = []
  private var leftOut: [JSONValue] = []
  private var coco: [JSONValue] = []
  private var dota = DOTAResults()
  /// The ids of pictures in results, by the names of their folders.
  private let ids: NameTable<JSONValue>
  private var rows = ""
  private var layout: ObjectTable.Layout?

  /// Refuses, before any work is done, a folder that may not be written.
  ///
  /// - `inputs`: What is read.
  /// - `frames`: All pictures, where they are known.
  init(
    _ output: OutputTarget, _ format: DetectionFormat, _ pictures: PictureFormat, isSingle: Bool,
    inputs: [String?], frames: [RunFrame] = []
  ) throws {
    ids = NameTable(frames.map { ($0.folder, $0.pictureId) })
    self.output = output
    self.format = format
    self.isSingle = isSingle
    folder = try output.folder(inputs: inputs)
    files = DetectionFiles(folder: folder, format: format, pictures: pictures)
    if format == .dota, folder == nil {
      throw CommandError.usage("--format dota writes a file for each class: give a folder as --out")
    }
  }

  /// Begins a table.
  func begin(_ layout: ObjectTable.Layout) throws {
    guard format == .csv else { return }
    self.layout = layout
    rows = layout.header
    if printsLines { try Console.print(rows) }
  }

  /// Whether every picture's results are printed as they come.
  private var printsLines: Bool { folder == nil || output.printsJSON }

  /// Prints and records the results of a picture; its files are written elsewhere.
  ///
  /// - `name`: of its folder among those of others; empty for the only one.
  /// - `isListed`: whether the results go into `index.json`.
  func add(_ picture: DetectedPicture, source: String, name: String, isListed: Bool) throws {
    switch picture.content {
    case .objects(let file, let surest):
      let id = ids[name] ?? pictureId(file.image)
      if format == .dota { dota.add(file, image: id) }
      if format == .coco { coco += try COCOResults.entries(file, image: id) }
      let lines = lines(
        of: picture, named: file.image, source: source,
        ObjectTable.rows(
          of: file, source: source, timestamp: picture.timestamp, isTracked: layout?.isTracked == true))
      try tell(
        file.json, lines, picture, source: source, name: name, line: file.line(surest: surest),
        isListed: isListed)
    case .classes(let file):
      let lines = lines(
        of: picture, named: file.image, source: source,
        ObjectTable.rows(of: file, source: source, timestamp: picture.timestamp))
      try tell(
        file.json, lines, picture, source: source, name: name, line: file.line, isListed: isListed)
    }
  }

  /// A picture's lines of the table, if there is one.
  private func lines(
    of picture: DetectedPicture, named name: String, source: String, _ rows: @autoclosure () -> [[String]]
  ) -> String {
    layout?.lines(
      rows(), source: source, name: name, timestamp: .number(picture.timestamp), time: picture.wallClock)
      ?? ""
  }

  /// Prints and records why a picture has no results, as the line that `run` prints of it.
  func add(_ bad: LeftOutInputs.Entry, at time: Double, _ wallClock: String? = nil) throws {
    leftOut.append(bad.json)
    guard printsLines, format == .ardf else { return }
    try Console.print(FrameRecord.failedLine(bad, at: time, wallClock).serialized())
  }

  /// Prints a picture's results, or one line of them, and records its entry of `index.json`.
  ///
  /// `rows`: those of the table.
  private func tell(
    _ document: JSONValue, _ rows: String, _ picture: DetectedPicture, source: String, name: String,
    line: String, isListed: Bool
  ) throws {
    if format == .csv, folder != nil { self.rows += rows }
    if printsLines {
      switch format {
      case .ardf:
        try Console.print(self.line(document, picture, source: source, name: name).serialized())
      case .csv: if !rows.isEmpty { try Console.print(rows) }
      case .coco, .dota: break
      }
    } else if !output.isQuiet {
      try Console.print(line: line)
    }
    guard folder != nil, !isSingle else { return }
    var entry: [String: JSONValue] = [
      "folder": .string(name), "name": .string(picture.name), "source": .string(source),
      "timestamp": .number(picture.timestamp),
    ]
    if let time = picture.wallClock { entry["time"] = .string(time) }
    if isListed { entry["summary"] = document }
    index.append(.object(entry))
  }

  /// The document with its source, times and folder added; a file in a folder has these from its path.
  private func line(
    _ document: JSONValue, _ picture: DetectedPicture, source: String, name: String
  ) -> JSONValue {
    var line = document.object ?? [:]
    line["source"] = .string(source)
    line["timestamp"] = .number(picture.timestamp)
    if let time = picture.wallClock { line["time"] = .string(time) }
    if folder != nil { line["folder"] = .string(name) }
    return .object(line)
  }

  /// Writes the index of all pictures, and gives the folder its final name.
  ///
  /// `layout`: of the only source.
  func finish(layout: CaptureLayout?, skipped: [SkippedFrame]) throws {
    if let folder {
      if format == .coco { try folder.write(.array(coco), to: ResultNames.detections) }
      if format == .csv { try folder.write(Array(rows.utf8), to: ResultNames.detectionTable) }
      if format == .dota {
        for file in dota.files { try folder.write(Array(file.text.utf8), to: file.name) }
      }
      if !isSingle {
        try folder.write(
          [
            "schema": "ardf.index/1", "layout": layout.map { .string($0.rawValue) } ?? .null,
            "frames": .array(index),
            "skipped": .array(
              leftOut + skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
          ], to: ResultNames.index)
      }
      try folder.commit()
      Console.inform(
        "results in \(output.path)" + (isSingle ? "" : ": a folder for each picture, and index.json over all")
      )
    }
    if printsLines, format == .coco { try Console.print(.array(coco)) }
  }
}

extension DetectionsFile {
  /// Counts of the detections by class, in order of appearance: `bus.jpg 1920x1440: 1 bus, 3 person`.
  fileprivate func line(surest: SurestCandidate?) -> String {
    var counts: [(name: String, count: Int)] = []
    for detection in detections {
      if let index = counts.firstIndex(where: { $0.name == detection.className }) {
        counts[index].count += 1
      } else {
        counts.append((detection.className, 1))
      }
    }
    let found = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    return "\(image) \(imageSize.width)x\(imageSize.height): "
      + (found.isEmpty ? Perceived.nothingFound(surest) : found)
  }
}

extension ClassesFile {
  /// The likeliest classes: `bus.jpg 1920x1440: minibus 0.57, police van 0.34`.
  fileprivate var line: String {
    let found = classes.map { "\($0.className) \(decimal(Double($0.confidence), 2))" }.joined(separator: ", ")
    return "\(image) \(imageSize.width)x\(imageSize.height): \(found)"
  }
}
