// BufferAssignment: which values share memory. A slice or a reshaped view is its source's memory; the inputs of a
// concatenation are made where the concatenation wants them, through the pixel stride, so that it costs
// nothing.

/// Where a value lies: in a buffer, from `offset` on.
struct Location: Hashable, Sendable {
  /// The value that the buffer was made for.
  var buffer: ValueID
  /// Elements from the buffer's start to the value's first element, from one pixel to the next, and from one image's first
  /// to the next one's.
  var offset: Int
  var pixelStride, imageStride: Int

  /// Elements from the buffer's start to a pixel, counted through all images of a value of that shape.
  func offset(_ pixel: Int, of shape: MapShape) -> Int {
    let (image, pixel) = pixel.quotientAndRemainder(dividingBy: shape.pixels)
    return offset + image * imageStride + pixel * pixelStride
  }
}

/// The buffer of every value of a graph, and where in it the value lies.
struct BufferAssignment: Sendable {
  /// Nodes to run, copies that a concatenation needs included.
  private(set) var nodes: [Node]
  private(set) var shapes: [MapShape]
  private(set) var locations: [Location] = []

  /// A value inside another: its first pixel and channel there.
  private struct Parent {
    var value: ValueID
    var pixel: Int
    var channel: Int
  }

  private var parents: [Parent?]
  /// Values that may be made anywhere: computed, and not yet inside another.
  private var movable: [Bool]
  /// Values whose memory holds outputs of the graph.
  private var outputs: Set<ValueID> = []

  init(_ graph: Graph) {
    nodes = []
    shapes = graph.shapes
    parents = [Parent?](repeating: nil, count: shapes.count)
    movable = [Bool](repeating: false, count: shapes.count)
    for node in graph.nodes {
      switch node.operation.placing {
      case .channels(let first):
        parents[node.output] = Parent(value: node.inputs[0], pixel: 0, channel: first)
      case .pixels(let first):
        parents[node.output] = Parent(value: node.inputs[0], pixel: first, channel: 0)
      case .around:
        placeConcatenation(node)
        movable[node.output] = true
      case .inSequence:
        placeStack(node)
        movable[node.output] = true
      case .afterToken:
        nodes.append(placeTokens(node))
        movable[node.output] = true
      case .given:
        nodes.append(node)
      case .own:
        nodes.append(node)
        movable[node.output] = true
      }
    }
    outputs = Set(graph.outputs.map { root(of: $0.value).value })
    locations = shapes.indices.map(locate)
  }

  /// Makes the operands of a concatenation inside its result, or copies them there.
  private mutating func placeConcatenation(_ node: Node) {
    var channel = 0
    var starts: [Int] = []
    for input in node.inputs {
      starts.append(channel)
      channel += shapes[input].channels
    }
    for (position, input) in node.inputs.enumerated() where !isInside(input, node.output, starts[position]) {
      let root = self.root(of: input)
      let shift = starts[position] - root.channel
      if root.pixel == 0, movable[root.value], shapes[root.value].pixels == shapes[input].pixels,
        shapes[root.value].images == shapes[node.output].images, covers(node, starts, root.value, from: shift)
      {
        parents[root.value] = Parent(value: node.output, pixel: 0, channel: shift)
        movable[root.value] = false
      } else {
        shapes.append(shapes[input].of(images: shapes[node.output].images))
        movable.append(false)
        parents.append(Parent(value: node.output, pixel: 0, channel: starts[position]))
        nodes.append(
          Node(
            name: "\(node.name).copy\(position)", operation: Copy(), inputs: [input], output: shapes.count - 1
          )
        )
      }
    }
  }

  /// Makes the operands of a stack inside its result, one after another, or copies them there.
  private mutating func placeStack(_ node: Node) {
    var pixel = 0
    for (position, input) in node.inputs.enumerated() {
      let root = self.root(of: input)
      if root.pixel == 0, root.channel == 0, movable[root.value],
        shapes[root.value].count == shapes[input].count,
        shapes[root.value].images == shapes[node.output].images
      {
        parents[root.value] = Parent(value: node.output, pixel: pixel, channel: 0)
        movable[root.value] = false
      } else {
        shapes.append(shapes[input].of(images: shapes[node.output].images))
        movable.append(false)
        parents.append(Parent(value: node.output, pixel: pixel, channel: 0))
        nodes.append(
          Node(
            name: "\(node.name).copy\(position)", operation: Copy(), inputs: [input], output: shapes.count - 1
          )
        )
      }
      pixel += shapes[input].pixels
    }
  }

