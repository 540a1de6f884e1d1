import AppCore
import FileFormats
import Imaging
import Perception
import Reporting
import HTTPServing
import Serving

/// The frames of `ardf serve`: networks loaded once, frames kept in memory, effects placed on request.
actor FrameWorkshop: Workshop {
  /// Frames that are kept; the oldest goes for the next.
  private static let keptFrames = 12

  /// A frame and what was placed on it.
  private struct Study {
    let number: Int
    var report: FrameReport
    var content: ReportPage.Content
    /// Where placements are written, if it came from files.
    let folder: String?
  }

  private let perceiver: Perceiver?
  /// Of what is dropped.
  private let limits: LimitOptions
  private let sensor: SensorOptions
  private let threads = OwnThreads(name: "ardf.flow", count: 3)
  private var studies: [Study] = []
  private var count = 0

  /// A workshop; without networks nothing new can be run.
  init(perceiver: Perceiver?, sensor: SensorOptions, limits: LimitOptions) {
    self.sensor = sensor
    self.perceiver = perceiver
    self.limits = limits
  }

  private static let resultsPicture = PictureFormat.jpeg.file("results")

  nonisolated var canRun: Bool { perceiver != nil }
  nonisolated var fileNames: [String] {
    [
      "scene.glb", "scene.usdz", "scene.usda", "scene.json", "points.ply", "objects.json", "detections.json",
      "metric.npy", "metric.pfm", Self.resultsPicture,
    ]
  }

  func newest() -> Int? { studies.last?.number }

  // MARK: - Frames

  /// Takes a frame's results; returns its number.
  func add(_ report: FrameReport, folder: String? = nil) async throws -> Int {
    let content = try await Task(executorPreference: threads) { try ReportPage.Content(report) }.value
    if studies.count >= Self.keptFrames { studies.removeFirst() }
    let number = count
    count += 1
    studies.append(Study(number: number, report: report, content: content, folder: folder))
    return number
  }

  func run(path: String) async throws -> Int {
    try await run(FrameSelection(path, frames: [], sensor: sensor, limits: limits), capture: path)
  }

  /// Perceives the first frame of a selection.
  func run(_ selection: FrameSelection, capture: String) async throws -> Int {
    guard let perceiver else { throw CommandError.noWeights("there are no networks to run") }
    let report = try await Task(executorPreference: threads) {
      let frame = try selection.source.frame(at: selection.indices[0])
      let outcome = try await FrameOutcome(frame, perceiver, requests: [])
      var report = FrameReport(
        outcome, perceiver: perceiver, capture: capture, path: try CameraPath.poses(of: selection.source))
      if selection.indices.count > 1 {
        report.notes.insert("the first of \(selection.indices.count) frames", at: 0)
      }
      return report
    }.value
    return try await add(report)
  }

  private func study(_ number: Int) -> Study? { studies.first { $0.number == number } }

  func page(of frame: Int, service: ReportPage.Service) async -> [UInt8]? {
    guard let content = study(frame)?.content else { return nil }
    return await Task(executorPreference: threads) { content.html(service: service) }.value
  }

  // MARK: - Effects

  func place(_ wishes: [PlacementWish], on frame: Int) async throws -> PlacementAnswer? {
    guard let study = study(frame) else { return nil }
    let scene = await scene(of: study.report, requests: wishes.map(EffectRequest.init))
    // Another request may have been first while this one was measured.
    guard let index = studies.firstIndex(where: { $0.number == frame }) else { return nil }
    studies[index].report.effects += scene.effects
    studies[index].content.show(studies[index].report.effects)
    let report = studies[index].report
    if let folder = study.folder { try store(report, scene: scene, in: folder) }
    return PlacementAnswer(effects: report.effects, refused: scene.refused)
  }

  private func scene(of report: FrameReport, requests: [EffectRequest]) async -> PlacedScene {
    await Task(executorPreference: threads) {
      // Without a fit the meters are a metric network's own.
      let depth = FrameDepth(report.fused, isFitted: report.fusion != nil)
      let detections = report.detections.detections
      return PlacedScene(
        depth.extents(of: detections, in: report.frame), of: detections, requests: requests)
    }.value
  }

  /// Replaces the scene's files beside the results that the frame came from.
  private func store(_ report: FrameReport, scene: PlacedScene, in folder: String) throws {
    let files: [(name: String, bytes: [UInt8])] = [
      ("scene.json", Self.text(SceneFile(effects: report.effects).json)),
      ("scene.glb", try SceneExporter.glb(Self.model(report, scene))),
    ]
    for file in files {
      try OutputError.mapping { () throws(FileError) in
        try AtomicFile.write(file.bytes, to: "\(folder)/\(file.name)", overwrite: true)
      }
    }
    try FinishedFolder.keepRecord(of: files.map(\.name), in: folder)
  }

  private static func model(_ report: FrameReport, _ scene: PlacedScene) -> SceneModel {
    SceneModel(frame: report.frame, extents: scene.extents, effects: report.effects, fused: report.fused)
  }

  private static func text(_ json: JSONValue) -> [UInt8] { Array(json.serialized(pretty: true).utf8) }

  // MARK: - Files

  func file(_ name: String, of frame: Int) async throws -> [UInt8]? {
    guard let report = study(frame)?.report else { return nil }
    switch name {
    case "objects.json": return Self.text(report.objects)
    case "detections.json": return Self.text(report.detections.json)
    case "scene.json": return Self.text(SceneFile(effects: report.effects).json)
    case "metric.npy": return report.metric.map(FrameWriter.array)
    case "metric.pfm": return report.metric.map(PortableFloatMap.encode)
    case Self.resultsPicture:
      let items = try ResultsItem.items(of: report.detections.detections, objects: report.objects)
      return try ResultsCompositor().compose(report.frame, items: items).map(PictureFormat.jpeg.encode)
    default: break
    }
    let model = Self.model(report, await scene(of: report, requests: []))
    switch name {
    case "scene.glb": return try SceneExporter.glb(model)
    case "scene.usda": return USDExporter.usda(model)
    case "scene.usdz": return USDExporter.usdz(model)
    case "points.ply": return PLYFile.encode(model.points)
    default: return nil
    }
  }
}

extension EffectRequest {
  fileprivate init(_ wish: PlacementWish) { self.init(object: wish.object, type: wish.effect) }
}
