import FileFormats

extension Operators {
  /// Elements in another place, of any type.
  static let movements: [Operator] = [
    Operator("Transpose", ["perm"], inputs: 1...1, halves: .kept) { call in
      let tensor = try call.tensor(0)
      let order = try call.ints("perm") ?? Array((0..<tensor.rank).reversed())
      guard order.sorted() == Array(0..<tensor.rank) else {
        throw ONNXError.malformed("\(order) is not an order of \(counted(tensor.rank, "axis", "axes"))")
      }
      return tensor.transposed(order)
    },
    Operator("Concat", ["axis"], inputs: 1...Int(Int32.max), halves: .kept) { call in
      try concatenated(call.tensors(), axis: call.int("axis", default: 1))
    },
    Operator("Slice", ["starts", "ends", "axes"], inputs: 1...5, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard let starts = try call.integers("starts", orInput: 1),
        let ends = try call.integers("ends", orInput: 2)
      else {
        throw ONNXError.malformed("there are no starts or ends")
      }
      let axes = try Shape.axes(
        call.integers("axes", orInput: 3) ?? Array(0..<starts.count), rank: tensor.rank)
      let steps = try call.integers(4) ?? [Int](repeating: 1, count: starts.count)
      guard ends.count == starts.count, axes.count == starts.count, steps.count == starts.count,
        !steps.contains(0)
      else { throw ONNXError.malformed("starts, ends, axes and steps differ in number, or a step is 0") }
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      for (index, axis) in axes.enumerated() {
        positions[axis] = sliced(tensor.shape[axis], starts[index], ends[index], steps[index])
      }
      return try tensor.selecting(positions)
    },
    Operator(
      "Split", ["axis", "split", "num_outputs"], inputs: 1...2, outputs: 1...Int(Int32.max), halves: .kept
    ) {
      (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      let axis = try Shape.axis(call.int("axis", default: 0), rank: tensor.rank)
      let count = try call.int("num_outputs", default: call.outputCount)
      guard count > 0, (call.outputCount...max(call.outputCount, tensor.shape[axis])).contains(count) else {
        throw ONNXError.malformed("a split into \(count)")
      }
      let part = (tensor.shape[axis] + count - 1) / count
      let sizes =
        try call.integers("split", orInput: 1)
        ?? (0..<count).map { max(0, min(part, tensor.shape[axis] - $0 * part)) }
      return try split(tensor, sizes, axis)
    },
    Operator("Tile", inputs: 2...3, halves: .kept) { call in
      let tensor = try call.tensor(0)
      var repeats = try call.integers(1) ?? []
      if let axis = try call.integers(2)?.first {  // Version 1: how often, and along which axis.
        let count = repeats.first ?? 1
        repeats = [Int](repeating: 1, count: tensor.rank)
        repeats[try Shape.axis(axis, rank: tensor.rank)] = count
      }
      guard repeats.count == tensor.rank, repeats.allSatisfy({ $0 >= 0 }) else {
        throw ONNXError.malformed(
          "\(counted(repeats.count, "number")) of repetitions for \(counted(tensor.rank, "axis", "axes"))")
      }
      _ = try Shape.count(zip(tensor.shape, repeats).map { try multiplied($0, $1) }, bits: tensor.type.bits)
      return try tensor.selecting(
        zip(tensor.shape, repeats).map { size, count in (0..<count).flatMap { _ in 0..<size } })
    },
    Operator("DepthToSpace", ["blocksize", "mode"], inputs: 1...1, halves: .kept) { call in
      let (tensor, block) = (try call.tensor(0), try call.int("blocksize", default: 0))
      guard tensor.rank == 4, block > 0, tensor.shape[1] % (block * block) == 0 else {
        throw ONNXError.malformed("blocks of \(block) in shape \(Shape.text(tensor.shape))")
      }
      let (n, c, h, w) = (tensor.shape[0], tensor.shape[1] / block / block, tensor.shape[2], tensor.shape[3])
      let isColumnsFirst = try call.choice("mode", ["DCR", "CRD"]) == "CRD"
      return tensor.reshaped(isColumnsFirst ? [n, c, block, block, h, w] : [n, block, block, c, h, w])
        .transposed(isColumnsFirst ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2])
        .reshaped([n, c, h * block, w * block])
    },
    Operator("SpaceToDepth", ["blocksize", "mode"], inputs: 1...1, halves: .kept) { call in
      let (tensor, block) = (try call.tensor(0), try call.int("blocksize", default: 0))
      guard tensor.rank == 4, block > 0, tensor.shape[2] % block == 0, tensor.shape[3] % block == 0 else {
        throw ONNXError.malformed("blocks of \(block) in shape \(Shape.text(tensor.shape))")
      }
      let (n, c, h, w) = (tensor.shape[0], tensor.shape[1], tensor.shape[2] / block, tensor.shape[3] / block)
      let isColumnsFirst = try call.choice("mode", ["DCR", "CRD"]) == "CRD"
      return tensor.reshaped([n, c, h, block, w, block])
        .transposed(isColumnsFirst ? [0, 1, 3, 5, 2, 4] : [0, 3, 5, 1, 2, 4])
        .reshaped([n, c * block * block, h, w])
    },
    Operator("Trilu", ["upper"], inputs: 1...2, halves: .kept) { call in
      let (tensor, k) = (try call.tensor(0), try call.integers(1)?.first ?? 0)
      guard tensor.rank >= 2 else { throw ONNXError.malformed("the input must be a matrix") }
      let isUpper = try call.flag("upper", default: true)
      let (rows, columns) = (tensor.shape[tensor.rank - 2], tensor.shape[tensor.rank - 1])
      return tensor.masked { flat in
        let (row, column) = (flat / columns % rows, flat % columns)
        let difference = column.subtractingReportingOverflow(row).partialValue
        return isUpper ? difference >= k : difference <= k
      }
    },
    Operator("ReverseSequence", ["batch_axis", "time_axis"], inputs: 2...2, halves: .kept) { call in
      let (tensor, lengths) = (try call.tensor(0), try call.integers(1) ?? [])
      let (batch, time) = (try call.int("batch_axis", default: 1), try call.int("time_axis", default: 0))
      guard tensor.rank >= 2, Set([batch, time]) == [0, 1], lengths.count == tensor.shape[batch],
        lengths.allSatisfy({ (0...tensor.shape[time]).contains($0) })
      else { throw ONNXError.malformed("the lengths do not fit the input") }
      let strides = Shape.strides(tensor.shape)
      var positions: [Int] = []
      Shape.forEachIndex(tensor.shape) { index in
        var flat = 0
        for (axis, position) in index.enumerated() {
          let length = lengths[index[batch]]
          flat += (axis == time && position < length ? length - 1 - position : position) * strides[axis]
        }
        positions.append(flat)
      }
      return tensor.picking(positions, shape: tensor.shape)
    },
    Operator("CenterCropPad", ["axes"], inputs: 2...2, halves: .kept) { call in
      let (tensor, sizes) = (try call.tensor(0), try call.integers(1) ?? [])
      let axes = try Shape.axes(call.ints("axes") ?? Array(0..<tensor.rank), rank: tensor.rank)
      guard axes.count == sizes.count, sizes.allSatisfy({ $0 >= 0 }) else {
        throw ONNXError.malformed("the sizes do not fit the axes")
      }
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      for (axis, size) in zip(axes, sizes) {
        _ = try Shape.count([size])
        let own = tensor.shape[axis]
        let start = size <= own ? (own - size) / 2 : -((size - own) / 2)
        positions[axis] = (start..<start + size).map { (0..<own).contains($0) ? $0 : -1 }
      }
      return try tensor.selecting(positions)
    },
  ]

