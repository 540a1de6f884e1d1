import Geometry
import Imaging
import NNRuntime

/// A network that can be looked at layer by layer.
package protocol LayeredNetwork: Sendable {
  /// What the network is called.
  var name: String { get }
  /// The input's size where nothing else is asked for.
  var standardSize: PixelSize { get }
  /// The input's size for a picture.
  func inputSize(for picture: PixelSize) throws -> PixelSize
  /// The session that runs an input of this size.
  ///
  /// `prompt`: the size of the second input, of a network that has one; nil for the usual one.
  func session(for size: PixelSize, prompt: PixelSize?) throws -> Session
  /// Writes an upright picture into the inputs, as the network's users do.
  func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize)
}

/// A network of any family by its weights, for looking at its layers.
public struct InspectedNetwork: Sendable {
  private let network: any LayeredNetwork

  /// Binds the weights of whichever network they are.
  ///
  /// - Throws: `NetworkError` for weights of no network known here; else as the network's own initializer.
  public init(
    weights: WeightStore, options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws {
    network = try RecognizedNetwork.family(of: weights).build(weights, options: options, pool: pool)
  }

  /// What the network is called.
  public var name: String { network.name }

  /// The session that runs an input of this size.
  ///
  /// - Parameters:
  ///   - size: The input's.
  ///   - prompt: The size of a prompted depth network's prompt, by default 256x192.
  /// - Returns: The session, made on the first call for a size and kept.
  /// - Throws: The network's own error for a size that it cannot have, and what `Plan` throws.
  public func session(for size: PixelSize, prompt: PixelSize? = nil) throws -> Session {
    try network.session(for: size, prompt: prompt)
  }

  /// The input's size where nothing else is asked for: 640x640, or 518x518 for depth.
  public var standardSize: PixelSize { network.standardSize }

  /// The input's size for a picture: the standard square for a detector, the picture's shape for depth.
  public func inputSize(for picture: RGBImage) throws -> PixelSize {
    try network.inputSize(for: PixelSize(width: picture.width, height: picture.height))
  }

  /// Writes an upright picture into the input `input`, as the network's users do; a prompt, which a picture has not,
  /// is one half everywhere.
  public func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize) {
    network.fill(inputs, with: picture, size: size)
  }
}
