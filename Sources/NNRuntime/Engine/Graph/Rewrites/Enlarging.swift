// A 1x1 convolution after an enlargement is computed before it, on a fraction of the pixels. Both are linear,
// and interpolation weights add up to one, so a bias passes through unchanged:
//
//   W up(x) + b = up(W x + b)
//
// After a concatenation this holds for the enlarged channels: with W = [V U] (or [U V]),
//
//   activation(W [up(x), y] + b) = activation(up(V x) + U y + b)
//
// where up is a nearest-neighbor enlargement by powers of two. up(V x) is never stored: each pixel of V x is
// added to the sums of all output pixels it would be copied to. The concatenation is removed.
//
// A convolution that rounds its input to multiples of a scale changes places with copies alone: what is interpolated
// between multiples would have to be rounded once more.

extension Graph {
  /// The same network with 1x1 convolutions before the enlargements that they read, alone or in a concatenation.
  func projectingBeforeEnlarging() -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard let layer = node.operation as? Convolution, layer.isProjection,
        let before = makers[node.inputs[0]]
      else { continue }
      let hasResidual = node.inputs.count > 1
      switch nodes[before].operation {
      case let resize as Resize
      where enlarges(nodes[before]) && layer.activation == .none
        && (resize.interpolation == .nearest ? !hasResidual : layer.readsInput):
        graph.exchange(before, index)
      case is Concatenate where nodes[before].inputs.count == 2 && !hasResidual:
        let operands = nodes[before].inputs.compactMap { makers[$0] }
        guard let first = operands.first(where: { repeats($0) != nil }) else { continue }
        graph.split(index, after: before, of: first)
        removed.insert(before)
      default: continue
      }
    }
    graph.remove(removed)
    return graph
  }

  /// The same network where what is added to an enlarged map is added as it is made.
  func addingWhileEnlarging() -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard node.operation is Add else { continue }
      for (position, input) in node.inputs.enumerated() {
        guard let before = makers[input], let kind = (nodes[before].operation as? Resize)?.interpolation,
          kind != .nearest, nodes[before].inputs.count == 1
        else { continue }
        // At the later place, where both are known.
        graph.nodes[index] = nodes[before]
        graph.nodes[index].inputs.append(node.inputs[1 - position])
        graph.nodes[index].output = node.output
        graph.nodes[index].fused.append(node.name)
        removed.insert(before)
        break
      }
    }
    graph.remove(removed)
    return graph
  }

  /// Whether a resize makes more pixels than it reads.
  func enlarges(_ node: Node) -> Bool { shapes[node.inputs[0]].pixels < shapes[node.output].pixels }

  /// The power of two by which the node at `index` repeats pixels in both directions; nil where it does something else.
  private func repeats(_ index: Int) -> Int? {
    guard (nodes[index].operation as? Resize)?.interpolation == .nearest else { return nil }
    return shapes[nodes[index].inputs[0]].repeats(in: shapes[nodes[index].output])
  }

  /// Lets the 1x1 convolution at `index` and the enlargement at `before`, which it reads, change places; what is added to
  /// the one is then added to the other.
  private mutating func exchange(_ before: Int, _ index: Int) {
    let (enlargement, projection) = (nodes[before], nodes[index])
    let (small, large) = (shapes[enlargement.inputs[0]], shapes[projection.output])
    let value = newValue(small.with(channels: large.channels))
    var first = projection
    first.inputs = enlargement.inputs
    if var layer = projection.operation as? Convolution {
      layer.epilogue = .store
      first.operation = layer
    }
    first.output = value
    first.partOf = large
    var second = enlargement
    second.inputs = projection.inputs
    second.inputs[0] = value
    second.output = projection.output
    second.fused += projection.holds
    nodes[before] = first
    nodes[index] = second
  }

  /// Splits the 1x1 convolution at `index` in two, the first of them in the place of the enlargement at `first`, one of
  /// the two operands of the concatenation at `concatenation`.
  private mutating func split(_ index: Int, after concatenation: Int, of first: Int) {
    let (enlargement, joint) = (nodes[first], nodes[concatenation])
    guard let whole = nodes[index].operation as? Convolution else { return }
    let (small, large) = (shapes[enlargement.inputs[0]], shapes[nodes[index].output])
    let boundary = shapes[joint.inputs[0]].channels
    let halves = [0..<boundary, boundary..<shapes[joint.output].channels]
    let position = joint.inputs[0] == enlargement.output ? 0 : 1

    var part = whole
    part.inChannels = halves[position]
    part.bias = [Float](repeating: 0, count: whole.bias.count)
    part.activation = .none
    var rest = whole
    rest.inChannels = halves[1 - position]
    rest.epilogue = .addend

    let sums = newValue(small.with(channels: large.channels))
    nodes[first] = Node(
      name: "\(nodes[index].name).part\(position)", operation: part, inputs: enlargement.inputs,
      output: sums, partOf: large)
    nodes[index].operation = rest
    nodes[index].inputs = [joint.inputs[1 - position], sums]
    nodes[index].preceding = [enlargement.name, joint.name] + nodes[index].preceding
  }
}

extension MapShape {
  /// The power of two by which a nearest-neighbor enlargement to `larger` repeats every pixel in both directions; nil
  /// where it repeats some more often than others.
  func repeats(in larger: MapShape) -> Int? {
    let power = (larger.height / height).trailingZeroBitCount
    let factor = 1 << power
    return power > 0 && larger.height == factor * height && larger.width == factor * width ? power : nil
  }
}
