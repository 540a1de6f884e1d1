import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import Perception

/// `ardf detect`: YOLO networks of any task.
struct Detect: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds objects, masks, key points, oriented boxes or classes with YOLOv8, YOLO11 or YOLO26.",
    discussion: Help.text(
      """
      What is found follows from the weights. Writes detections.json, masks/NNN.png and annotated.png (of a classifier \
      classes.json and annotated.png), of several pictures into a folder each. --out - (or \
      --json) prints a line of JSON a picture, as soon as it is done, however many there are. Boxes and masks are in \
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
        "ardf detect drone.jpg --tile 640 --overlap 0.2 --conf 0.25 --out found"
      ),
      ("COCO results of a folder of pictures", "ardf detect pictures --format coco --out found-coco")))

  @Argument(
    help: """
      Pictures, folders of pictures, captures, sequences, or patterns such as 'day/*.jpg'. Or one film, pipe (- is \
      standard input: JPEG and PNG pictures one after the other), camera (/dev/video0), or RTSP or HTTP address.
      """)
  var sources: [String]

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Detector") var tiles: TileOptions
  @OptionGroup(title: "Output") var format: FormatOptions
  @OptionGroup(title: "Input") var streaming: StreamOptions
  @OptionGroup(title: "Tracking") var tracking: TrackingOptions

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() async throws {
    if let stream = try streaming.source(among: sources) { return try await run(stream) }
    let inputs = try RunInputs(sources, names: frame) {
      try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
    }
    try tracking.check(inputs)
    let results = try DetectionResults(
      output, format, isSingle: inputs.isSingle,
      inputs: inputs.paths + [detector.yolo] + compute.arithmetic.plans, frames: inputs.frames)
    let network = try network(results)
    var speed = SpeedLog()
    var progress = Progress("picture", of: inputs.frames.count)
    var leftOut = LeftOutInputs(unit: "pictures")
    // A tracker for each sequence.
    var trackers: [Int: MultiObjectTracker] = [:]
    for (done, frame) in inputs.frames.enumerated() {
      func add() throws {
        var tracker = tracking.tracker()
        let source = frame.place.source
        if let known = trackers[source] { tracker = known }
        try self.add(
          frame.source.frame(at: frame.index), to: results, of: network, tracker: &tracker, speed: &speed,
          source: frame.source.path, name: frame.folder, isListed: true)
        trackers[source] = tracker
      }
      if inputs.isSingle {
        try add()
      } else if let bad = try leftOut.attempt(frame, add) {
        try results.add(bad, at: frame.reference.timestamp)
      }
      progress.update(done + 1)
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: inputs.frames.count)
    let source = sources.count == 1 ? inputs.frames.first?.source : nil
    try results.finish(layout: source?.layout, skipped: source?.skipped ?? [])
    for line in speed.lines { Console.inform(line) }
    try leftOut.finish(of: inputs.frames.count)
    try inputs.checkAllRead()
  }

  /// The pictures of a stream, as they come.
  private func run(_ stream: StreamSource) async throws {
    guard frame.isEmpty else { throw CommandError.usage("--frame chooses frames of a capture; leave it out") }
    let results = try DetectionResults(
      output, format, isSingle: false,
      inputs: RunInputs(stream: stream).paths + [detector.yolo] + compute.arithmetic.plans)
    let network = try network(results)
    var speed = SpeedLog()
    var log = StreamLog()
    var leftOut = LeftOutInputs(unit: "pictures")
    var tracker = tracking.tracker()
    let stalled = try await streaming.pictures(of: stream, limits: limits, output: output).forEach {
      arrival in
      let captured: CapturedFrame
      do throws(DamagedPicture) {
        captured = try arrival.frame(of: stream, camera: .exif)
      } catch {
        log.add(arrival, isDone: false)
        try results.add(leftOut.add(arrival, error), at: arrival.time)
        return
      }
      try add(
        captured, to: results, of: network, tracker: &tracker, speed: &speed, source: stream.name,
        name: captured.name,
        isListed: false)
      log.add(arrival, isDone: true)
    }
    if log.done > 0 { try results.finish(layout: nil, skipped: []) }
    for line in speed.lines { Console.inform(line) }
    try log.finish(stream.name, stalled: stalled)
  }

  /// The network that the weights hold.
  private enum Network {
    case objects(ObjectDetector)
    case classes(PictureClassifier)
  }

  /// The network, when it is known that its results can be written as asked for.
  private func network(_ results: DetectionResults) throws -> Network {
    let weights = try detector.weights(compute)
    let pool = compute.makePool()
    guard case .classes(let family) = weights.task else {
      var found = try tracking.scored(detector).detector(weights, compute, pool: pool)
      found.rules.tiling = tiles.tiling
      Console.inform("detector \(found.network.name) from \(weights.file)")
      try format.check(found.network)
      try results.begin(ObjectTable.columns(of: found.network), isTracked: tracking.isOn)
      return .objects(found)
    }
    guard !tracking.isOn else {
      throw CommandError.usage("--track follows objects; \(weights.file) is a classifier, which finds none")
    }
    guard tiles.tiling == nil else {
      throw CommandError.usage(
        "--tile looks for objects; \(weights.file) is a classifier, which sees pictures as a whole")
    }
    let classifier = try detector.classifier(weights, family, compute, pool: pool)
    Console.inform("classifier \(classifier.name) from \(classifier.file)")
    try format.check(classifier)
    try results.begin(ObjectTable.classes)
    return .classes(classifier)
  }

  private func add(
    _ frame: CapturedFrame, to results: DetectionResults, of network: Network,
    tracker: inout MultiObjectTracker?, speed: inout SpeedLog, source: String, name: String, isListed: Bool
  ) throws {
    switch network {
    case .objects(let network):
      let found = try network.objects(of: frame)
      speed.add(found.timings, network: "\(network.network.name), \(network.network.inputText)")
      let file = DetectionsFile(
        image: frame.name, imageSize: frame.imageSize, model: network.description,
        detections: tracker?.followed(found.detections) ?? found.detections)
      try results.add(
        file, of: frame, source: source, name: name, isListed: isListed, surest: found.surest)
    case .classes(let network):
      try results.add(
        network.classes(of: frame, speed: &speed), of: frame, source: source, name: name, isListed: isListed)
    }
  }
}
