import Geometry
import Imaging
import NNRuntime

extension YOLODetector: BuiltInObjectNetwork {
  /// The network's name.
  public var name: String { architecture.name }

  /// Class names, in the order of the class logits.
  public var classNames: [String] { architecture.classNames }

  /// Results of each object besides its box and class.
  public var form: ObjectForm {
    switch architecture.task {
    case .segment: .masks
    case .pose:
      architecture.keypoints.map { .keypoints(count: $0.count, dimensions: $0.dimensions) } ?? .boxes
    case .orientedBoxes: .orientedBoxes
    // A classifier is not one of these networks.
    case .detect, .classify: .boxes
    }
  }

  /// Whether boxes that overlap are suppressed: not by a head that gives each object one box.
  public var suppressesOverlaps: Bool { !architecture.isEndToEnd }

  /// The sides of the network's input, for people.
  public var inputText: String {
    switch input {
    case .fixed(let height, let width): "\(width)x\(height)"
    case .minimalRectangle(let side): "within \(side)x\(side)"
    }
  }

  /// The objects of an upright picture, in its pixels, best first.
  ///
  /// - Throws: `YOLOError`.
  public func detect(_ picture: RGBImage, _ request: DetectionRequest) throws(YOLOError) -> DetectedObjects {
    try detect(
      picture,
      in: request.letterbox ?? letterbox(for: PixelSize(width: picture.width, height: picture.height)),
      thresholds: request.thresholds, masks: request.masks, keepsEmpty: request.keepsEmpty,
      bounds: request.bounds)
  }

  package var exportedPlatform: String { "ardf_yolo" }

  package var exportedInput: PixelSize {
    switch input {
    case .fixed(let height, let width): PixelSize(width: width, height: height)
    case .minimalRectangle(let side): PixelSize(width: side, height: side)
    }
  }

  package var exportedStep: Int { ObjectInput.step }

  /// `output0`, and of networks with masks `output1`, the prototypes, a quarter of the input's sides.
  package var exportedPorts: ExportedPorts {
    var outputs = [
      ExportedPorts.Output(
        name: "output0",
        shape: architecture.isEndToEnd ? [-1, exportedChannels] : [exportedChannels, -1])
    ]
    if let channels = exportedPrototypes {
      outputs.append(ExportedPorts.Output(name: "output1", shape: [channels, -1, -1]))
    }
    return ExportedPorts(input: "images", sides: nil, outputs: outputs)
  }

  private var exportedPrototypes: Int? { architecture.task == .segment ? architecture.extras : nil }

  package var exportedMetadata: String? {
    ExportMetadata.text(of: architecture, height: exportedInput.height, width: exportedInput.width)
  }

  package func exportedElements(of size: PixelSize) -> Int {
    let shape = exportedShape(of: size)
    return shape.rows * shape.columns + (exportedPrototypes ?? 0) * size.height * size.width / 16
  }

  package func exportedTensors(
    planar: ArraySlice<Float>, size: PixelSize
  ) throws(YOLOError) -> [ExportedTensor] {
    let (found, shape) = (try exportedOutputs(planar: planar, size: size), exportedShape(of: size))
    var tensors = [ExportedTensor(shape: [shape.rows, shape.columns], elements: found.output0)]
    if let channels = exportedPrototypes, let prototypes = found.output1 {
      tensors.append(
        ExportedTensor(shape: [channels, size.height / 4, size.width / 4], elements: prototypes))
    }
    return tensors
  }

  package func kernelName(for size: PixelSize) throws(YOLOError) -> String {
    try session(for: size).plan.kernelName
  }
}

extension YOLOClassifier: ClassNetwork {
  /// The network's name.
  package var name: String { architecture.name }

  package var classNames: [String] { architecture.classNames }

  package var exportedPlatform: String { "ardf_yolo" }

  package var exportedStep: Int { ObjectInput.step }

  package var exportedMetadata: String { ExportMetadata.text(of: architecture, height: side, width: side) }
}
