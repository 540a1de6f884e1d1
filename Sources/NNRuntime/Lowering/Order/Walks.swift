import NNRuntime

// Tensors as walks through maps: for operators that read elements wherever they lie.

extension Lowered {
  /// The axes of one image's part of the tensor: those of `images` images are taken off the first; nil where a place of the
  /// first axis is not in one image.
  func imageAxes(_ images: Int) -> [[Factor]]? {
    var axes = view.axes
    guard images > 1 else { return map.images == 1 ? axes : nil }
    guard !axes.isEmpty, let first = axes[0].first, first.size % images == 0 else { return nil }
    let stride = map.images > 1 ? map.of(images: 1).count : 0
    guard map.images == images || map.images == 1, first.stride * (first.size / images) == stride else {
      return nil
    }
    if first.size == images {
      axes[0].removeFirst()
    } else {
      axes[0][0].size = first.size / images
    }
    return axes
  }

  /// A walk through one image along these axes, each a list of factors that are one.
  func walk(_ axes: [[Factor]]) -> MapWalk? {
    var found: [MapWalk.Axis] = []
    for axis in axes {
      let factors = StridedView(axes: [axis]).flat
      guard factors.count <= 1 else { return nil }
      found.append(MapWalk.Axis(size: factors.first?.size ?? 1, stride: factors.first?.stride ?? 0))
    }
    let walk = MapWalk(offset: view.offset, axes: found)
    return walk.fits(map.of(images: 1)) ? walk : nil
  }
}

extension Operands {
  /// An input, computed or known, with what is owed apart.
  func operand(_ index: Int) -> (tensor: Lowered, factor: Float)? {
    guard var found = constant(index).map(constantMap) ?? tensor(index) else { return nil }
    let factor = found.factor
    found.factor = 1
    return (found, factor)
  }

  /// An input, computed or known, with nothing owed.
  func settledOperand(_ index: Int) -> Lowered? {
    guard case (var found, let factor)? = operand(index) else { return nil }
    found.factor = factor
    return island.settled(found, name)
  }
}
