import NNRuntime
import ONNX

/// `Add`, `Sub`, `Mul`, `Div`, `Max`, `Min` and `Pow` of two tensors, one of which may be known, broadcast as NumPy does.
enum BinaryRule: Rule {
  static let types = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Sum"]

  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard operands.count == 2, let shape = operands.outputShape() else { return nil }
    let step = node.step
    // Before the seventh version an attribute said what broadcasts.
    guard step.attributeNames.isEmpty else { return nil }
    if let constant = operands.constant(1) {
      return withConstant(step.type, constant, 0, shape, operands).map { [$0] }
    }
    if let constant = operands.constant(0) {
      return withConstant(step.type, constant, 1, shape, operands).map { [$0] }
    }
    return pair(step.type, shape, operands).map { [$0] }
  }

  // MARK: A known operand

  private static func withConstant(
    _ type: String, _ constant: ONNXTensor, _ index: Int, _ shape: [Int], _ operands: Operands
  ) -> Lowered? {
    guard constant.type.isHeldAsFloat, var x = operands.tensor(index), x.shape.count > 0 else { return nil }
    // What is known may be the larger.
    if x.shape != shape {
      guard let settled = operands.island.settled(x, operands.name) else { return nil }
      x = Lowered(value: settled.value, view: settled.view.broadcast(to: shape))
    }
    guard let (axis, values) = constant.vector(along: shape) else {
      return withMap(type, constant, index, x, shape, operands)
    }
    let isFirst = index == 1
    if values.count == 1 {
      switch (type, isFirst) {
      case ("Mul", _):
        x.factor *= values[0]
        return x
      case ("Div", false):
        x.factor /= values[0]
        return x
      case ("Pow", false):
        guard let x = operands.island.settled(x, operands.name),
          let whole = operands.island.whole(x, operands.name)
        else { return nil }
        if values[0] == 1 { return whole }
        return Lowered(
          value: whole.value.mapped(
            values[0] == 0.5 ? .squareRoot : .power(values[0]), name: operands.name), view: whole.view)
      case ("Max", _), ("Min", _):
        guard let x = operands.island.settled(x, operands.name),
          let whole = operands.island.whole(x, operands.name)
        else { return nil }
        let clip: Activation =
          type == "Max" ? .clip(low: values[0], high: .infinity) : .clip(low: -.infinity, high: values[0])
        return Lowered(value: whole.value.activation(clip, name: operands.name), view: whole.view)
      default: break
      }
    }
    guard let lines = lines(type, values, isFirst: isFirst) else {
      return withMap(type, constant, index, x, shape, operands)
    }
    guard let settled = operands.island.settled(x, operands.name) else { return nil }
    let found =
      values.count == 1
      ? operands.island.whole(settled, operands.name)
      : operands.island.pixelwise(settled, channels: axis, operands.name)
    guard let found else { return nil }
    let channels = found.map.channels
    func all(_ list: [Float]) -> [Float] {
      list.count == channels ? list : [Float](repeating: list[0], count: channels)
    }
    return Lowered(
      value: found.value.affine(scale: all(lines.scale), shift: all(lines.shift), name: operands.name),
      view: found.view)
  }

  /// The factors and addends of an operation with a vector; nil for other operations.
  private static func lines(
    _ type: String, _ values: [Float], isFirst: Bool
  ) -> (scale: [Float], shift: [Float])? {
    let (ones, zeros) = (values.map { _ in Float(1) }, values.map { _ in Float(0) })
    switch (type, isFirst) {
    case ("Add", _), ("Sum", _): return (ones, values)
    case ("Sub", false): return (ones, values.map { -$0 })
    case ("Sub", true): return (values.map { _ in -1 }, values)
    case ("Mul", _): return (values, zeros)
    case ("Div", false): return (values.map { 1 / $0 }, zeros)
    default: return nil
    }
  }

  /// With a known map: brought into the order of the other operand.
  private static func withMap(
    _ type: String, _ constant: ONNXTensor, _ index: Int, _ x: Lowered, _ shape: [Int], _ operands: Operands
  ) -> Lowered? {
    guard type != "Pow", let settled = operands.island.settled(x, operands.name),
      let whole = operands.island.whole(settled, operands.name), whole.map.images == 1,
      constant.shape.count <= shape.count
    else { return nil }
    let from = StridedView(rowMajor: constant.shape).broadcast(to: shape)
    guard let refined = StridedView.refined(whole.view, from) else { return nil }
    let source = constant.floats()
    var elements = [Float](repeating: 0, count: whole.map.count)
    var places = [(0, 0)]
    for factor in refined.flatMap(\.self) {
      places = places.flatMap { place in
        (0..<factor.size).map { (place.0 + $0 * factor.a, place.1 + $0 * factor.b) }
      }
    }
    for (to, from) in places { elements[to] = source[from] }
    let value = operands.island.builder.constant(
      operands.helper("constant"), WeightTensor(shape: [elements.count], floats: elements), shape: whole.map)
    let (first, second) = index == 0 ? (whole.value, value) : (value, whole.value)
    return combined(type, first, second, operands).map { Lowered(value: $0, view: whole.view) }
  }

  // MARK: Two computed operands

  private static func pair(_ type: String, _ shape: [Int], _ operands: Operands) -> Lowered? {
    guard type != "Pow", let a = operands.settled(0), let b = operands.settled(1) else { return nil }
    let island = operands.island
    if type == "Mul" {
      if let found = excited(a, by: b, shape, operands) { return found }
      if let found = excited(b, by: a, shape, operands) { return found }
    }
    // The one that needs no broadcasting says in which order elements lie.
    let isFirst = a.shape == shape
    guard isFirst || b.shape == shape, let whole = island.whole(isFirst ? a : b, operands.name) else {
      return nil
    }
    var other = isFirst ? b : a
    other.view = other.view.broadcast(to: shape)
    guard let value = island.matching(other, to: whole, operands.name), value.shape == whole.map else {
      return nil
    }
    return combined(type, isFirst ? whole.value : value, isFirst ? value : whole.value, operands)
      .map { Lowered(value: $0, view: whole.view) }
  }

  /// A map times one vector an image.
  private static func excited(_ x: Lowered, by vector: Lowered, _ shape: [Int], _ operands: Operands)
    -> Lowered?
  {
    guard x.shape == shape, vector.shape.count == shape.count else { return nil }
    let varied = vector.shape.indices.filter { vector.shape[$0] > 1 }
    let images = x.map.images
    guard let axis = varied.last, shape[axis] == vector.shape[axis],
      varied.dropLast().allSatisfy({ $0 == 0 && images > 1 && vector.shape[0] == images }),
      vector.view.count == images * shape[axis], vector.view.count < x.view.count,
      let found = operands.island.imagewise(x, channels: axis, operands.name), found.map.images == images,
      let gate = operands.island.arranged(
        vector, order: Array(shape.indices),
        as: MapShape(images: images, height: 1, width: 1, channels: shape[axis]), operands.name)
    else { return nil }
    return Lowered(
      value: found.value.multiplied(byChannelsOf: gate.value, name: operands.name), view: found.view)
  }

  private static func combined(
    _ type: String, _ a: MapValue, _ b: MapValue, _ operands: Operands
  ) -> MapValue? {
    switch type {
    case "Add", "Sum": a.adding(b, name: operands.name)
    case "Sub": a.paired(.subtract, with: b, name: operands.name)
    case "Mul": a.paired(.multiply, with: b, name: operands.name)
    case "Div": a.paired(.divide, with: b, name: operands.name)
    case "Max": a.paired(.maximum, with: b, name: operands.name)
    case "Min": a.paired(.minimum, with: b, name: operands.name)
    default: nil
    }
  }
}

extension ONNXTensor {
  /// The tensor as a vector along one axis of a shape that it broadcasts to; one element where all are the same.
  func vector(along shape: [Int]) -> (axis: Int, values: [Float])? {
    guard self.shape.count <= shape.count, count > 0 else { return nil }
    let missing = shape.count - self.shape.count
    let varied = self.shape.indices.filter { self.shape[$0] > 1 }
    guard varied.count <= 1 else { return nil }
    guard let axis = varied.first else { return (shape.count - 1, floats()) }
    guard shape[axis + missing] == self.shape[axis] else { return nil }
    return (axis + missing, floats())
  }
}
