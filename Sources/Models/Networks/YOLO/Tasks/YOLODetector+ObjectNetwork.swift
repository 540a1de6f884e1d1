import Geometry
import Imaging

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
    // A classifier is none of these networks.
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

  package var exportedMatrix: [Int] {
    architecture.isEndToEnd ? [-1, exportedChannels] : [exportedChannels, -1]
  }

  package var exportedPrototypes: Int? { architecture.task == .segment ? architecture.extras : nil }

  package var exportedMetadata: String {
    ExportMetadata.text(of: architecture, height: exportedInput.height, width: exportedInput.width)
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
