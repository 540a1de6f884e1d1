import FileFormats
import Models
import NNRuntime
import Testing

/// A weight of another shape is an error that names it, in every network and for each of its weights.
@Suite struct ReshapedWeightsTests {
  static let networks =
    ["", "-cls", "-obb", "-pose"].map { "yolov8\($0)-least" } + ["yolov8-seg-least"]
    + ["", "-cls", "-obb", "-pose"].map { "yolo11\($0)-least" } + ["yolo11-tiny-n"]
    + ["", "-obb", "-pose", "-seg"].map { "yolo26\($0)-least" } + ["depth-tiny"]

  /// Other shapes: flat, a dimension more, one number more and none.
  private static func reshaped(_ tensor: Tensor, _ way: Int) -> Tensor {
    let shape = tensor.shape
    switch way % 4 {
    case 0 where shape.count != 1: return tensor.reshaped([tensor.count])
    case 1: return tensor.reshaped(shape + [1])
    case 2: return Tensor(shape: [0] + shape.dropFirst(), floats: [])
    default:
      let more = [(shape.first ?? 1) + 1] + shape.dropFirst()
      return Tensor(shape: more, floats: [Float](repeating: 0.5, count: more.reduce(1, *)))
    }
  }

  @Test(arguments: networks)
  func eachIsNamed(network: String) throws {
    let store = try Golden.store(network)
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    _ = try InspectedNetwork(weights: WeightStore(tensors: tensors, metadata: store.metadata))
    var unnamed: [String] = []
    for (way, name) in store.names.enumerated() where !name.hasSuffix("num_batches_tracked") {
      var changed = tensors
      let other = try Self.reshaped(#require(tensors[name]), way)
      changed[name] = other
      let weights = WeightStore(tensors: changed, metadata: store.metadata)
      let made = Result { try InspectedNetwork(weights: weights) }
      guard case .failure(let error) = made else {
        // What training alone needs is not read, whatever its shape.
        changed[name] = nil
        let rest = WeightStore(tensors: changed, metadata: store.metadata)
        #expect(throws: Never.self, "\(network): \(name) as \(other.shape) is taken") {
          try InspectedNetwork(weights: rest)
        }
        continue
      }
      #expect(fault(of: error) == .malformedInput, "\(error)")
      if (innermost(error) as? WeightError)?.tensor != name { unnamed.append("\(name): \(error)") }
    }
    // Of some tensors the network's sizes are read: others do not fit these then, or no network has them.
    #expect(unnamed.count <= Self.readForSizes, "\(unnamed.joined(separator: "\n"))")
  }

  /// How many tensors of a network say its sizes, at most.
  private static let readForSizes = 12
}
