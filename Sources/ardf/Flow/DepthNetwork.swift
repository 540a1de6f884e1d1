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

/// Why a frame can have no estimate although others can.
enum NoEstimate: Error, CustomStringConvertible {
  case tooElongated(PictureTooElongated)
  /// The network reads the sensor's depth, and the frame has none.
  case noPrompt

  var description: String {
    switch self {
    case .tooElongated(let error): "\(error)"
    case .noPrompt: "no LiDAR depth, which the prompted depth network reads beside the picture"
    }
  }
}

/// A depth network ready to estimate the depth of captured frames.
struct DepthNetwork: Sendable {
  /// The weights' path.
  let file: String
  let model: DepthAnythingV2

  init(file: String, _ options: DepthOptions, compute: ComputeOptions, pool: ThreadPool) throws {
    self.file = file
    let store = try WeightStore(path: file, allowNonFinite: compute.allowNonfinite)
    let family = try InFile.naming(file) { try RecognizedNetwork.family(of: store) }
    guard family.task == .depth else {
      throw CommandError.input(
        "\(file): holds a YOLO network; give it as --yolo, and depth weights as --depth")
    }
    model = try InFile.naming(file) {
      try DepthAnythingV2(
        weights: store, input: options.depthSize.map { .lowerBound($0) }, options: compute.planOptions(),
        pool: pool)
    }
  }

  /// Meters below which inverse depth grows no more.
  private static let nearest: Float = 1e-3

  private init(_ other: DepthNetwork, model: DepthAnythingV2) {
    file = other.file
    self.model = model
  }

  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> DepthNetwork { DepthNetwork(self, model: model.running(on: pool)) }

  /// What the network is called.
  var name: String { model.architecture.name }

  /// What the network's numbers mean.
  var output: DepthOutput { model.architecture.output }

  /// Depth of a picture as it is stored, the network's input, and how long it took.
  struct Estimate: Sendable {
    /// Depth of the picture as it is stored.
    let depth: EstimatedDepth
    let input: PixelSize
    let timings: StageTimings
  }

  /// The depth of an upright picture, turned to the picture as it is stored.
  ///
  /// `sensor`: The frame's own depth, as stored: what a prompted network reads.
  ///
  /// - Throws: `NoEstimate`, which is said of one picture and leaves others to be estimated.
  func estimate(
    _ upright: RGBImage, orientation: Orientation, sensor: Plane<Float>? = nil
  ) throws -> Estimate {
    do {
      let found = try model.estimate(upright, sensor: sensor?.oriented(orientation))
      let stored = orientation == .up ? found.depth : found.depth.oriented(orientation.inverse)
      let isMetric = output.isMetric
      return Estimate(
        depth: EstimatedDepth(
          relative: RelativeDepth(isMetric ? stored.map { 1 / max($0, Self.nearest) } : stored),
          metric: isMetric ? MetricDepth(fitted: stored) : nil, isPrompted: output == .prompted),
        input: found.networkSize, timings: found.timings)
    } catch DepthError.tooElongated(let size, let bound, let largest) {
      throw NoEstimate.tooElongated(PictureTooElongated(size: size, depthSize: bound, largest: largest))
    } catch DepthError.noPrompt {
      throw NoEstimate.noPrompt
    } catch DepthError.nonFiniteOutput {
      throw InFile(file: file, error: DepthError.nonFiniteOutput)
    } catch {
      throw innermost(error)
    }
  }

  /// The estimate, or why a picture can have none.
  func estimateIfPossible(
    _ upright: RGBImage, orientation: Orientation, sensor: Plane<Float>?
  ) throws -> Result<Estimate, NoEstimate> {
    do {
      return .success(try estimate(upright, orientation: orientation, sensor: sensor))
    } catch let error as NoEstimate {
      return .failure(error)
    }
  }
}
