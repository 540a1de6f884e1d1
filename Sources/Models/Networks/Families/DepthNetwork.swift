import Geometry
import Imaging
import NNRuntime

/// A network that estimates the depth of pictures, of whatever family.
///
/// Calls from several threads are safe and take turns.
public protocol DepthNetwork: Sendable {
  /// The network's name, such as `depth-anything-v2-small`.
  var name: String { get }
  /// Kind of its output.
  var output: DepthOutput { get }
  /// Where its weights come from.
  var weights: WeightSource { get }

  /// The depth of an upright picture.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - sensor: What a prompted network reads: planar depth in meters over the upright picture's whole field, at any
  ///     resolution; others ignore it.
  /// - Returns: Depth at every pixel of the picture, as `output` says.
  /// - Throws: `DepthError.tooElongated` and `.noPrompt` for pictures that can have no estimate; the family's error for
  ///   weights that changed, a plan that cannot be made, and outputs that are not finite.
  func estimate(_ picture: RGBImage, sensor: Plane<Float>?) throws -> DepthEstimate
  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> Self
}

/// The depth of one picture.
public struct DepthEstimate: Sendable {
  /// Depth in the pixels of the given picture, as the network's `output` says: relative inverse depth (zero or more,
  /// without unit, larger is nearer), or planar depth in meters.
  public let depth: Plane<Float>
  /// Size of the network's input.
  public let networkSize: PixelSize
  /// How long it took.
  public let timings: StageTimings

  /// An estimate from its parts.
  public init(depth: Plane<Float>, networkSize: PixelSize, timings: StageTimings) {
    self.depth = depth
    self.networkSize = networkSize
    self.timings = timings
  }
}

/// A depth network that can be built from a weight file, inspected layer by layer, and served with its
/// export's tensors.
package protocol BuiltInDepthNetwork: DepthNetwork, LayeredNetwork {
  /// The platform that clients of its export see.
  var exportedPlatform: String { get }
  /// The size of the export's input where nothing else is asked for.
  var exportedInput: PixelSize { get throws }
  /// Both sides of an export's input are multiples of it.
  var exportedStep: Int { get }
  /// The export's output, (height, width), for an input (3, height, width), row-major, normalized.
  ///
  /// - `prompt`: of a prompted network, planar depth in meters; others ignore it.
  /// - Throws: `DepthError.noPrompt`, or the family's error.
  func exportedOutput(planar: ArraySlice<Float>, size: PixelSize, prompt: Plane<Float>?) throws -> Plane<
    Float
  >
}
