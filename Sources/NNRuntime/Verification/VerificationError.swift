import FileFormats

/// Why a network cannot be compared with a reference.
public enum VerificationError: Error, Equatable, CustomStringConvertible {
  /// A tensor has another shape than the layer of its name.
  case shape(String, found: [Int], expected: [Int])
  /// The reference's input is the network's, but of this layer it has another shape.
  case anotherNetwork(String, layer: String, found: [Int], expected: [Int])
  /// Objects are not rows of as many numbers as this network has of each.
  case objects(found: [Int], columns: Int)
  /// The thresholds that objects were chosen with are invalid.
  case thresholds([Float])
  /// The reference lacks the network's input.
  case noInput(String)
  /// The reference holds none of the network's layers.
  case nothingToCompare
  /// The two sessions do not run the same layers.
  case differentPlans
  /// The two traces are of networks with these names.
  case differentNetworks(found: String, expected: String)
  /// The two traces are of other inputs: which, and how they differ.
  case differentInputs(String, String)
  /// The two traces have no layer in common.
  case noCommonLayers
  /// A file holds no trace.
  case notATrace(String)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .shape(let name, let found, let expected):
      "reference tensor \"\(printableName(name))\" has shape \(found), the network's \(expected): "
        + Self.remedy(found, expected)
    case .anotherNetwork(let network, let layer, let found, let expected):
      "the reference is of another network than \(printableName(network)): its tensor \"\(printableName(layer))\" has "
        + "shape \(found), the network's layer \(expected): give the weights that it was recorded with, or record these"
    case .objects(let found, let columns):
      "reference tensor \"objects\" has shape \(found), not (objects, \(columns)): record a row of box, score, class and "
        + "what else the network tells for each object"
    case .thresholds(let numbers):
      "reference tensor \"objects.thresholds\" is \(numbers): give confidence and overlap, from 0 to 1, and the most "
        + "objects"
    case .noInput(let name):
      "the reference has no tensor \"\(name)\" of shape (1, 3, height, width): record the network's input with it"
    case .nothingToCompare:
      "none of the reference's tensors is named like a layer of the network: it is of another network, or of other names "
        + "than the checkpoint's module paths, such as model.4.cv2; record it with these weights"
    case .differentNetworks(let found, let expected):
      "the traces are of different networks, \(printableName(found)) and \(printableName(expected)): trace one network "
        + "twice"
    case .differentInputs(let name, let difference):
      "the traces are of different inputs (\"\(printableName(name))\": \(difference)): trace the second run with "
        + "--input of the first trace, which holds its input"
    case .noCommonLayers:
      "the traces have no layer in common: trace both with all layers, and both with --no-fuse or without"
    case .notATrace(let path):
      "\(printableName(path)): holds no tensor \"input\": it is not a trace; make one with ardf trace, and compare one of an "
        + "ONNX file with its model: ardf verify model.onnx --reference FILE"
    case .differentPlans: "the two sessions run different layers: plan both with the same options"
    }
  }

  /// Whether a shape is the expected one with its axes in another order, or of several pictures.
  package static func isOtherLayout(_ found: [Int], _ expected: [Int]) -> Bool {
    let (own, other) = (found.drop { $0 == 1 }, expected.drop { $0 == 1 })
    let isBatch = (found.first ?? 0) > 1 && found.dropFirst() == expected.dropFirst()
    return isBatch || own.count == other.count && own.sorted() == other.sorted()
  }

  /// Remedy for a wrong shape.
  private static func remedy(_ found: [Int], _ expected: [Int]) -> String {
    let (own, other) = (Array(found.drop { $0 == 1 }), Array(expected.drop { $0 == 1 }))
    if own.count == other.count, own != other, own.sorted() == other.sorted() {
      return "its axes are transposed; store it as the network's framework, PyTorch, has it"
    }
    if let batch = found.first, batch > 1, Array(found.dropFirst()) == Array(expected.dropFirst()) {
      return "it is of a batch of \(batch); record one picture"
    }
    return "it is of another input size, or of another network; record it with this input and these weights"
  }
}

extension VerificationError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
