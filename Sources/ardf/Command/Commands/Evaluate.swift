import AppCore
import ArgumentParser
import Evaluation
import FileFormats
import Models
import NNRuntime
import OutputFolders

/// `ardf evaluate`: how accurate a network is.
struct Evaluate: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures how accurate a network is, on labeled pictures or on captures with depth.",
    discussion: Help.text(
      """
      Detectors: average precision (mAP50-95, mAP50) of boxes, and of masks, key points or oriented boxes as the network \
      finds them, on a folder with images/ and labels/ as Ultralytics has them, or on pictures with --annotations of \
      COCO. Classifiers: top1 and top5 accuracy, on a folder of pictures for each class. Depth networks: AbsRel, RMSE and delta1 against \
      the sensor's readings, frame by frame; a relative network's depth is fitted to them first, in scale and shift of \
      inverse depth. With --laser the sensor, fused depth and the fit are compared with a laser scanner's depth, and with \
      --boxes measured boxes with annotated ones, on videos of ARKitScenes and CA-1M. \
      Several --precision values come side by side, with what the others lose to the first. --out keeps \
      evaluation.json and, by the protocol coco, what was found as COCO results.
      """,
      (
        "Average precision of boxes and masks",
        "ardf evaluate labeled --weights weights/yolo11n-seg.safetensors"
      ),
      (
        "The same, as yolo val computes it",
        "ardf evaluate labeled --weights weights/yolo11n-seg.safetensors \\\n--protocol ultralytics --rect"
      ),
      (
        "COCO's annotations, with the predictions as COCO results",
        "ardf evaluate labeled/images --annotations labeled/instances.json \\\n"
          + "--weights weights/yolo11n-seg.safetensors --out evaluated"
      ),
      (
        "Depth against the sensor of a capture",
        "ardf evaluate scan --weights weights/dav2s-ardf-fp16.safetensors"
      ),
      (
        "Depth against a laser scanner's, of a video of CA-1M",
        "ardf evaluate 45261179 --laser --weights depth.safetensors"
      ),
      (
        "Boxes against those that it is annotated with",
        "ardf evaluate 45261179 --boxes --weights weights/yolo11n-seg.safetensors"
      )))

  @Argument(
    help: ArgumentHelp(
      "A folder of labeled pictures, for classifiers of one folder per class; for depth captures, sequences, or patterns for these.",
      valueName: "source"))
  var sources: [String]

  @Option(
    help: ArgumentHelp(
      "Weights of a YOLO or a depth network: a file, a checkpoint (.pt, .pth), or a name such as yolo11n-seg.",
      valueName: "file"))
  var weights: String

  @OptionGroup(title: "Computation") var precisions: EvaluatedPrecisions
  @OptionGroup(title: "Detector") var objects: ObjectEvaluationOptions
  @OptionGroup(title: "Depth") var depth: DepthEvaluationOptions

  @Option(help: "Layout of the results: text, json, csv or markdown.")
  var report = EvaluationLayout.text

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Folder for evaluation.json and predictions; must not exist yet.", valueName: "dir"))
  var out: String?

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var table: TableOptions

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws { if let out { try OutputOptions.checkFolder(out, text: "--report json") } }

  func run() async throws {
    let weights = try NetworkWeights(
      WeightFiles.network(weights), allowNonFinite: precisions.allowNonfinite)
    let file = weights.file
    let arithmetic = try precisions.arithmetic()
    switch weights.task {
    case .objects where objects.boxes:
      let precision = try arithmetic.onlyPrecision(for: weights, option: "--boxes")
      let inputs = try RunInputs(sources, names: depth.frame) {
        try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
      }
      try evaluate(
        BoxEvaluationRun(
          weights, settings: objects.evaluation.measured, compute: arithmetic.compute(precision),
          pool: arithmetic.makePool(), limits: limits.capture, inputs: inputs), file)
    case .objects(let source):
      try checkOptions(file, "a detector")
      try evaluateObjects(weights, source)
    case .classes(let store, let family):
      try checkOptions(file, "a classifier")
      if let option = objects.givenOfObjects {
        throw CommandError.usage("\(file): holds a classifier; \(option) goes with detectors")
      }
      try evaluateClasses(weights, store, family)
    case .depth:
      if let option = objects.given {
        throw CommandError.usage("\(file): holds a depth network; \(option) goes with detectors")
      }
      if depth.laser {
        let precision = try arithmetic.onlyPrecision(for: weights, option: "--laser")
        try evaluate(
          LaserEvaluationRun(
            weights, settings: depth.settings, compute: arithmetic.compute(precision),
            pool: arithmetic.makePool(), limits: limits.capture,
            inputs: depth.inputs(sources, limits.capture)), file)
      } else {
        try evaluate(
          DepthEvaluationRun(
            weights, settings: depth.settings, align: depth.align, precisions: arithmetic,
            inputs: depth.inputs(sources, limits.capture)), file)
      }
    }
  }

  private func evaluateObjects(
    _ weights: NetworkWeights, _ source: DetectorSource
  ) throws {
    let folder = try out.map {
      try OutputFolder($0, force: force, inputs: [sources[0], objects.annotations] + weights.file.inputs)
    }
    let scoring = try ObjectEvaluationRun(
      weights, source, options: objects.evaluation, precisions: precisions.arithmetic(),
      limits: limits.capture, source: sources[0])
    for note in scoring.set.notes { Console.note(note) }
    let report = try scoring.run(writingTo: folder)
    try finish(report, folder)
    try report.leftOut.finish(of: scoring.set.total)
  }

  /// Refuses depth options, and other sources than one folder.
  private func checkOptions(_ file: GivenPath, _ network: String) throws {
    if let option = depth.given {
      throw CommandError.usage("\(file): holds \(network); \(option) goes with depth networks")
    }
    guard sources.count == 1 else {
      throw CommandError.usage("give one folder of labeled pictures; there are \(sources.count)")
    }
    guard pathKind(sources[0]) != .file else {
      throw CommandError.input(
        "\(sources[0]): is not a folder; give the folder that has images/ and labels/, or for classifiers a folder of pictures for "
          + "each class, or a folder of pictures with --annotations of COCO")
    }
  }

  private func evaluateClasses(
    _ weights: NetworkWeights, _ store: WeightStore, _ family: any ClassNetworkFamily.Type
  ) throws {
    let folder = try out.map {
      try OutputFolder($0, force: force, inputs: [sources[0]] + weights.file.inputs)
    }
    let scoring = try ClassEvaluationRun(
      weights, store, family, side: objects.imgsz, precisions: precisions.arithmetic(),
      limits: limits.capture.pictures, source: sources[0])
    let report = try scoring.run()
    try finish(report, folder)
    try report.leftOut.finish(of: scoring.total)
  }

  private func evaluate(_ scoring: some FrameEvaluationRun, _ weights: GivenPath) throws {
    let folder = try out.map {
      try OutputFolder($0, force: force, inputs: scoring.inputs.paths + weights.inputs)
    }
    let report = try scoring.run()
    try finish(report, folder)
    try report.unreadable.finish(of: scoring.inputs.frames.count)
    try scoring.inputs.checkAllRead()
  }

  private func finish(_ report: any EvaluationReport, _ folder: OutputFolder?) throws {
    if let folder {
      try folder.write(report.document, to: "evaluation.json")
      try folder.commit()
    }
    switch self.report {
    case .text: try Console.print(report.heading + "\n\n" + report.table.text)
    case .markdown: try Console.print(report.heading + "\n\n" + report.table.markdown)
    case .csv: try Console.print(report.table.csv)
    case .json: try Console.print(report.document)
    }
  }
}
