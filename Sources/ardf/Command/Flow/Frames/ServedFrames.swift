import AppCore
import FileFormats
import HTTPServing
import Imaging
import OutputFolders
import Perception
import Reporting
import Serving

/// The frames of `ardf serve`: networks loaded once, frames kept in memory, effects placed on request.
actor ServedFrames: FrameStore {
  /// Most frames kept; the oldest is dropped for a new one.
  private static let keptFrames = 12

  /// Most captures of dropped files kept for their other frames; the oldest is dropped for a new one.
  private static let keptUploads = 3

  /// A frame and the effects placed on it.
  private struct Study {
    let number: Int
    /// The capture's number, and the frame's position there.
    let recording: Int
    let position: Int
    var report: FrameReport
    var content: ReportPage.Content
    /// Where placements are written, if it came from files.
    let folder: String?
  }

  /// The capture to which frames belong.
  private struct Recording {
    let number: Int
    let source: any CaptureSource
    /// Its path, for people.
    let capture: String
    let path: [FrameReport.Pose]
    /// The upload whose folder holds the capture's files for later frames; nil for files of the user, and for an upload of
    /// one frame.
    let upload: UploadFolder?
  }

  private let perceiver: Perceiver?
  /// Opens dropped files.
  private let open: @Sendable (String) throws -> any CaptureSource
  private let threads = DedicatedExecutor(name: "ardf.flow", count: 3)
  private var studies: [Study] = []
  private var recordings: [Recording] = []
  private var count = 0
  private var recordingCount = 0

  /// A store; without networks nothing new can be run.
  ///
  /// - `open`: opens a capture that is dropped.
  init(perceiver: Perceiver?, open: @escaping @Sendable (String) throws -> any CaptureSource) {
    self.perceiver = perceiver
    self.open = open
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

  /// Stores a frame's results; returns its number.
  ///
  /// - `selection`: The capture that it is the first selected frame of.
  func add(
    _ report: FrameReport, of selection: FrameSelection, capture: String, folder: String? = nil
  ) async throws -> Int {
    let recording = recording(of: selection.source, capture: capture, path: report.path, upload: nil)
    return try await add(report, of: recording, at: selection.indices[0], folder: folder)
  }

  private func add(
    _ report: FrameReport, of recording: Recording, at position: Int, folder: String? = nil
  ) async throws -> Int {
    var report = report
    report.position = FrameReport.Position(index: position, of: recording.source.frames.count)
    let content = try await Task(executorPreference: threads) { [report] in
      try ReportPage.Content(report)
    }.value
    if studies.count >= Self.keptFrames { studies.removeFirst() }
    let number = count
    count += 1
    studies.append(
      Study(
        number: number, recording: recording.number, position: position, report: report, content: content,
        folder: folder))
    keep(recording)
    return number
  }

  private func recording(
    of source: any CaptureSource, capture: String, path: [FrameReport.Pose], upload: UploadFolder?
  ) -> Recording {
    defer { recordingCount += 1 }
    return Recording(number: recordingCount, source: source, capture: capture, path: path, upload: upload)
  }

  /// Keeps a capture of which a frame is shown, for its other frames.
  private func keep(_ recording: Recording) {
    // What no page shows any more cannot be turned.
    recordings.removeAll { old in !studies.contains { $0.recording == old.number } }
    guard !recordings.contains(where: { $0.number == recording.number }) else { return }
    recordings.append(recording)
    let uploads = recordings.filter { $0.upload != nil }
    if uploads.count > Self.keptUploads { recordings.removeAll { $0.number == uploads[0].number } }
  }

  func run(path: String, of upload: UploadFolder) async throws -> Int {
    try await run(FrameSelection(path, frames: [], open: open), capture: path, upload: upload)
  }

  /// Perceives the first frame of a selection.
  func run(_ selection: FrameSelection, capture: String, upload: UploadFolder? = nil) async throws -> Int {
    let source = selection.source
    let path = try await Task(executorPreference: threads) { try CameraPath.poses(of: source) }.value
    // Of a single picture nothing is read again.
    let recording = recording(
      of: source, capture: capture, path: path, upload: source.frames.count > 1 ? upload : nil)
    return try await run(recording, at: selection.indices[0])
  }

  func turn(to position: Int, from frame: Int) async throws -> Int? {
    guard let study = study(frame) else { return nil }
    if let known = studies.last(where: { $0.recording == study.recording && $0.position == position }) {
      return known.number
    }
    guard let recording = recordings.first(where: { $0.number == study.recording }) else {
      throw Refusal.cannotProcess("the capture is no longer here, others came after it: drop it again")
    }
    guard recording.source.frames.indices.contains(position) else { return nil }
    return try await run(recording, at: position)
  }

  private func run(_ recording: Recording, at position: Int) async throws -> Int {
    guard let perceiver else { throw CommandError.noWeights("there are no networks to run") }
    let (source, capture, path) = (recording.source, recording.capture, recording.path)
    let report = try await Task(executorPreference: threads) {
      let outcome = try await FrameOutcome(try source.frame(at: position), perceiver, requests: [])
      return FrameReport(outcome, perceiver: perceiver, capture: capture, path: path)
    }.value
    return try await add(report, of: recording, at: position)
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

  private static func text(_ json: JSONValue) -> [UInt8] { json.utf8(pretty: true) }

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
