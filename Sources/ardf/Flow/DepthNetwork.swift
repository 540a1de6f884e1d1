import AppCore
import Geometry
import Imaging
import Models
import NNRuntime

/// A depth network ready to estimate the relative depth of captured frames.
struct DepthNetwork: Sendable {
  /// The weights' path.
  let file: String
  private let model: DepthAnythingV2

  init(file: String, _ options: DepthOptions, compute: ComputeOptions, pool: ThreadPool) throws {
    self.file = file
    let store = try WeightStore(path: file, allowNonFinite: compute.allowNonfinite)
    if store.metadata["architecture"]?.hasPrefix("yolo11") ?? store.contains("model.0.conv.weight") {
      throw CommandError.input(
        "\(file): holds a YOLO11 network; give it as --yolo, and depth weights as --depth")
    }
    model = try InFile.naming(file) {
      try DepthAnythingV2(
        weights: store, input: .lowerBound(options.depthSize), options: compute.planOptions(), pool: pool)
    }
  }

  private init(_ other: DepthNetwork, model: DepthAnythingV2) {
    file = other.file
    self.model = model
  }

  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> DepthNetwork { DepthNetwork(self, model: model.running(on: pool)) }

  /// What the network is called.
  var name: String { model.architecture.name }

  /// The relative depth of an upright picture, turned to the picture as it is stored.
  func estimate(
    _ upright: RGBImage, orientation: Orientation
  ) throws -> (relative: RelativeDepth, input: PixelSize, timings: StageTimings) {
    let estimate = try model.estimate(upright)
    return (
      RelativeDepth(estimate.depth).turnedBack(from: orientation), estimate.networkSize, estimate.timings
    )
  }
}