  static func multiplied(_ a: Int, _ b: Int) throws -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    guard !overflow else { throw ONNXError.malformed("a size of more than 64 bits") }
    return product
  }

  static func concatenated(_ tensors: [Tensor], axis given: Int) throws -> Tensor {
    let first = tensors[0]
    let axis = try Shape.axis(given, rank: first.rank)
    for tensor in tensors {
      guard tensor.type == first.type, tensor.rank == first.rank,
        first.shape.indices.allSatisfy({ $0 == axis || tensor.shape[$0] == first.shape[$0] })
      else {
        throw ONNXError.malformed(
          "\(tensor.type) \(Shape.text(tensor.shape)) cannot be joined to \(first.type) \(Shape.text(first.shape))"
        )
      }
    }
    return Tensor.joined(tensors, axis: axis)
  }

  static func split(_ tensor: Tensor, _ sizes: [Int], _ axis: Int) throws -> [Tensor] {
    guard sizes.allSatisfy({ $0 >= 0 }), try sizes.reduce(0, { try added($0, $1) }) == tensor.shape[axis]
    else {
      throw ONNXError.malformed("parts of \(sizes) of an axis of \(tensor.shape[axis])")
    }
    var start = 0
    return sizes.map { size in
      defer { start += size }
      return tensor.slice(start..<start + size, axis: axis)
    }
  }

  static func added(_ a: Int, _ b: Int) throws -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    guard !overflow else { throw ONNXError.malformed("a size of more than 64 bits") }
    return sum
  }

  /// The positions of a slice, as Python's.
  private static func sliced(_ size: Int, _ start: Int, _ end: Int, _ step: Int) -> [Int] {
    func clipped(_ position: Int, _ low: Int, _ high: Int) -> Int {
      min(max(position < 0 ? position + size : position, low), high)
    }
    if step > 0 {
      let (first, last) = (clipped(start, 0, size), clipped(end, 0, size))
      return first < last ? Array(stride(from: first, to: last, by: min(step, size + 1))) : []
    }
    let (first, last) = (clipped(start, -1, size - 1), clipped(end, -1, size - 1))
    return first > last ? Array(stride(from: first, to: last, by: max(step, -size - 1))) : []
  }
}

extension Tensor {
  /// The elements where `keeps` is true of the flat position, else zero.
  func masked(_ keeps: (Int) -> Bool) -> Tensor {
    func made<T: Element>(_: T.Type) -> Tensor {
      Tensor(
        shape, array(of: T.self).enumerated().map { keeps($0.offset) ? $0.element : T.blank }, type: type)
    }
    return made(self.type.storage)
  }
}
