/// A run of places along an axis: so many, each `stride` elements after the one before.
struct Factor: Hashable, Sendable {
  var size: Int
  var stride: Int
}

/// Where the elements of a tensor lie in memory that holds them in another order.
///
/// An axis is a list of factors, the slowest first: its index counts through them. Transposes, reshapes and slices of a
/// tensor are other views of the same memory, as long as they can be written so.
struct StridedView: Hashable, Sendable {
  /// Elements from the memory's start to the tensor's first.
  var offset: Int
  /// The factors of each axis; those of one place are left out.
  private(set) var axes: [[Factor]]

  init(offset: Int = 0, axes: [[Factor]]) {
    self.offset = offset
    self.axes = axes.map(Self.merged)
  }

  /// A tensor whose elements lie row-major from the memory's start on.
  init(rowMajor shape: [Int]) {
    var (stride, axes) = (1, [[Factor]]())
    for size in shape.reversed() {
      axes.insert([Factor(size: size, stride: stride)], at: 0)
      stride *= size
    }
    self.init(axes: axes)
  }

  var shape: [Int] { axes.map { $0.reduce(1) { $0 * $1.size } } }
  var count: Int { shape.reduce(1, *) }
  /// All factors in the order of the tensor's elements, neighbors joined.
  var flat: [Factor] { Self.merged(axes.flatMap(\.self)) }

  /// The axes in another order.
  func transposed(_ order: [Int]) -> StridedView {
    StridedView(offset: offset, axes: order.map { axes[$0] })
  }

  /// The same elements in another shape; nil where this memory cannot be read as that shape without a copy.
  func reshaped(_ shape: [Int]) -> StridedView? {
    guard shape.reduce(1, *) == count, !shape.contains(0) else { return nil }
    var rest = flat
    var axes: [[Factor]] = []
    for size in shape.reversed() {
      var (missing, axis) = (size, [Factor]())
      while missing > 1 {
        guard let last = rest.popLast() else { return nil }
        if last.size <= missing {
          guard missing % last.size == 0 else { return nil }
          axis.insert(last, at: 0)
          missing /= last.size
        } else {
          guard last.size % missing == 0 else { return nil }
          axis.insert(Factor(size: missing, stride: last.stride), at: 0)
          rest.append(Factor(size: last.size / missing, stride: last.stride * missing))
          missing = 1
        }
      }
      axes.insert(axis, at: 0)
    }
    return StridedView(offset: offset, axes: axes)
  }

  /// `count` places of an axis from `start` on, `step` apart; nil where factors would be cut.
  func sliced(_ axis: Int, from start: Int, count: Int, step: Int = 1) -> StridedView? {
    var (view, factors) = (self, axes[axis])
    let size = factors.reduce(1) { $0 * $1.size }
    guard count > 0, step > 0, (0..<size).contains(start), count - 1 <= (size - 1 - start) / step else {
      return nil
    }
    guard let first = factors.first else { return start == 0 && count == 1 ? self : nil }
    let inner = factors.dropFirst().reduce(1) { $0 * $1.size }
    if inner == 1 {
      view.offset += start * first.stride
      view.axes[axis] = Self.merged([Factor(size: count, stride: first.stride * step)])
      return view
    }
    if step == 1, start % inner == 0, count % inner == 0 {
      view.offset += start / inner * first.stride
      factors[0].size = count / inner
      view.axes[axis] = Self.merged(factors)
      return view
    }
    // Within one place of the slowest factor.
    let last = start + (count - 1) * step
    guard start / inner == last / inner else { return nil }
    view.offset += start / inner * first.stride
    view.axes[axis] = Array(factors.dropFirst())
    return view.sliced(axis, from: start % inner, count: count, step: step)
  }

  /// The view as one of a shape that it is repeated to, as NumPy broadcasts.
  func broadcast(to shape: [Int]) -> StridedView {
    let missing = shape.count - axes.count
    let found = shape.indices.map { axis -> [Factor] in
      let own = axis < missing ? [] : axes[axis - missing]
      return own.isEmpty && shape[axis] > 1 ? [Factor(size: shape[axis], stride: 0)] : own
    }
    return StridedView(offset: offset, axes: found)
  }

  /// An axis as one factor; nil where it is several.
  func single(_ axis: Int) -> Factor? {
    switch axes[axis].count {
    case 0: Factor(size: 1, stride: 1)
    case 1: axes[axis][0]
    default: nil
    }
  }

  /// Whether the tensor's elements are the memory's first, in the memory's order.
  var isRowMajor: Bool {
    offset == 0 && (flat.isEmpty || flat == [Factor(size: count, stride: 1)])
  }

  /// Without factors of one place, and with neighbors that count on joined.
  private static func merged(_ factors: [Factor]) -> [Factor] {
    var result: [Factor] = []
    for factor in factors where factor.size != 1 {
      if let last = result.last, last.stride == factor.size * factor.stride {
        result[result.count - 1] = Factor(size: last.size * factor.size, stride: factor.stride)
      } else {
        result.append(factor)
      }
    }
    return result
  }
}

extension StridedView {
  /// The factors of two views of one shape, cut so that they have the same sizes, axis by axis; nil where sizes do not
  /// divide each other.
  static func refined(_ a: StridedView, _ b: StridedView) -> [[(size: Int, a: Int, b: Int)]]? {
    var axes: [[(size: Int, a: Int, b: Int)]] = []
    for (left, right) in zip(a.axes, b.axes) {
      var (left, right, found) = (left, right, [(size: Int, a: Int, b: Int)]())
      while let x = left.popLast() {
        guard let y = right.popLast() else { return nil }
        let size = min(x.size, y.size)
        guard x.size % size == 0, y.size % size == 0 else { return nil }
        found.insert((size, x.stride, y.stride), at: 0)
        if x.size > size { left.append(Factor(size: x.size / size, stride: x.stride * size)) }
        if y.size > size { right.append(Factor(size: y.size / size, stride: y.stride * size)) }
      }
      guard right.isEmpty else { return nil }
      axes.append(found)
    }
    return axes
  }
}
