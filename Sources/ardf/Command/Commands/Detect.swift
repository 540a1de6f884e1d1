import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import Perception
import Sharding

/// `ardf detect`: YOLO networks of any task.
struct Detect: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds objects, masks, key points, oriented boxes or classes with YOLOv8, YOLO11 or YOLO26.",
    discussion: Help.text(
      """
      The weights decide what is found. Writes detections.json, masks/NNN.png and annotated.jpg (of a classifier \
      classes.json and annotated.jpg), of several pictures into a folder each. --out - (or \
      --json) prints one line of JSON per picture, as soon as it is done. Boxes and masks are in \
      the pixels of the picture as it is stored; a picture stored sideways is detected upright. Films, cameras and \
      addresses are read with ffmpeg.
      """,
      ("What is in a picture?", "ardf detect bus.jpg --conf 0.25 --out found"),
      ("Names only", "ardf detect bus.jpg --out - | jq -r '.detections[].className'"),
      (
        "People and cars of a film, as a table",
        "ardf detect clip.mp4 --classes person,car --format csv --out - > people.csv"
      ),
      (
        "Pictures as another program makes them",
        "cat pictures/*.jpg | ardf detect - --out - | jq -c '[.detections[].box]'"
      ),
      ("A camera, as fast as it goes", "ardf detect /dev/video0 --live --out -"),
      ("What people do", "ardf detect street.jpg --yolo yolo11n-pose.pt --conf 0.25 --out poses"),
      (
        "Ships and planes from above, for DOTA's evaluation",
        "ardf detect tiles --yolo yolo11n-obb.pt --conf 0.01 \\\n--format dota --out task1"
      ),
      (
        "Small things in large pictures",
        "ardf detect drone.jpg --tile 640 --overlap 0.2 --conf 0.25 --out tiled"
      ),
      ("COCO results of a folder of pictures", "ardf detect pictures --format coco --out found-coco")))

  @Argument(
    help:
      "\(InputKinds.many), sequences, folders of these, or patterns such as 'day/*.jpg'. \(InputKinds.streams)"
  )
  var sources: [String]

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Detector") var tiles: TileOptions
  @OptionGroup(title: "Output") var format: FormatOptions
  @OptionGroup(title: "Output") var pictures: PictureOptions
  @OptionGroup(title: "Input") var streaming: StreamOptions
  @OptionGroup(title: "Input") var change: ChangeOptions
  @OptionGroup(title: "Tracking") var tracking: TrackingOptions

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() async throws {
    try MistakenInput.refuseWeights(among: sources, verb: "detect", option: "--yolo", given: detector.yolo)
    let stream = try streaming.source(among: sources)
    try change.check(stream)
    if let stream { return try await run(stream) }
    let inputs = try RunInputs(sources, names: frame) {
      try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
    }
    try tracking.check(inputs)
    let frames = inputs.frames
    let results = try DetectionResults(
      output.target, format.format, pictures.pictureFormat, isSingle: inputs.isSingle,
      inputs: inputs.paths + [detector.yolo] + compute.arithmetic.plans, frames: frames)
    let pool = compute.makePool()
    let network = try network(results, pool: pool)
    let workers = FrameWorkers(threads: pool.threads, frames: frames.count)
    let networks =
      workers.threads.count == 1
      ? [network] : workers.threads.map { network.running(on: ThreadPool(threads: $0)) }
    var speed = SpeedLog()
    var progress = Progress("picture", of: frames.count)
    var leftOut = LeftOutInputs(unit: "pictures")
    let tracks = SequenceTracks(try tracking.tracker())
    let (files, isTracked, isSingle) = (results.files, tracking.isOn, inputs.isSingle)
    try await workers.inOrder(frames.count) { position, worker in
      try PictureOutcome(
        frames[position], networks[worker], files: isTracked ? nil : files, isTolerant: !isSingle)
    } deliver: { position, made in
      let frame = frames[position]
      switch made {
      case .failed(let defect):
        let bad = leftOut.add(defect, of: frame)
        try results.add(bad, at: frame.reference.timestamp)
      case .done(var picture, let captured):
        speed.add(picture.speed)
        if let captured, let tracks {
          picture = picture.followed { tracks.followed($0, in: captured.image, source: frame.place.source) }
          try files.write(picture, of: captured, name: frame.folder)
        }
        try results.add(picture, source: frame.source.path, name: frame.folder, isListed: true)
      }
      progress.update(position + 1)
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: frames.count)
    let source = sources.count == 1 ? frames.first?.source : nil
    try results.finish(layout: source?.layout, skipped: (source?.skipped ?? []) + inputs.leftOut)
    for line in speed.lines { Console.inform(line) }
    try leftOut.finish(of: frames.count)
    try inputs.checkAllRead()
  }

  /// A worker's result for one frame.
  private enum PictureOutcome: Sendable {
    /// - `frame`: the frame, if its files are not written yet.
    case done(DetectedPicture, CapturedFrame?)
    case failed(FrameDefect)

    /// Detects, and writes the files where objects need no identities first.
    ///
    /// `isTolerant`: whether a bad frame is reported instead of thrown, because there are others.
    init(_ frame: RunFrame, _ network: PictureNetwork, files: DetectionFiles?, isTolerant: Bool) throws {
      do {
        let captured = try frame.source.frame(at: frame.index)
        let picture = try network.detected(in: captured)
        try files?.write(picture, of: captured, name: frame.folder)
        self = .done(picture, files == nil ? captured : nil)
      } catch {
        guard isTolerant, let defect = FrameDefect(error) else { throw error }
        self = .failed(defect)
      }
    }
  }

  /// Detects in the pictures of a stream as they arrive.
  private func run(_ stream: StreamSource) async throws {
    guard frame.isEmpty else { throw CommandError.usage("--frame chooses frames of a capture; leave it out") }
    let results = try DetectionResults(
      output.target, format.format, pictures.pictureFormat, isSingle: false,
      inputs: RunInputs(stream: stream).paths + [detector.yolo] + compute.arithmetic.plans)
    let network = try network(results, pool: compute.makePool())
    var speed = SpeedLog()
    var log = StreamLog()
    var leftOut = LeftOutInputs(unit: "pictures")
    let tracks = SequenceTracks(try tracking.tracker())
    let files = results.files
    let arrivals = streaming.pictures(
      of: stream, limits: limits, output: output, onChange: change.onChange)
    var writing = WriteBehind()
    let stalled: CommandError?
    do {
      stalled = try await arrivals.forEach { arrival in
        let captured: CapturedFrame
        do throws(DamagedPicture) {
          captured = try arrival.frame(of: stream, camera: .exif)
        } catch {
          log.add(arrival, isDone: false)
          try results.add(leftOut.add(arrival, error), at: arrival.time, arrival.wallClock)
          return
        }
        var picture = try network.detected(in: captured)
        if let tracks { picture = picture.followed { tracks.followed($0, in: captured.image, source: 0) } }
        speed.add(picture.speed)
        if let change = arrivals.change, !change.isNew(picture) {
          log.add(arrival, isDone: true, isUnchanged: true)
          return
        }
        picture.wallClock = arrival.wallClock
        let found = picture
        if files.folder != nil {
          try await writing.begin { try files.write(found, of: captured, name: captured.name) }
        }
        try results.add(found, source: stream.name, name: captured.name, isListed: false)
        log.add(arrival, isDone: true)
      }
    } catch {
      try? await writing.finish()
      throw error
    }
    try await writing.finish()
    if log.done > 0 { try results.finish(layout: nil, skipped: []) }
    for line in speed.lines { Console.inform(line) }
    try log.finish(stream.name, stalled: stalled)
  }

  /// The network, after checking that its results can be written in the format asked for.
  private func network(_ results: DetectionResults, pool: ThreadPool) throws -> PictureNetwork {
    let weights = try detector.weights(compute.settings)
    guard case .classes(let store, let family) = weights.task else {
      var found = try tracking.scored(detector).settings.detector(
        weights, compute.settings, pool: pool)
      found.rules.tiling = tiles.tiling
      // Tracks begin at a score of their own.
      found.rules.tellsSurest = !tracking.isOn
      Console.inform("detector \(found.network.name) from \(weights.file)")
      try format.format.check(found.network)
      try results.begin(layout(ObjectTable.columns(of: found.network)))
      return .objects(found)
    }
    guard !tracking.isOn else {
      throw CommandError.usage("--track follows objects; \(weights.file) is a classifier, which finds none")
    }
    guard tiles.tiling == nil else {
      throw CommandError.usage(
        "--tile looks for objects; \(weights.file) is a classifier, which sees pictures as a whole")
    }
    try GivenOptions.refuse(
      ["--conf", "--iou", "--max-det", "--masks", "--nms", "--classes", "--rect"],
      "\(weights.file): holds a classifier, which finds no objects")
    let classifier = try detector.settings.classifier(weights, store, family, compute.settings, pool: pool)
    Console.inform("classifier \(classifier.name) from \(classifier.file)")
    try format.format.check(classifier)
    try results.begin(layout(ObjectTable.classes))
    return .classes(classifier)
  }

  /// The layout of the table of results.
  private func layout(_ columns: [String]) throws -> ObjectTable.Layout {
    ObjectTable.Layout(
      columns: columns, isTracked: tracking.isOn,
      hasTime: try streaming.source(among: sources).map(streaming.hasTimeOfDay) ?? false,
      keepsEmpty: change.onChange)
  }
}
