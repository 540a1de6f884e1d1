import AppCore
import Geometry
import Imaging
import Models
import NNRuntime

/// A picture so long and thin that relative depth at `--depth-size` would need too much memory.
struct PictureTooElongated: Error, CustomStringConvertible {
  let size: PixelSize
  let depthSize: Int
  /// The largest `--depth-size` that would do.
  let largest: Int?

  var description: String {
    "a \(size.width)x\(size.height) picture is too elongated for depth at --depth-size \(depthSize); "
      + (largest.map { "give \($0) or less, or crop it" } ?? "crop it")
  }
}

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

  /// Relative depth of a picture as it is stored, the network's input, and how long it took.
  typealias Estimate = (relative: RelativeDepth, input: PixelSize, timings: StageTimings)

  /// The relative depth of an upright picture, turned to the picture as it is stored.
  ///
  /// - Throws: `PictureTooElongated`, which is said of one picture and leaves others to be estimated.
  func estimate(_ upright: RGBImage, orientation: Orientation) throws -> Estimate {
    do {
      let estimate = try model.estimate(upright)
      return (
        RelativeDepth(estimate.depth).turnedBack(from: orientation), estimate.networkSize, estimate.timings
      )
    } catch DepthError.tooElongated(let size, let bound, let largest) {
      throw PictureTooElongated(size: size, depthSize: bound, largest: largest)
    } catch DepthError.nonFiniteOutput {
      throw InFile(file: file, error: DepthError.nonFiniteOutput)
    }
  }

  /// The estimate, or why a picture can have none.
  func estimateIfPossible(
    _ upright: RGBImage, orientation: Orientation
  ) throws -> Result<Estimate, PictureTooElongated> {
    do {
      return .success(try estimate(upright, orientation: orientation))
    } catch let error as PictureTooElongated {
      return .failure(error)
    }
  }
}
