import Geometry
import Imaging
import NNRuntime

/// A network of any family that finds objects in pictures.
///
/// Calls from several threads are safe and run one at a time.
public protocol ObjectNetwork: Sendable {
  /// The network's name, such as `yolo11n-seg`.
  var name: String { get }
  /// Class names, in the order of `DetectedObject.classIndex`.
  var classNames: [String] { get }
  /// Results of each object besides its box and class.
  var form: ObjectForm { get }
  /// Whether `DetectionThresholds.overlap` is used; false for a head that gives each object one box.
  var suppressesOverlaps: Bool { get }
  /// The sides of the network's input, for people.
  var inputText: String { get }
  /// Where its weights come from.
  var weights: WeightSource { get }

  /// The objects of an upright picture, in its pixels, best first.
  ///
  /// - Throws: the family's error: weights that changed, a plan that cannot be made, outputs that are not finite.
  func detect(_ picture: RGBImage, _ request: DetectionRequest) throws -> DetectedObjects
  /// The same network on another thread pool; the two can run concurrently.
  func running(on pool: ThreadPool) -> Self
}

/// Kind of results that a detector gives for each object besides box and class.
public enum ObjectForm: Sendable, Equatable {
  /// Nothing.
  case boxes
  /// Its pixels.
  case masks
  /// Key points such as a person's joints: how many, and the numbers of each, 2 for x and y or 3 with a
  /// confidence.
  case keypoints(count: Int, dimensions: Int)
  /// A rectangle turned with the object.
  case orientedBoxes

  /// Kind of objects found, for people.
  public var finds: String {
    switch self {
    case .boxes: "boxes"
    case .masks: "boxes and masks"
    case .keypoints: "boxes and key points"
    case .orientedBoxes: "oriented boxes"
    }
  }

  /// How many key points an object has; 0 of networks without.
  public var keypointCount: Int { if case .keypoints(let count, _) = self { count } else { 0 } }
}

/// Which objects of a picture are found, and how.
public struct DetectionRequest: Sendable {
  /// Which candidates become objects.
  public var thresholds: DetectionThresholds
  /// How masks are made; nil makes none in the picture.
  public var masks: MaskMethod?
  /// How the picture is fitted into the network's input; nil for the network's own way.
  package var letterbox: Letterbox?
  /// Also objects no pixel of whose box belongs to them.
  package var keepsEmpty = false
  /// Limits on masks.
  package var bounds = MaskBounds()

  /// A request; by default as the phone app asks.
  public init(thresholds: DetectionThresholds = DetectionThresholds(), masks: MaskMethod? = .retina) {
    self.thresholds = thresholds
    self.masks = masks
  }
}

/// Where a network's weights come from.
public struct WeightSource: Sendable, Equatable {
  /// The weight file's name in messages: its path, or a description of where the tensors came from.
  public let file: String
  /// SHA-256 of the checkpoint that was converted, in hexadecimal digits; nil where the file does not say it.
  public let checkpointDigest: String?

  /// Weights of a file, or of `memory`.
  public init(file: String, checkpointDigest: String? = nil) {
    self.file = file
    self.checkpointDigest = checkpointDigest
  }

  init(_ store: WeightStore) {
    self.init(file: store.file, checkpointDigest: store.metadata["source_sha256"])
  }
}

/// A detector of a family that is known here, served with its export's tensors.
package protocol BuiltInObjectNetwork: ObjectNetwork, ExportedObjectNetwork {
  /// The kernels that run it on an input of this size.
  func kernelName(for size: PixelSize) throws -> String
}

/// The input and the outputs of an export, by their names, of one picture.
package struct ExportedPorts: Sendable {
  /// An output.
  package struct Output: Sendable {
    package let name: String
    /// Its sides after the batch; -1 for those that depend on the input.
    package let shape: [Int]
  }

  /// The input's name: (batch, 3, height, width).
  package let input: String
  /// The only size of the input; nil where it is free.
  package let sides: PixelSize?
  package let outputs: [Output]
}

/// An output for one picture, row-major.
package struct ExportedTensor: Sendable {
  /// Its sides, without the batch.
  package let shape: [Int]
  package var elements: [Float]
}

/// A detector by the tensors of its framework's usual ONNX export.
package protocol ExportedObjectNetwork: Sendable {
  /// The platform that clients see.
  var exportedPlatform: String { get }
  /// The size of the input that clients make of a picture, unless they choose another.
  var exportedInput: PixelSize { get }
  /// Both sides of an input are multiples of it.
  var exportedStep: Int { get }
  /// Names and shapes.
  var exportedPorts: ExportedPorts { get }
  /// Description of the network for the framework's own client; nil of frameworks without one.
  var exportedMetadata: String? { get }
  /// The most elements that all outputs have for an input.
  func exportedElements(of size: PixelSize) -> Int
  /// The outputs for an input, in the order of the ports: (3, height, width), row-major, as the export takes it.
  func exportedTensors(planar: ArraySlice<Float>, size: PixelSize) throws -> [ExportedTensor]
}
