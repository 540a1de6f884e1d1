import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  private static let common = ["auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides"]

  /// Windows to their greatest element, mean or norm.
  static let poolings: [Operator] = [
    Operator("MaxPool", common + ["storage_order"], inputs: 1...1, outputs: 1...2, tensors: maxPool),
    Operator("AveragePool", common + ["count_include_pad"], inputs: 1...1, evaluate: averagePool),
    Operator("LpPool", common + ["p"], inputs: 1...1, evaluate: normPool),
    global("GlobalMaxPool") { _, values in values.reduce(-Double.infinity, Double.greater) },
    global("GlobalAveragePool") { _, values in values.reduce(0, +) / Double(values.count) },
    Operator("GlobalLpPool", ["p"], inputs: 1...1) { call in
      let p = try call.float("p", orInt: 2)
      return try overall(call) { pow($0.reduce(0) { $0 + pow(abs($1), p) }, 1 / p) }
    },
    Operator("MaxUnpool", ["kernel_shape", "pads", "strides"], inputs: 2...3, evaluate: maxUnpool),
  ]

  @Sendable private static func averagePool(_ call: Call) throws -> Tensor {
    let (tensor, windows) = try pooled(call)
    let countsPads = try call.flag("count_include_pad")
    let starts = windows.starts
    return pooling(tensor, windows) { window, values in
      let sum = values.reduce(0, +)
      guard countsPads else { return sum / Double(values.count) }
      // What a window covers of the padded input; it may reach over its end.
      var covered = 1
      for (axis, start) in starts[window].enumerated() {
        let last = windows.input[axis] + windows.after[axis]
        covered *= (0..<windows.kernel[axis]).count { start + $0 * windows.dilations[axis] < last }
      }
      return sum / Double(covered)
    }
  }

  @Sendable private static func normPool(_ call: Call) throws -> Tensor {
    let (tensor, windows) = try pooled(call)
    let p = try call.float("p", orInt: 2)
    return pooling(tensor, windows) { _, values in
      pow(values.reduce(0) { $0 + pow(abs($1), p) }, 1 / p)
    }
  }

  @Sendable private static func maxUnpool(_ call: Call) throws -> Tensor {
    let (tensor, indices) = (try call.tensor(0), try call.integers(1) ?? [])
    let rank = tensor.rank - 2
    let kernel = try call.ints("kernel_shape") ?? []
    let strides = try call.ints("strides") ?? [Int](repeating: 1, count: max(rank, 0))
    let pads = try call.ints("pads") ?? [Int](repeating: 0, count: 2 * max(rank, 0))
    guard rank > 0, kernel.count == rank, strides.count == rank, pads.count == 2 * rank,
      indices.count == tensor.count, (kernel + strides + pads).allSatisfy({ abs($0) < 1 << 31 })
    else { throw ONNXError.malformed("the window or the indices do not fit the input") }
    var natural = Array(tensor.shape[..<2])
    for axis in 0..<rank {
      let reach: Int = (tensor.shape[axis + 2] - 1) * strides[axis] + kernel[axis]
      natural.append(reach - pads[axis] - pads[axis + rank])
    }
    let shape = try call.integers(2) ?? natural
    guard natural == shape || shape.count == natural.count && natural.allSatisfy({ $0 > 0 }) else {
      throw ONNXError.malformed(
        "an output of \(Shape.text(shape)), where the input was \(Shape.text(natural))")
    }
    let (count, values) = (try Shape.count(shape, bits: 64), tensor.doubles())
    // Indices are those of the natural size; a larger output only has more room.
    var result = [Double](repeating: 0, count: count)
    let (own, target) = (Shape.strides(natural), Shape.strides(shape))
    for (value, index) in zip(values, indices) {
      var flat = index
      if natural != shape {
        flat = 0
        for axis in natural.indices { flat += index / own[axis] % natural[axis] * target[axis] }
      }
      guard result.indices.contains(flat) else {
        throw ONNXError.input("index \(index) lies outside of the output")
      }
      result[flat] = value
    }
    return Tensor(tensor.type, shape, doubles: result)
  }

  private static func pooled(_ call: Call) throws -> (Tensor, Windows) {
    let tensor = try call.tensor(0)
    guard tensor.rank > 2 else {
      throw ONNXError.malformed("an input of \(counted(tensor.rank, "axis", "axes"))")
    }
    guard tensor.type.number != nil else { throw unsupported(tensor.type) }
    return (
      tensor, try Windows(call, input: Array(tensor.shape[2...]), kernel: call.ints("kernel_shape") ?? [])
    )
  }

  /// Applies `body` to the elements of each window that lie in the input.
  private static func pooling(_ tensor: Tensor, _ windows: Windows, _ body: (Int, [Double]) -> Double)
    -> Tensor
  {
    let (flat, ends) = windows.covered
    let (area, values) = (windows.input.reduce(1, *), tensor.doubles())
    let planes = tensor.shape[0] * tensor.shape[1]
    var result: [Double] = []
    result.reserveCapacity(planes * ends.count)
    var taken: [Double] = []
    for plane in 0..<planes {
      var first = 0
      for (window, end) in ends.enumerated() {
        taken.removeAll(keepingCapacity: true)
        for place in first..<end { taken.append(values[plane * area + flat[place]]) }
        result.append(body(window, taken))
        first = end
      }
    }
    return Tensor(tensor.type, Array(tensor.shape[..<2]) + windows.output, doubles: result)
  }

  @Sendable private static func maxPool(_ call: Call) throws -> [Tensor?] {
    let (tensor, windows) = try pooled(call)
    guard call.wants(1) else { return [greatest(tensor, windows)] }
    let (starts, offsets, steps) = (windows.starts, windows.offsets, Shape.strides(windows.input))
    let isColumnMajor = try call.int("storage_order", default: 0) == 1
    let (area, values) = (windows.input.reduce(1, *), tensor.doubles())
    var (picked, indices): ([Int], [Int64]) = ([], [])
    for plane in 0..<tensor.shape[0] * tensor.shape[1] {
      for start in starts {
        var best: (flat: Int, place: [Int])?
        for offset in offsets {
          let place = zip(start, offset.index).map(+)
          guard place.indices.allSatisfy({ (0..<windows.input[$0]).contains(place[$0]) }) else { continue }
          let flat = plane * area + zip(place, steps).map(*).reduce(0, +)
          if best.map({ values[flat] > values[$0.flat] }) ?? true { best = (flat, place) }
        }
        guard let best else { throw ONNXError.malformed("a window lies in the padding as a whole") }
        picked.append(best.flat)
        var index = best.flat
        if isColumnMajor {
          index = plane * area
          var step = 1
          for (axis, position) in best.place.enumerated() {
            index += position * step
            step *= windows.input[axis]
          }
        }
        indices.append(Int64(index))
      }
    }
    let shape = Array(tensor.shape[..<2]) + windows.output
    return [tensor.picking(picked, shape: shape), Tensor(shape, indices)]
  }

  private static func greatest(_ tensor: Tensor, _ windows: Windows) -> Tensor {
    if tensor.type == .float {
      let planes = tensor.shape[0] * tensor.shape[1]
      return Tensor(
        Array(tensor.shape[..<2]) + windows.output,
        FloatLoops.greatest(tensor.array(of: Float.self), planes: planes, windows.covered))
    }
    return pooling(tensor, windows) { _, values in values.reduce(-Double.infinity, Double.greater) }
  }

  private static func global(_ name: String, _ body: @escaping @Sendable (Int, [Double]) -> Double)
    -> Operator
  {
    Operator(name, inputs: 1...1) { try overall($0) { body(0, $0) } }
  }

  private static func overall(_ call: Call, _ body: ([Double]) -> Double) throws -> Tensor {
    let tensor = try call.tensor(0)
    guard tensor.rank > 2, tensor.type.number != nil else {
      throw ONNXError.malformed("the input has no spatial axes")
    }
    let (area, values) = (tensor.shape[2...].reduce(1, *), tensor.doubles())
    return Tensor(
      tensor.type, Array(tensor.shape[..<2]) + [Int](repeating: 1, count: tensor.rank - 2),
      doubles: (0..<tensor.shape[0] * tensor.shape[1]).map {
        body(Array(values[$0 * area..<($0 + 1) * area]))
      })
  }
}

extension Call {
  /// A number that the first version has as a floating-point one.
  func float(_ name: String, orInt value: Int) throws -> Double {
    try float(name, orInt: nil) ?? Double(value)
  }

  /// A number that is one or the other.
  func float(_ name: String, orInt value: Int?) throws -> Double? {
    if case .float(let found) = attribute(name) { return Double(found) }
    return try (int(name) ?? value).map { Double($0) }
  }
}
