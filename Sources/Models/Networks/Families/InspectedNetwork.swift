import Geometry
import Imaging
import NNRuntime

/// A network that can be inspected layer by layer.
package protocol LayeredNetwork: Sendable {
  /// The network's name.
  var name: String { get }
  /// The input's size where nothing else is asked for.
  var standardSize: PixelSize { get }
  /// The input's size for a picture.
  func inputSize(for picture: PixelSize) throws(NetworkError) -> PixelSize
  /// The session that runs an input of this size.
  ///
  /// `prompt`: the size of the second input, of a network that has one; nil for the usual one.
  func layeredSession(for size: PixelSize, prompt: PixelSize?) throws(NetworkError) -> Session
  /// Writes an upright picture into the inputs, as the network's users do.
  func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize) throws(PortError)
  /// Decoding of its outputs.
  var decoding: any DecodedNetwork { get }
}

/// A network of any family, built from its weights to list its layers.
public struct InspectedNetwork: Sendable {
  private let network: any LayeredNetwork

  /// Binds the weights of whichever network they are.
  ///
  /// - Throws: `NetworkError` for weights of no network known here, and for what the network finds wrong with them.
  public init(
    weights: WeightStore, options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws(NetworkError) {
    network = try RecognizedNetwork.family(of: weights).build(weights, options: options, pool: pool)
  }

  /// The network's name.
  public var name: String { network.name }

  /// Decoding of the network's raw outputs, for comparisons.
  public var decoding: any DecodedNetwork { network.decoding }

  /// The session that runs an input of this size.
  ///
  /// - Parameters:
  ///   - size: The input's.
  ///   - prompt: The size of a prompted depth network's prompt, by default 256x192.
  /// - Returns: The session, made on the first call for a size and kept.
  /// - Throws: `NetworkError` for a size that the network cannot have, and where it cannot be planned.
  public func session(for size: PixelSize, prompt: PixelSize? = nil) throws(NetworkError) -> Session {
    try network.layeredSession(for: size, prompt: prompt)
  }

  /// The input's size where nothing else is asked for: 640x640, or 518x518 for depth.
  public var standardSize: PixelSize { network.standardSize }

  /// The input's size in pixels for a picture: the standard square for a detector, the picture's shape for depth.
  ///
  /// - Throws: `NetworkError.depth` for a picture too elongated for the depth network.
  public func inputSize(for picture: RGBImage) throws(NetworkError) -> PixelSize {
    try network.inputSize(for: PixelSize(width: picture.width, height: picture.height))
  }

  /// Writes an upright picture into the input `input`, as the network's users do; a prompt, which a picture has not,
  /// is one half everywhere.
  ///
  /// - Throws: `PortError` for the inputs of another network.
  public func fill(
    _ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize
  ) throws(PortError) {
    try network.fill(inputs, with: picture, size: size)
  }
}
