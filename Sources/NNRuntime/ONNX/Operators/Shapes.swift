import FileFormats

extension Operators {
  /// Shapes as values, constants, and tensors made of nothing.
  static let shapes: [Operator] = [
    Operator("Shape", ["start", "end"], inputs: 1...1, halves: .kept) { call in
      let shape = try call.tensor(0).shape
      func clipped(_ position: Int) -> Int {
        min(max(position < 0 ? position + shape.count : position, 0), shape.count)
      }
      let start = clipped(try call.int("start", default: 0))
      let end = clipped(try call.int("end", default: shape.count))
      return Tensor(integers: start < end ? Array(shape[start..<end]) : [])
    },
    Operator("Size", inputs: 1...1, halves: .kept) { Tensor(scalar: Int64(try $0.tensor(0).count)) },
    Operator(
      "Constant",
      [
        "value", "sparse_value", "value_float", "value_floats", "value_int", "value_ints", "value_string",
        "value_strings",
      ],
      inputs: 0...0, halves: .kept
    ) { call in
      if let tensor = try call.tensorAttribute("value") ?? call.tensorAttribute("sparse_value") {
        return tensor
      }
      if let value = try call.float("value_float") { return Tensor([], [Float(value)]) }
      if let values = try call.floats("value_floats") {
        return Tensor([values.count], values.map { Float($0) })
      }
      if let value = try call.exactInt("value_int") { return Tensor(scalar: Int64(value)) }
      if let values = try call.exactInts("value_ints") { return Tensor(integers: values) }
      if call.attribute("value_string") != nil {
        return Tensor([], [try call.string("value_string", default: "")])
      }
      if let values = try call.strings("value_strings") { return Tensor([values.count], values) }
      throw ONNXError.malformed("the constant has no value")
    },
    Operator("ConstantOfShape", ["value"], inputs: 1...1, halves: .kept) { call in
      let value = try call.tensorAttribute("value") ?? Tensor([1], [Float(0)])
      guard value.count == 1 else { throw ONNXError.malformed("the value is not a single one") }
      return try value.reshaped([]).broadcast(to: call.integers(0) ?? [])
    },
    Operator("Identity", inputs: 1...1, halves: .kept, values: { [try $0.value(0)] }),
    Operator("Reshape", ["shape", "allowzero", "consumed_inputs"], inputs: 1...2, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard let shape = try call.integers("shape", orInput: 1) else {
        throw ONNXError.malformed("there is no shape")
      }
      return try reshaped(tensor, shape, keepsZero: call.flag("allowzero"))
    },
    Operator("Flatten", ["axis"], inputs: 1...1, halves: .kept) { call in
      let tensor = try call.tensor(0)
      var axis = try call.int("axis", default: 1)
      if axis < 0 { axis += tensor.rank }
      guard (0...tensor.rank).contains(axis) else {
        throw ONNXError.malformed("axis \(axis) of \(tensor.rank)")
      }
      return tensor.reshaped([tensor.shape[..<axis].reduce(1, *), tensor.shape[axis...].reduce(1, *)])
    },
    Operator("Squeeze", ["axes"], inputs: 1...2, halves: .kept) { call in
      let tensor = try call.tensor(0)
      let axes =
        try call.integers("axes", orInput: 1).map { try Shape.axes($0, rank: tensor.rank) }
        ?? tensor.shape.indices.filter { tensor.shape[$0] == 1 }
      guard axes.allSatisfy({ tensor.shape[$0] == 1 }) else {
        throw ONNXError.malformed("shape \(Shape.text(tensor.shape)) has other sizes than 1 at axes \(axes)")
      }
      return tensor.reshaped(tensor.shape.indices.filter { !axes.contains($0) }.map { tensor.shape[$0] })
    },
    Operator("Unsqueeze", ["axes"], inputs: 1...2, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard let given = try call.integers("axes", orInput: 1) else {
        throw ONNXError.malformed("there are no axes")
      }
      let axes = Set(try Shape.axes(given, rank: tensor.rank + given.count))
      var rest = tensor.shape.makeIterator()
      return tensor.reshaped((0..<tensor.rank + given.count).map { axes.contains($0) ? 1 : rest.next()! })
    },
    Operator("Expand", inputs: 2...2, halves: .kept) { call in
      let tensor = try call.tensor(0)
      return try tensor.broadcast(to: Shape.broadcast([tensor.shape, call.integers(1) ?? []]))
    },
    Operator("Range", ["stash_type"], inputs: 3...3) { call in
      let start = try call.tensor(0)
      let values = try [call.scalar(0)!, call.scalar(1)!, call.scalar(2)!]
      guard values[2] != 0 else { throw ONNXError.input("the step of a range is 0") }
      let count = Int(clamping: max(0, ((values[1] - values[0]) / values[2]).rounded(.up)))
      _ = try Shape.count([count], bits: 64)
      return Tensor(
        start.type, [count], doubles: (0..<count).map { values[0] + Double($0) * values[2] })
    },
    Operator("EyeLike", ["dtype", "k"], inputs: 1...1, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard tensor.rank == 2 else { throw ONNXError.malformed("the input must be a matrix") }
      let (type, k) = (
        try call.numericType("dtype", default: tensor.type), try call.int("k", default: 0)
      )
      let width = tensor.shape[1]
      return Tensor(
        type, tensor.shape, doubles: (0..<tensor.count).map { $0 % width - $0 / width == k ? 1 : 0 })
    },
    Operator("OneHot", ["axis"], inputs: 3...3, halves: .kept) { call in
      let (indices, values) = (try call.tensor(0), try call.tensor(2))
      guard let depth = try call.scalar(1).map({ Int(clamping: $0) }), depth >= 0, values.count == 2 else {
        throw ONNXError.malformed("the depth is no number, or there are not two values")
      }
      let axis = try Shape.axis(call.int("axis", default: -1), rank: indices.rank + 1)
      let (outer, inner) = (indices.shape[..<axis].reduce(1, *), indices.shape[axis...].reduce(1, *))
      let shape = indices.shape[..<axis] + [depth] + indices.shape[axis...]
      let count = try Shape.count(Array(shape), bits: 64)
      let hot = indices.doubles().map { Int(clamping: $0) }.map { $0 < 0 ? $0 + depth : $0 }
      var picked = [Int](repeating: 0, count: count)
      for (position, index) in hot.enumerated() where (0..<depth).contains(index) {
        picked[(position / inner * depth + index) * inner + position % inner] = 1
      }
      return values.picking(picked, shape: Array(shape))
    },
  ]

  /// `0` keeps the input's size, `-1` is what is left.
  static func reshaped(_ tensor: Tensor, _ shape: [Int], keepsZero: Bool = false) throws -> Tensor {
    var sizes = shape
    for (axis, size) in shape.enumerated() where size == 0 && !keepsZero {
      guard axis < tensor.rank else {
        throw ONNXError.malformed("size 0 of axis \(axis), which the input lacks")
      }
      sizes[axis] = tensor.shape[axis]
    }
    if let free = sizes.firstIndex(of: -1) {
      sizes[free] = 1
      let others = try Shape.count(sizes, bits: 8)
      guard others > 0, tensor.count % others == 0, !(keepsZero && shape.contains(0)) else {
        throw ONNXError.malformed(
          "\(counted(tensor.count, "element does", "elements do")) not fit shape \(Shape.text(shape))")
      }
      sizes[free] = tensor.count / others
    }
    guard try Shape.count(sizes, bits: 8) == tensor.count else {
      throw ONNXError.malformed(
        "\(counted(tensor.count, "element does", "elements do")) not fit shape \(Shape.text(shape))")
    }
    return tensor.reshaped(sizes)
  }
}
