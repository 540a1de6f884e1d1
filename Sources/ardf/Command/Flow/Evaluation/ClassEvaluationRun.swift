import Digests
import Evaluation
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime

/// An evaluation of a classifier, in one or several precisions, on a folder of pictures for each class.
struct ClassEvaluationRun {
  private struct Network {
    let precision: Precision
    let model: any ClassNetwork
    let kernels: String
  }

  let pictures: [ClassFolders.Picture]
  private let passedOver: PassedOver
  private let file: GivenPath
  private let source: String
  private let networks: [Network]
  private let limits: ImageLimits

  /// Finds pictures, then plans the network in every precision.
  init(
    _ weights: NetworkWeights, _ store: WeightStore, _ family: any ClassNetworkFamily.Type, side asked: Int?,
    precisions: EvaluatedArithmetic, limits: ImageLimits, source: String
  ) throws {
    file = weights.file
    self.source = source
    self.limits = limits
    let side = asked ?? family.trainedSide(of: store)
    let pool = precisions.makePool()
    networks = try precisions.precisions(for: weights).map { precision in
      try InFile.naming(weights.file.name) {
        let model = try family.classifier(
          store, side: side, options: precisions.compute(precision).planOptions(for: store),
          pool: pool)
        let session = try model.layeredSession(for: PixelSize(width: side, height: side), prompt: nil)
        return Network(precision: precision, model: model, kernels: session.plan.kernelName)
      }
    }
    pictures = try ClassFolders.read(source, names: networks[0].model.classNames)
    passedOver = try PassedOver(below: source)
  }

  /// Pictures that are evaluated and that cannot be read.
  var total: Int { pictures.count + passedOver.unnamed.count }

  /// Evaluates all pictures; those that cannot be read are reported and left out.
  func run() throws -> ClassReport {
    var accuracies = networks.map { _ in ClassAccuracy() }
    var progress = Progress("picture", of: pictures.count)
    var leftOut = LeftOutInputs(unit: "pictures")
    leftOut.add(passedOver, of: source)
    for (index, picture) in pictures.enumerated() {
      defer { progress.update(index + 1) }
      let image: RGBImage
      do throws(ImageError) {
        image = try ImageCodec.decode(path: picture.path, limits: limits).upright()
      } catch {
        leftOut.add(picture.path, of: source, reason: "\(error)")
        continue
      }
      for (position, network) in networks.enumerated() {
        let found = try InFile.naming(file.name) { try network.model.classify(image) }
        accuracies[position].add(found.classes.map(\.index), of: picture.classIndex)
      }
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: total)
    let model = networks[0].model
    return ClassReport(
      network: model.name, weightsDigest: try sha256Hex(path: file.path),
      classNames: model.classNames, side: model.side,
      pictures: total - leftOut.entries.count,
      leftOut: leftOut,
      rows: zip(networks, accuracies).map { network, accuracy in
        ClassReport.Row(precision: network.precision, kernels: network.kernels, accuracy: accuracy)
      })
  }
}
