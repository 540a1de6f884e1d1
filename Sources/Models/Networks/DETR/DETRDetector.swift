import FileFormats
import Geometry
import Imaging
import NNRuntime
import ONNX
import ONNXEngine

/// A detector of transformers in an ONNX file, with its pre- and postprocessing: RT-DETR, RT-DETRv2, D-FINE, DEIMv2, Deformable
/// DETR, Conditional DETR, DAB-DETR, LW-DETR, DETR or Table Transformer.
///
/// The file is run as it is. What it does not say is read from `config.json` and `preprocessor_config.json` beside it, where
/// they are; else the design follows from the number of classes.
///
/// Calls from several threads are safe and take turns in the network.
public final class DETRDetector: Sendable {
  /// The network's name: the file's, without its ending, or its folder's where the file is called `model`.
  public let name: String
  /// Class names, in the order of the logits.
  public let classNames: [String]
  /// Where its weights come from.
  public let weights: WeightSource
  package let design: DETRDesign
  package let preprocessing: DETRPreprocessing
  package let ports: DETRPorts
  private let lowered: LoweredModel

  /// Reads a file; the network is planned for the first picture of each size.
  ///
  /// - Parameters:
  ///   - path: The ONNX file.
  ///   - side: The side of the square input, pixels, of a file that leaves the sides free; nil for what the files say.
  ///   - options: How it is planned.
  ///   - pool: The threads that run it.
  /// - Throws: `DETRError`.
  public convenience init(
    path: String, side: Int? = nil, options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws(DETRError) {
    let model: ONNXModel
    do { model = try ONNXModel(path: path) } catch { throw DETRError(error) }
    try self.init(model, side: side, options: options, pool: pool)
  }

  /// A detector of a model that has been read.
  convenience init(
    _ model: ONNXModel, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(DETRError) {
    try self.init(
      model, config: DETRConfig(beside: model.path), side: side, options: options, pool: pool)
  }

  /// - `config`: what the files beside the model say.
  package init(
    _ model: ONNXModel, config: DETRConfig, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(DETRError) {
    guard let ports = DETRPorts(model) else { throw .otherPorts }
    if let defect = model.defect { throw .export(defect) }
    guard ports.takesOnePicture else { throw .severalPictures }
    let asked = side.map { PixelSize(width: $0, height: $0) }
    if let side, let stated = ports.size, stated != asked { throw .otherSide(side, stated) }
    let fixed = ports.size ?? asked
    let lowered = LoweredModel(model, options: options, pool: pool)
    // Where the file does not say how many logits there are, a run does.
    let guess = config.design ?? DETRDesign(logits: ports.logitsPerQuery)
    let logits: Int
    if let stated = ports.logitsPerQuery {
      logits = stated
    } else {
      let size = try config.preprocessing(guess, fixed: fixed).standardSize
      let gray = [Float](repeating: 0, count: 3 * size.width * size.height)
      logits = try DETROutputs(lowered, ports, planar: gray, size: size).logitsPerQuery
    }
    let design = config.design ?? DETRDesign(logits: logits)
    let count = design.scoring.classCount(logits: logits)
    guard count > 0 else {
      throw .otherShape(output: model.outputPorts[ports.logits].name, [logits])
    }
    (self.design, self.ports, self.lowered) = (design, ports, lowered)
    preprocessing = try config.preprocessing(design, fixed: fixed)
    classNames = try Self.classNames(count, config, model)
    name = Self.name(of: model.path)
    weights = WeightSource(file: model.path)
  }

  private init(_ other: DETRDetector, pool: ThreadPool) {
    (name, classNames, weights, design) = (other.name, other.classNames, other.weights, other.design)
    (preprocessing, ports) = (other.preprocessing, other.ports)
    lowered = other.lowered.running(on: pool)
  }

  /// The same network run by another pool, side by side with this one, with the same packed weights.
  public func running(on pool: ThreadPool) -> DETRDetector { DETRDetector(self, pool: pool) }

  /// Names: those of `config.json`, of the file's metadata, or COCO's, where there are as many classes.
  private static func classNames(
    _ count: Int, _ config: DETRConfig, _ model: ONNXModel
  ) throws(DETRError) -> [String] {
    if let names = config.classNames {
      guard names.count == count else {
        throw .config(
          file: "config.json",
          reason: "\(counted(names.count, "name")) in id2label for \(counted(count, "class", "classes"))")
      }
      return names
    }
    if let text = model.metadata[ClassNames.key], let names = try? ClassNames.parse(text),
      names.count == count
    {
      return names
    }
    switch count {
    case cocoClassNames.count: return cocoClassNames
    case COCONumbers.names.count: return COCONumbers.names
    default: return (0..<count).map { "class\($0)" }
    }
  }

  private static func name(of path: String) -> String {
    let stem = fileStem(path)
    guard stem == "model" else { return stem }
    let folders = path.split(separator: "/").dropLast().map(String.init)
    return folders.last { $0 != "onnx" && $0 != "." && $0 != ".." } ?? stem
  }

  /// The network's outputs for an input: (3, height, width), row-major, prepared as the network takes it.
  package func outputs(planar: [Float], size: PixelSize) throws(DETRError) -> DETROutputs {
    let found = try DETROutputs(lowered, ports, planar: planar, size: size)
    guard design.scoring.classCount(logits: found.logitsPerQuery) == classNames.count else {
      throw .otherShape(
        output: lowered.model.outputPorts[ports.logits].name, [found.queries, found.logitsPerQuery])
    }
    return found
  }

  /// The kernels that run it on an input of this size.
  package func kernelName(for size: PixelSize) throws(DETRError) -> String {
    do {
      return try lowered.network(for: DETROutputs.inputs(ports, planar: nil, size: size)).kernelName
    } catch {
      throw DETRError(error)
    }
  }
}

extension DETRPreprocessing {
  /// The input's size where no picture says it: of a picture of four by three where sides keep their ratio.
  package var standardSize: PixelSize { inputSize(for: PixelSize(width: 1600, height: 1200)) }
}

/// The outputs for one picture.
package struct DETROutputs: Sendable {
  /// (queries, logits a query), row-major.
  package let logits: [Float]
  /// (queries, 4), row-major: center x and y, width, height, as shares of the picture.
  package let boxes: [Float]
  package let queries: Int
  package let logitsPerQuery: Int

  /// Runs a model on an input of (3, height, width).
  package init(
    _ model: LoweredModel, _ ports: DETRPorts, planar: [Float], size: PixelSize
  ) throws(DETRError) {
    let found: [ONNX.Tensor]
    do {
      found = try model.run(Self.inputs(ports, planar: planar, size: size)).map { try $0.tensor("an output") }
    } catch {
      throw DETRError(error)
    }
    let (logits, boxes) = (found[ports.logits], found[ports.boxes])
    let names = model.model.outputPorts.map(\.name)
    guard logits.shape.count == 3, logits.shape[0] == 1 else {
      throw .otherShape(output: names[ports.logits], logits.shape)
    }
    guard boxes.shape == [1, logits.shape[1], 4] else {
      throw .otherShape(output: names[ports.boxes], boxes.shape)
    }
    (queries, logitsPerQuery) = (logits.shape[1], logits.shape[2])
    (self.logits, self.boxes) = (logits.floats(), boxes.floats())
  }

  /// Whether no number is an infinity or a NaN.
  package var areFinite: Bool { logits.span.allFinite && boxes.span.allFinite }

  /// Values by the inputs' names; `planar` nil for zeros.
  package static func inputs(_ ports: DETRPorts, planar: [Float]?, size: PixelSize) -> NameTable<ONNX.Value> {
    let shape = [1, 3, size.height, size.width]
    let pixels = planar ?? [Float](repeating: 0, count: 3 * size.height * size.width)
    var values = NameTable<ONNX.Value>()
    values[ports.pixels.name] = .tensor(
      (ports.pixels.type ?? .float) == .float
        ? ONNX.Tensor(shape, pixels)
        : ONNX.Tensor(ports.pixels.type ?? .float, shape, doubles: pixels.map(Double.init)))
    if let mask = ports.mask {
      let shape = ports.maskShape(for: size)
      values[mask.name] = .tensor(
        ONNX.Tensor(
          mask.type ?? .int64, shape, doubles: [Double](repeating: 1, count: shape.reduce(1, *))))
    }
    return values
  }
}
