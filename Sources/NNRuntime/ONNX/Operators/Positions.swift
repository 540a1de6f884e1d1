extension Operators {
  /// Where the greatest, smallest or distinct elements are.
  static let positions: [Operator] = [
    position("ArgMax") { $0 > $1 }, position("ArgMin") { $0 < $1 },
    Operator("TopK", ["k", "axis", "largest", "sorted"], inputs: 1...2, outputs: 1...2, tensors: topK),
    Operator("Unique", ["axis", "sorted"], inputs: 1...1, outputs: 1...4, tensors: unique),
  ]

  /// In double precision, but integers of 64 bits as they are.
  private static func position(
    _ name: String, _ precedes: @escaping @Sendable (Double, Double) -> Bool
  ) -> Operator {
    Operator(name, ["axis", "keepdims", "select_last_index"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.number != nil else { throw unsupported(tensor.type) }
      let isLast = try call.flag("select_last_index")
      let plan = try Reduction(
        tensor, axes: [Shape.axis(call.int("axis", default: 0), rank: tensor.rank)],
        keepsAxes: call.flag("keepdims", default: true))
      let found = try plan.groups(of: plan.ordered.doubles()).map { group -> Int64 in
        guard var best = group.indices.first else {
          throw ONNXError.input("an empty axis has no greatest element")
        }
        for index in group.indices.dropFirst() {
          if precedes(group[index], group[best]) || isLast && group[index] == group[best]
            || group[index].isNaN && !group[best].isNaN
          {
            best = index
          }
        }
        return Int64(best - group.startIndex)
      }
      return Tensor(plan.result, found)
    }
  }

  @Sendable private static func topK(_ call: Call) throws -> [Tensor?] {
    let tensor = try call.tensor(0)
    guard tensor.rank > 0 else { throw ONNXError.malformed("a single number has no axes") }
    let axis = try Shape.axis(call.int("axis", default: -1), rank: tensor.rank)
    guard let k = try call.int("k") ?? call.integers(1)?.first, (0...tensor.shape[axis]).contains(k) else {
      throw ONNXError.input("k is not within 0 to \(tensor.shape[axis])")
    }
    let isLargest = try call.flag("largest", default: true)
    let (outer, size, inner) = Shape.around(axis, of: tensor.shape)
    var shape = tensor.shape
    shape[axis] = k
    let count = try Shape.count(shape, bits: 64)
    func found(_ picked: [Int]) -> [Tensor?] {
      let flat = picked.enumerated().map { place, index in
        (place / (k * inner) * size + index) * inner + place % inner
      }
      return [tensor.picking(flat, shape: shape), Tensor(shape, picked.map { Int64($0) })]
    }
    if tensor.type == .float, size <= Int(Int32.max) {
      return found(greatest(k, of: tensor.floats(), outer, size, inner, count: count, isLargest: isLargest))
    }
    func made<T: Number>(_: T.Type) -> [Tensor?] {
      let values = tensor.array(of: T.self)
      var picked = [Int](repeating: 0, count: count)
      for row in 0..<outer {
        for column in 0..<inner {
          let start = row * size * inner + column
          // Equal elements in their order; not-a-number is the greatest.
          let order = (0..<size).sorted { first, second in
            let (a, b) = (values[start + first * inner], values[start + second * inner])
            if a.isNotANumber || b.isNotANumber {
              return a.isNotANumber == b.isNotANumber ? first < second : a.isNotANumber == isLargest
            }
            return a == b ? first < second : isLargest ? a > b : a < b
          }
          for position in 0..<k { picked[(row * k + position) * inner + column] = order[position] }
        }
      }
      return found(picked)
    }
    guard let number = tensor.type.number else { throw unsupported(tensor.type) }
    return made(number)
  }

  /// Where the `k` greatest, or least, elements of each row lie, in order: equal ones as they come, not-a-number as the
  /// greatest.
  private static func greatest(
    _ k: Int, of values: [Float], _ outer: Int, _ size: Int, _ inner: Int, count: Int, isLargest: Bool
  ) -> [Int] {
    var picked = [Int](repeating: 0, count: count)
    var keys = [UInt64](repeating: 0, count: size)
    for row in 0..<outer {
      for column in 0..<inner {
        for index in 0..<size {
          // Ordered as numbers are: both zeros are one, and all that are not numbers.
          let value = values[(row * size + index) * inner + column]
          let bits = value.isNaN ? 0x7fc0_0000 : (value + 0).bitPattern
          let ascending = bits >> 31 == 0 ? bits | 0x8000_0000 : ~bits
          keys[index] = UInt64(isLargest ? ~ascending : ascending) << 32 | UInt64(index)
        }
        keys.sort()
        for position in 0..<k {
          picked[(row * k + position) * inner + column] = Int(
            truncatingIfNeeded: keys[position] & 0xffff_ffff)
        }
      }
    }
    return picked
  }

  @Sendable private static func unique(_ call: Call) throws -> [Tensor?] {
    let given = try call.tensor(0)
    guard given.type != .string else { throw unsupported(given.type) }
    let named = try call.int("axis")
    let tensor = named == nil ? given.reshaped([given.count]) : given
    let axis = try Shape.axis(named ?? 0, rank: tensor.rank)
    let others = tensor.shape.indices.filter { $0 != axis }
    let ordered = tensor.transposed([axis] + others).doubles()
    let (size, width) = (tensor.shape[axis], others.map { tensor.shape[$0] }.reduce(1, *))
    func row(_ index: Int) -> ArraySlice<Double> { ordered[index * width..<(index + 1) * width] }
    // Runs of equal rows in order, each with the first of its places.
    var firsts: [Int] = []
    var groups = [Int](repeating: 0, count: size)
    for index in (0..<size).sorted(by: {
      let (a, b) = (row($0), row($1))
      return a.elementsEqual(b) ? $0 < $1 : a.lexicographicallyPrecedes(b)
    }) {
      if let last = firsts.last, row(last).elementsEqual(row(index)) {} else { firsts.append(index) }
      groups[index] = firsts.count - 1
    }
    var order = Array(firsts.indices)
    if try !call.flag("sorted", default: true) { order.sort { firsts[$0] < firsts[$1] } }
    var rank = [Int](repeating: 0, count: order.count)
    for (place, group) in order.enumerated() { rank[group] = place }
    var counts = [Int](repeating: 0, count: order.count)
    for group in groups { counts[rank[group]] += 1 }
    var positions = [[Int]?](repeating: nil, count: tensor.rank)
    positions[axis] = order.map { firsts[$0] }
    return [
      try tensor.selecting(positions), Tensor(integers: order.map { firsts[$0] }),
      Tensor(integers: groups.map { rank[$0] }), Tensor(integers: counts),
    ]
  }
}
