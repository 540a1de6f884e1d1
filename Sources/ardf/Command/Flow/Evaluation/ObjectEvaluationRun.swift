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
    _ weights: NetworkWeights, _ source: DetectorSource, options: ObjectEvaluationSettings,
    precisions: EvaluatedArithmetic, limits: CaptureLimits, source folder: String
  ) throws {
    let file = weights.file
    self.file = file
    self.source = folder
    self.options = options
    self.limits = limits.pictures
    let pool = precisions.makePool()
    let all = try precisions.precisions(for: weights).map {
      ($0, try options.detector.planned(weights, source, precisions.compute($0), pool: pool))
    }
    let size = all[0].1.exportedInput
    side = max(size.width, size.height)
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
            annotations, pictures: folder, classes: classes, keypoints: keypoints, imageLimits: pictures,
            bytes: bytes)
        }
      } catch let error where error is JSONError || error is JSONFile.NoJSON {
        // All others name their file.
        throw InFile(file: annotations, error: error)
      }
    } else {
      set = try LabelFolder.read(folder, classes: classes, form: evaluated.form, limits: limits.pictures)
    }
    shape = evaluated.shape(for: set)
    networks = try all.map { precision, model in
      let kernels = try InFile.naming(file.name) { try model.kernelName(for: size) }
      return Network(precision: precision, model: model, kernels: kernels)
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
      input: model.inputText,
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
