import AppCore
import Digests
import Evaluation
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import OutputFolders

/// An evaluation of a detector, in one or several precisions, on labeled pictures.
///
/// Pictures are read one by one; only scores and matches are kept.
struct ObjectEvaluationRun {
  /// The network in one precision.
  private struct Network {
    let precision: Precision
    let model: any BuiltInObjectNetwork
    let kernels: String
  }

  let set: LabeledSet
  private let file: GivenPath
  private let source: String
  private let options: ObjectEvaluationSettings
  private let networks: [Network]
  private let side: Int
  private let limits: ImageLimits
  private let evaluated: EvaluatedObjects
  private let shape: EvaluatedShape

  /// Reads labels, then plans the network in every precision, so that errors appear before any picture is evaluated.
  init(
    _ weights: NetworkWeights, _ family: any ObjectNetworkFamily.Type, options: ObjectEvaluationSettings,
    precisions: EvaluatedArithmetic, limits: CaptureLimits, source: String
  ) throws {
    let file = weights.file
    self.file = file
    self.source = source
    self.options = options
    self.limits = limits.pictures
    let side = options.detector.side ?? family.trainedSide(of: weights.store)
    self.side = side
    let pool = precisions.makePool()
    let input = ObjectInput(
      side: side, isRectangle: options.detector.isRectangle, isSuppressed: options.detector.isSuppressed)
    func model(_ precision: Precision) throws -> any BuiltInObjectNetwork {
      try InFile.naming(file.name) {
        try family.detector(
          weights.store, input: input, options: precisions.compute(precision).planOptions(for: weights.store),
          pool: pool)
      }
    }
    let all = try precisions.precisions(for: weights).map { ($0, try model($0)) }
    evaluated = try EvaluatedObjects(all[0].1.form, options: options, file: file)
    let names = all[0].1.classNames
    let classes = EvaluatedClasses(
      names: names, only: try DetectorSettings.indices(of: options.detector.classes, among: names))
    if let annotations = options.annotations {
      let (keypoints, pictures) = (evaluated.keypoints, limits.pictures)
      let bytes = max(AnnotationFile.largest, limits.indexBytes)
      do {
        set = try JSONFile.expecting(
          "COCO's annotations, instances_val2017.json for example", in: annotations
        ) {
          try AnnotationFile.read(
            annotations, pictures: source, classes: classes, keypoints: keypoints, imageLimits: pictures,
            bytes: bytes)
        }
      } catch let error where error is JSONError || error is JSONFile.NoJSON {
        // All others name their file.
        throw InFile(file: annotations, error: error)
      }
    } else {
      set = try LabelFolder.read(source, classes: classes, form: evaluated.form, limits: limits.pictures)
    }
    shape = evaluated.shape(for: set)
    networks = try all.map { precision, model in
      let session = try InFile.naming(file.name) {
        try model.layeredSession(for: PixelSize(width: side, height: side), prompt: nil)
      }
      return Network(precision: precision, model: model, kernels: session.plan.kernelName)
    }
  }

  /// Evaluates all pictures; those that cannot be read are reported and left out.
  func run(writingTo folder: OutputFolder?) throws -> ObjectReport {
    let (model, rule) = (networks[0].model, evaluated.rule)
    let scoring = DetectionScoring(
      shape,
      thresholds: DetectionThresholds(
        confidence: Float(options.detector.confidence), overlap: Float(options.detector.overlap),
        limit: options.detector.limit),
      masks: options.masks ?? .retina)
    if let note = evaluated.note(for: set) { Console.note(note) }
    var evaluators = networks.map { _ in
      ObjectEvaluator(rule, classCount: model.classNames.count, shape: shape)
    }
    let files = try folder.flatMap { folder in
      rule == .coco
        ? try networks.map { try PredictionFile("predictions-\($0.precision.rawValue).json", in: folder) }
        : nil
    }
    let frames =
      rule == .coco
      ? nil
      : ValidationBatches.frames(
        set.pictures.map { ($0.width, $0.height) }, side: side, rect: options.detector.isRectangle)
    var progress = Progress("picture", of: set.pictures.count)
    var labels = 0
    var leftOut = LeftOutInputs(unit: "pictures")
    for picture in set.leftOut { leftOut.add(picture.path, of: source, reason: picture.reason) }
    leftOut.add(set.passedOver, of: source)
    for (index, picture) in set.pictures.enumerated() {
      defer { progress.update(index + 1) }
      let image: RGBImage
      do throws(ImageError) {
        image = try ImageCodec.decode(path: picture.path, limits: limits).upright()
      } catch {
        leftOut.add(picture.path, of: source, reason: "\(error)")
        continue
      }
      guard image.width == picture.width, image.height == picture.height else {
        throw FileError.changed(path: picture.path)
      }
      labels += picture.objects.count
      if let frame = frames?[index] {
        let truth = UltralyticsPicture(picture, in: frame, shape: shape)
        for (position, network) in networks.enumerated() {
          let found = try InFile.naming(file.name) {
            try scoring.detections(of: image, by: network.model, in: frame)
          }
          evaluators[position].add(found, of: truth)
        }
      } else {
        let truth = COCOPicture(picture, shape: shape)
        for (position, network) in networks.enumerated() {
          let found = try InFile.naming(file.name) { try scoring.detections(of: image, by: network.model) }
          try files?[position].add(found, of: picture, categories: set.categoryIds)
          evaluators[position].add(found, of: truth)
        }
      }
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: set.total)
    for file in files ?? [] { try file.finish() }
    return ObjectReport(
      network: model.name, weightsDigest: try sha256Hex(path: file.path),
      classNames: model.classNames, rule: rule,
      input: (options.detector.isRectangle ? "within " : "") + "\(side)x\(side)",
      shape: shape,
      masks: shape != .masks ? nil : rule == .coco ? (options.masks ?? .retina).rawValue : "grid",
      thresholds: (options.detector.confidence, options.detector.overlap, options.detector.limit),
      pictures: set.total - leftOut.entries.count,
      leftOut: leftOut, labels: labels,
      rows: zip(networks, evaluators).map { network, evaluator in
        ObjectReport.Row(
          precision: network.precision, kernels: network.kernels, boxes: evaluator.boxResult,
          shapes: evaluator.shapeResult)
      })
  }
}
