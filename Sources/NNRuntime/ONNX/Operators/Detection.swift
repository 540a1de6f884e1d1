extension Operators {
  /// Boxes, and columns put back to pictures.
  static let detection: [Operator] = [
    Operator("NonMaxSuppression", ["center_point_box"], inputs: 2...5, evaluate: nonMaxSuppression),
    Operator("Col2Im", ["dilations", "pads", "strides"], inputs: 3...3) { call in
      let tensor = try call.tensor(0)
      guard let image = try call.integers(1), let block = try call.integers(2), tensor.rank == 3,
        (image + block).allSatisfy({ $0 > 0 && $0 < 1 << 31 })
      else { throw ONNXError.malformed("sizes of the picture or the block") }
      let windows = try Windows(call, input: image, kernel: block)
      let (count, places) = (block.reduce(1, *), windows.output.reduce(1, *))
      guard image.count == block.count, tensor.shape[1] % count == 0, tensor.shape[2] == places else {
        throw ONNXError.malformed("columns of shape \(Shape.text(tensor.shape))")
      }
      let planes = tensor.shape[0] * (tensor.shape[1] / count)
      let shape = [tensor.shape[0], tensor.shape[1] / count] + image
      var made = [Double](repeating: 0, count: try Shape.count(shape, bits: 64))
      let (values, starts, offsets) = (tensor.doubles(), windows.starts, windows.offsets)
      let (steps, area) = (Shape.strides(image), image.reduce(1, *))
      for plane in 0..<planes {
        for (k, offset) in offsets.enumerated() {
          for (place, start) in starts.enumerated() {
            let index = zip(start, offset.index).map(+)
            guard index.indices.allSatisfy({ (0..<image[$0]).contains(index[$0]) }) else { continue }
            made[plane * area + zip(index, steps).map(*).reduce(0, +)] +=
              values[(plane * count + k) * places + place]
          }
        }
      }
      return Tensor(tensor.type, shape, doubles: made)
    },
  ]

  @Sendable private static func nonMaxSuppression(_ call: Call) throws -> Tensor {
    let (boxes, scores) = (try call.tensor(0), try call.tensor(1))
    guard boxes.rank == 3, scores.rank == 3, boxes.shape[2] == 4, scores.shape[2] == boxes.shape[1],
      scores.shape[0] == boxes.shape[0]
    else { throw ONNXError.malformed("scores of shape \(Shape.text(scores.shape))") }
    let most = try call.integers(2)?.first ?? 0
    let overlap = try call.optional(3)?.floats().first ?? 0
    let least = try call.optional(4)?.floats().first
    guard (0...1).contains(overlap) else { throw ONNXError.input("an overlap of \(overlap)") }
    let isCentered = try call.flag("center_point_box")
    let (values, points) = (scores.floats(), boxes.floats())
    let count = boxes.shape[1]
    /// Left, top, right, bottom.
    func corners(_ index: Int) -> (Float, Float, Float, Float) {
      let box = points[4 * index..<4 * index + 4]
      let (a, b, c, d) = (
        box[box.startIndex], box[box.startIndex + 1], box[box.startIndex + 2], box[box.startIndex + 3]
      )
      if isCentered { return (a - c / 2, b - d / 2, a + c / 2, b + d / 2) }
      return (min(b, d), min(a, c), max(b, d), max(a, c))
    }
    func isNear(_ first: Int, _ second: Int) -> Bool {
      let (a, b) = (corners(first), corners(second))
      let (width, height) = (min(a.2, b.2) - max(a.0, b.0), min(a.3, b.3) - max(a.1, b.1))
      guard width > 0, height > 0 else { return false }
      let common: Float = width * height
      let (areaA, areaB): (Float, Float) = ((a.2 - a.0) * (a.3 - a.1), (b.2 - b.0) * (b.3 - b.1))
      let union: Float = areaA + areaB - common
      return union > 0 && common / union > overlap
    }
    var selected: [Int64] = []
    for image in 0..<boxes.shape[0] {
      for kind in 0..<scores.shape[1] {
        let start = (image * scores.shape[1] + kind) * count
        let candidates = (0..<count).filter { (index: Int) -> Bool in
          least.map { values[start + index] > $0 } ?? true
        }
        let order = candidates.sorted { (a: Int, b: Int) -> Bool in
          let (first, second) = (values[start + a], values[start + b])
          return first == second ? a < b : first > second
        }
        var kept: [Int] = []
        for index in order where kept.count < most {
          if kept.contains(where: { isNear(image * count + $0, image * count + index) }) { continue }
          kept.append(index)
        }
        selected += kept.flatMap { [Int64(image), Int64(kind), Int64($0)] }
      }
    }
    return Tensor([selected.count / 3, 3], selected)
  }
}
