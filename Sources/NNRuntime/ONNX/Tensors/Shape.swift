import FileFormats

/// Sizes of tensors, and how they fit.
package enum Shape {
  /// Elements that a tensor may have which is made now.
  @TaskLocal package static var most = Tensor.mostElements

  /// The elements of a shape, where they are not too many.
  ///
  /// `bits`: of what is held of each; `most`: how many there may be of 64 bits or fewer.
  package static func count(_ shape: [Int], bits: Int = 32, most: Int? = nil) throws -> Int {
    let most = most ?? Self.most
    var total = 1
    for size in shape where size != 0 {
      let (product, overflow) = total.multipliedReportingOverflow(by: size)
      guard size > 0, !overflow, product <= most / max(bits / 64, 1) else {
        throw ONNXError.malformed("a tensor of shape \(text(shape)), which no memory holds")
      }
      total = product
    }
    return shape.contains(0) ? 0 : total
  }

  static func text(_ shape: [Int]) -> String { "[" + shape.map(String.init).joined(separator: ", ") + "]" }

  /// Elements between neighbors along each axis.
  static func strides(_ shape: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: shape.count)
    for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
    return strides
  }

  /// The shape that several broadcast to, as NumPy's.
  static func broadcast(_ shapes: [[Int]]) throws -> [Int] {
    let rank = shapes.map(\.count).max() ?? 0
    var result = [Int](repeating: 1, count: rank)
    for shape in shapes {
      for (axis, size) in shape.enumerated() where size != 1 {
        let position = rank - shape.count + axis
        guard result[position] == 1 || result[position] == size else {
          throw ONNXError.malformed("shapes \(shapes.map(text).joined(separator: " and ")) do not broadcast")
        }
        result[position] = size
      }
    }
    _ = try count(result, bits: 8)
    return result
  }

  /// The strides that read a tensor of `shape` as one of `target`: 0 along what is repeated.
  static func strides(_ shape: [Int], broadcastTo target: [Int]) -> [Int] {
    let own = strides(shape)
    return target.indices.map { axis in
      let position = axis - (target.count - shape.count)
      return position < 0 || shape[position] == 1 ? 0 : own[position]
    }
  }

  /// An axis counted from the front.
  static func axis(_ axis: Int, rank: Int) throws -> Int {
    guard axis >= -rank, axis < max(rank, 0) else {
      throw ONNXError.malformed("axis \(axis) of a tensor of \(counted(rank, "axis", "axes"))")
    }
    return axis < 0 ? axis + rank : axis
  }

  /// Axes counted from the front, each once.
  static func axes(_ axes: [Int], rank: Int) throws -> [Int] {
    let found = try axes.map { try axis($0, rank: rank) }
    guard Set(found).count == found.count else { throw ONNXError.malformed("axes \(axes) name one twice") }
    return found
  }

  /// The product of sizes before, at and after an axis.
  static func around(_ axis: Int, of shape: [Int]) -> (outer: Int, size: Int, inner: Int) {
    (shape[..<axis].reduce(1, *), shape[axis], shape[(axis + 1)...].reduce(1, *))
  }

  /// The sums of every index's positions times these steps, the last axis fastest.
  static func offsets(_ shape: [Int], _ steps: [Int]) -> [Int] {
    var found = [0]
    for (size, step) in zip(shape, steps) {
      var longer: [Int] = []
      longer.reserveCapacity(found.count * size)
      for offset in found { for index in 0..<size { longer.append(offset + index * step) } }
      found = longer
    }
    return found
  }

  /// Calls `body` with every index of `shape`, the last axis fastest.
  static func forEachIndex(_ shape: [Int], _ body: ([Int]) throws -> Void) rethrows {
    guard !shape.contains(0) else { return }
    var index = [Int](repeating: 0, count: shape.count)
    while true {
      try body(index)
      var axis = shape.count - 1
      while axis >= 0 {
        index[axis] += 1
        if index[axis] < shape[axis] { break }
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }

  /// The offsets of every row of the last axis: `body` gets the row's first offset under each of the strides.
  static func forEachRow(_ shape: [Int], _ strides: [[Int]], _ body: ([Int]) -> Void) {
    guard !shape.contains(0) else { return }
    let outer = Array(shape.dropLast())
    var index = [Int](repeating: 0, count: outer.count)
    var offsets = [Int](repeating: 0, count: strides.count)
    while true {
      body(offsets)
      var axis = outer.count - 1
      while axis >= 0 {
        index[axis] += 1
        for which in strides.indices { offsets[which] += strides[which][axis] }
        if index[axis] < outer[axis] { break }
        for which in strides.indices { offsets[which] -= strides[which][axis] * outer[axis] }
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
