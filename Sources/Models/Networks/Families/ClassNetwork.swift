import Imaging
import NNRuntime

/// A network that tells the class of a whole picture, of whatever family.
package protocol ClassNetwork: LayeredNetwork {
  /// The network's name.
  var name: String { get }
  /// Class names, in the order of `Classification.Class.index`.
  var classNames: [String] { get }
  /// The side of the square that pictures are cut to.
  var side: Int { get }
  /// Where its weights come from.
  var weights: WeightSource { get }
  /// The platform that clients of its export see.
  var exportedPlatform: String { get }
  /// Both sides of an export's input are multiples of it.
  var exportedStep: Int { get }
  /// Description of the network for the framework's own client.
  var exportedMetadata: String { get }

  /// All classes of an upright picture's middle square, the likeliest first.
  func classify(_ picture: RGBImage) throws -> Classification
  /// Probabilities of all classes for an input as an ONNX export takes it: (3, side, side), row-major, RGB in [0, 1].
  func exportedOutput(planar: ArraySlice<Float>, side: Int) throws -> [Float]
  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> Self
}