  /// Places the tokens in memory right after the prepended token, or adds a copy there.
  private mutating func placeTokens(_ node: Node) -> Node {
    let input = node.inputs[0]
    let root = self.root(of: input)
    var node = node
    if root.pixel == 0, root.channel == 0, movable[root.value],
      shapes[root.value].count == shapes[input].count
    {
      parents[root.value] = Parent(value: node.output, pixel: 1, channel: 0)
      movable[root.value] = false
    } else {
      shapes.append(shapes[input])
      movable.append(false)
      parents.append(Parent(value: node.output, pixel: 1, channel: 0))
      nodes.append(
        Node(name: "\(node.name).copy", operation: Copy(), inputs: [input], output: shapes.count - 1))
      node.inputs = [shapes.count - 1]
    }
    return node
  }

  /// The value whose memory this one is a part of, as far as it is settled, and where in it this one starts.
  private func root(of value: ValueID) -> (value: ValueID, pixel: Int, channel: Int) {
    var (current, pixel, channel) = (value, 0, 0)
    while let parent = parents[current] {
      pixel += parent.pixel
      channel += parent.channel
      current = parent.value
    }
    return (current, pixel, channel)
  }

  private func isInside(_ value: ValueID, _ whole: ValueID, _ channel: Int) -> Bool {
    let root = self.root(of: value)
    return root.value == whole && root.channel == channel && root.pixel == 0
  }

  /// Whether the operands of the concatenation spell out `value` completely, from channel `first` on.
  private func covers(_ node: Node, _ starts: [Int], _ value: ValueID, from first: Int) -> Bool {
    guard first >= 0 else { return false }
    var expected = first
    for (position, input) in node.inputs.enumerated() where starts[position] >= first {
      if expected == first + shapes[value].channels { break }
      let root = self.root(of: input)
      guard root.value == value, root.pixel == 0, starts[position] == expected,
        root.channel == expected - first
      else { return false }
      expected += shapes[input].channels
    }
    return expected == first + shapes[value].channels
  }

  private func locate(_ value: ValueID) -> Location {
    let root = self.root(of: value)
    let stride = pixelStride(root.value)
    return Location(
      buffer: root.value, offset: root.pixel * stride + root.channel, pixelStride: stride,
      imageStride: shapes[value].images > 1 ? shapes[root.value].pixels * stride : 0)
  }

  /// Elements from one pixel of a buffer to the next.
  ///
  /// A tile of a matrix product reads a line of each of a dozen pixels at a time, a window of Winograd's up to 81. With
  /// pixels a multiple of 1024 bytes apart these all fall into four of the sets of the first-level cache, or fewer, more
  /// than these hold: such pixels lie a little further apart. What the graph is given and gives back is dense.
  private func pixelStride(_ buffer: ValueID) -> Int {
    let channels = shapes[buffer].channels
    let isOwn = movable[buffer] && !outputs.contains(buffer)
    return isOwn && channels % 256 == 0 ? channels + 32 : channels
  }

  /// The shapes of one image's maps.
  var imageShapes: [MapShape] { shapes.map { $0.of(images: 1) } }

  /// Elements of a buffer, those between pixels that lie apart included.
  func bufferElements(_ buffer: ValueID) -> Int {
    shapes[buffer].images * shapes[buffer].pixels * locations[buffer].pixelStride
  }

  /// Sizes and lifetimes of the buffers.
  ///
  /// Constants live elsewhere; inputs and outputs of the graph hold from before the first step, or until
  /// after the last; with `retain` every value does.
  func requests(
    _ graph: Graph, _ elements: ElementTypes, retain: Bool
  ) -> (buffers: [ValueID], requests: [ArenaLayout.Request]) {
    var first: [ValueID: Int] = [:]
    var last: [ValueID: Int] = [:]
    var constants = Set<ValueID>()
    func touch(_ value: ValueID, _ step: Int) {
      let buffer = locations[value].buffer
      first[buffer] = min(first[buffer] ?? step, step)
      last[buffer] = max(last[buffer] ?? step, step)
    }
    for (step, node) in nodes.enumerated() {
      if node.operation is Constant { constants.insert(node.output) }
      for input in node.inputs { touch(input, step) }
      touch(node.output, step)
    }
    for input in graph.inputs { touch(input.value, 0) }
    for output in graph.outputs { touch(output.value, nodes.count) }
    let buffers = first.keys.filter { !constants.contains($0) }.sorted()
    return (
      buffers,
      buffers.map {
        ArenaLayout.Request(
          count: (bufferElements($0) * elements[$0].size + 3) / 4,
          lifetime: retain ? 0...nodes.count : first[$0]!...last[$0]!)
      }
    )
  }
}
