import FileFormats
import NNRuntime
import ONNX

/// A part of the program that the engine runs: a graph that is being built, and the program's tensors in it.
final class Island {
  /// The level of the program that it runs at.
  let level: Int
  let builder: GraphBuilder
  /// Images of the program's batch.
  let batch: Int
  /// The program's tensors that are here, by number.
  var tensors: [Int: Lowered] = [:]
  /// The tensors that come from outside, in the order of the graph's inputs.
  private(set) var inputs: [(slot: Int, name: String, value: MapValue)] = []
  /// The layer that makes each tensor, where one of its own does.
  private(set) var layers: [Int: String] = [:]
  /// Tensors of integers that are here as the floats they stand for, and the layers that make them.
  private(set) var rounded: [Int: String] = [:]
  /// The nodes of the program that are computed here.
  private(set) var nodes: [ProgramNode] = []
  private var names = NameTable<Int>()
  private var arrangements: [Arrangement: MapValue] = [:]

  /// A map in another order, which several layers may want.
  struct Arrangement: Hashable {
    var value: Int
    var view: StridedView
    var shape: MapShape
  }

  init(level: Int, name: String, batch: Int) {
    self.level = level
    self.batch = batch
    builder = GraphBuilder(name: name)
  }

  /// A name that no other layer has.
  func unique(_ name: String) -> String {
    let count = names[name, default: 0] + 1
    names[name] = count
    return count == 1 ? name : unique("\(name)#\(count)")
  }

  /// Notes that a node is computed here.
  func add(_ node: ProgramNode, layer: String) {
    nodes.append(node)
    let source = node.inputs.first.flatMap(\.self).flatMap { rounded[$0] }
    for case let slot? in node.outputs where tensors[slot] != nil && rounded[slot] == nil {
      layers[slot] = source ?? layer
    }
  }

  /// Notes that a layer makes the floats that a tensor of integers stands for.
  func add(rounded slot: Int, layer: String) { rounded[slot] = layer }

  /// The tensor, which comes from outside, row-major.
  func enter(_ slot: Int, _ shape: [Int]) -> Lowered {
    if let known = tensors[slot] { return known }
    let name = "input.\(slot)"
    let map = mapShape(of: shape)
    let value = builder.input(
      name, images: map.images, height: map.height, width: map.width, channels: map.channels)
    inputs.append((slot, name, value))
    let tensor = Lowered(value: value, view: StridedView(rowMajor: shape))
    tensors[slot] = tensor
    return tensor
  }

  /// The map that holds a row-major tensor: the last axis is channels.
  func mapShape(of shape: [Int]) -> MapShape {
    let images = shape.count > 1 && batch > 1 && shape[0] == batch ? batch : 1
    let rest = images > 1 ? Array(shape.dropFirst()) : shape
    let channels = rest.last ?? 1
    let width = rest.dropLast().last ?? 1
    return MapShape(
      images: images, height: rest.dropLast(2).reduce(1, *), width: width, channels: channels)
  }

  /// A rearranged map, made once.
  func arranged(_ key: Arrangement, _ make: () -> MapValue) -> MapValue {
    if let known = arrangements[key] { return known }
    let value = make()
    arrangements[key] = value
    return value
  }
}
