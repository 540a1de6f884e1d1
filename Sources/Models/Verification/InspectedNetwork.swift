import Geometry
import Imaging
import NNRuntime

/// A network of either kind by its weights, for looking at its layers.
public struct InspectedNetwork: Sendable {
  private enum Network: Sendable {
    case detector(YOLO11Segmentation)
    case depth(DepthAnythingV2)
  }

  private let network: Network

  /// Binds the weights of whichever network they are.
  ///
  /// - Throws: as the network's own initialiser.
  public init(
    weights: WeightStore, options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws {
    network =
      weights.contains("pretrained.cls_token")
      ? .depth(try DepthAnythingV2(weights: weights, options: options, pool: pool))
      : .detector(try YOLO11Segmentation(weights: weights, options: options, pool: pool))
  }

  /// What the network is called.
  public var name: String {
    switch network {
    case .detector(let model): model.architecture.name
    case .depth(let model): model.architecture.name
    }
  }

  /// The session that runs an input of this size.
  ///
  /// - Parameter prompt: the size of a prompted depth network's prompt.
  public func session(
    for size: PixelSize, prompt: PixelSize = DepthInput.standardPrompt
  ) throws -> Session {
    switch network {
    case .detector(let model): try model.session(for: size)
    case .depth(let model): try model.session(for: size, prompt: prompt)
    }
  }

  /// The input's size where nothing else is asked for: 640x640, or 518x518 for depth.
  public var standardSize: PixelSize {
    switch network {
    case .detector: PixelSize(width: 640, height: 640)
    case .depth: PixelSize(width: DepthInputSize.standard, height: DepthInputSize.standard)
    }
  }

  /// The input's size for a picture: the standard square for a detector, the picture's shape for depth.
  public func inputSize(for picture: RGBImage) throws -> PixelSize {
    switch network {
    case .detector: standardSize
    case .depth(let model):
      try model.networkSize(for: PixelSize(width: picture.width, height: picture.height))
    }
  }

  /// Writes an upright picture into the input `input`, as the network's users do; a prompt, which a picture has not,
  /// is one half everywhere.
  public func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize) {
    inputs.fill("input") { target in
      switch network {
      case .detector:
        let letterbox = Letterbox(
          imageSize: PixelSize(width: picture.width, height: picture.height), networkSize: size)
        YOLOPreprocessing.fill(&target, with: picture, letterbox: letterbox)
      case .depth:
        DepthPreprocessing.fill(&target, with: picture, size: size)
      }
    }
    guard case .depth(let model) = network, model.architecture.output == .prompted else { return }
    inputs.fill("prompt") { target in for index in target.indices { target[index] = 0.5 } }
  }
}
