import FileFormats
import NNRuntime

/// The network that weights belong to, recognized by the names and shapes of their tensors.
package enum RecognizedNetwork {
  /// A network of a family.
  case member(any NetworkFamily.Type)
  /// A published network that is not supported, by its name.
  case unsupported(String)
  /// No known network, with the first of the tensors' names; nil where there are no tensors.
  case unknown(first: String?)

  /// All families.
  static var families: [any NetworkFamily.Type] {
    [
      YOLOClassifierFamily.self, YOLOFamily.self, DepthAnythingFamily.self,
    ]
  }

  /// All networks that can be converted, for people.
  static var convertible: String {
    let names = families.flatMap { $0.convertible }
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }

  /// All networks that can be run, for people.
  static let supported = "YOLOv8, YOLO11, YOLO26, Depth Anything V2 or Prompt Depth Anything"

  /// A published detector or classifier by its name, in one spelling: `yolo11n_seg` is `yolo11n-seg`; nil for none.
  package static func published(named name: String) -> String? {
    let name = name.replacing("_", with: "-")
    let isOne = YOLOGeneration.allCases.contains { generation in
      YOLOVariant.allCases.contains { variant in
        YOLOTask.allCases.contains { name == generation.rawValue + variant.rawValue + $0.rawValue }
      }
    }
    return isOne ? name : nil
  }

  /// The pattern of the names of published detectors and classifiers, for people.
  ///
  /// - `sizes`: in the order in which the text lists them.
  package static func publishedNames(sizes: [String]) -> String {
    YOLOGeneration.allCases.map(\.rawValue).joined(separator: ", ") + " with a size ("
      + sizes.joined(separator: ", ") + ") and a task: yolo11n-seg, yolov8s, yolo26x-pose"
  }

  /// Recognizes tensors.
  package init(_ tensors: TensorShapes) {
    for family in Self.families {
      switch family.recognize(tensors) {
      case .member:
        self = .member(family)
        return
      case .relative(let name):
        self = .unsupported(name)
        return
      case nil: continue
      }
    }
    self = .unknown(first: tensors.names.min())
  }

  /// The family of weights that must be a network's.
  package static func family(of weights: WeightStore) throws(NetworkError) -> any NetworkFamily.Type {
    switch RecognizedNetwork(TensorShapes(weights)) {
    case .member(let family): return family
    case .unsupported(let name): throw .unsupported(name)
    case .unknown(let first): throw .unknown(first: first)
    }
  }
}

/// Why weights are of no network that can be run.
public enum NetworkError: Error, Equatable, CustomStringConvertible {
  /// They are of a published network that is not supported, by its name.
  case unsupported(String)
  /// Their tensors, of which this is the first by name, are those of no network known here.
  case unknown(first: String?)
  /// They are of a YOLO network, which finds this wrong.
  case yolo(YOLOError)
  /// They are of a depth network, which finds this wrong.
  case depth(DepthError)
  /// They are an ONNX file's of a detector of transformers, which finds this wrong.
  case detr(DETRError)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .unsupported(let name):
      "holds \(name), which is not supported: give weights of \(RecognizedNetwork.supported)"
    case .unknown(let first?):
      "holds no network known here, its first tensor is \"\(printableName(first))\": give weights of "
        + "\(RecognizedNetwork.supported), made by ardf convert"
    case .unknown(nil): "holds no tensors: give weights of \(RecognizedNetwork.supported)"
    case .yolo(let error): "\(error)"
    case .depth(let error): "\(error)"
    case .detr(let error): "\(error)"
    }
  }
}
