import AppCore
import FileFormats
import Imaging
import OutputFolders
import Reporting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A frame's results as `ardf run` left them, read back with the capture that they were made from.
struct FinishedFolder {
  let path: String
  let frame: CapturedFrame
  private let limits: CaptureLimits
  let detections: DetectionsFile
  let fusion: JSONValue?
  let metric: MetricDepth?
  let relative: RelativeDepth?

  /// Whether a folder holds results.
  static func exists(_ path: String) -> Bool {
    ["detections.json", "objects.json"].allSatisfy { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
  }

  /// The folder to give in place of one whose file holds no JSON.
  private static func file(_ name: String) -> String { "a folder whose \(name) is that of ardf run" }

  /// - `selection`: the only frame, of which the results must be.
  init(_ path: String, of selection: FrameSelection, limits: CaptureLimits) throws {
    let frame = try selection.onlyFrame()
    self.path = path
    self.frame = frame
    self.limits = limits
    func optional<Content>(_ name: String, _ read: (String) throws -> Content) throws -> Content? {
      let file = "\(path)/\(name)"
      return FileManager.default.fileExists(atPath: file) ? try read(file) : nil
    }
    try Documents.checkSummary(in: path, isOf: selection.onlyName)
    detections = try Documents.detections(
      "\(path)/detections.json", of: frame, named: selection.onlyName, limits: limits)
    fusion = try optional("fusion.json") { file in
      try InFile.naming(file) {
        try JSONFile.read(file, wanted: Self.file("fusion.json"), limits: limits.json)
      }
    }
    metric = try optional("metric.npy") { _ in try Documents.metric(in: path, of: frame) }
    relative = try optional("relative.npy") { RelativeDepth(try Documents.map($0, of: frame)) }
  }

  /// Notes in the folder's record, if it has one, that files in it were replaced.
  func keepRecord(of names: [String]) throws { try Self.keepRecord(of: names, in: path) }

  /// Notes in a folder's record, if it has one, that files in it were replaced.
  static func keepRecord(of names: [String], in folder: String) throws {
    try OutputError.mapping { () throws(FileError) in
      try OutputRecord(of: folder)?.replacing(names, in: folder).write(to: folder)
    }
  }

  /// The page about it, without the times of stages, which the folder does not hold.
  func report(capture: String, path cameras: [FrameReport.Pose]) throws -> FrameReport {
    func document(_ name: String) throws -> JSONValue {
      try InFile.naming("\(path)/\(name)") {
        try JSONFile.read("\(path)/\(name)", wanted: Self.file(name), limits: limits.json)
      }
    }
    // A photograph without camera has none.
    let scene =
      fileExists("\(path)/scene.json")
      ? try InFile.naming("\(path)/scene.json") { try SceneFile(json: document("scene.json")) }
      : SceneFile(effects: [])
    let summary = try? document("summary.json")
    var report = FrameReport(
      frame: frame, capture: absolutePath(capture), detections: detections,
      objects: try document("objects.json"),
      effects: scene.effects, relative: relative, fusion: fusion, metric: metric?.values,
      metricSource: metric?.codes, path: cameras,
      notes: summary?["notes"]?.array?.compactMap(\.string) ?? [])
    report.index = ["../", "../../"].map { $0 + RunIndexPage.file }.first { fileExists("\(path)/\($0)") }
    return report
  }
}
