import NNRuntime

/// A tensor of the program as the engine has it: a map, where in it the elements lie, and a factor that is still owed.
struct Lowered {
  var value: MapValue
  var view: StridedView
  /// Factor of every element of the map.
  var factor: Float = 1

  var shape: [Int] { view.shape }
  /// The elements of the map.
  var map: MapShape { value.shape }

  /// Whether each element of the map is one of the tensor's.
  var isWhole: Bool {
    view.offset == 0 && view.count == map.count && view.flat.allSatisfy { $0.stride > 0 }
  }

  /// Whether the first axis counts the map's images, where there are several: a pool or a stack of maps is made of each
  /// image by itself.
  var isByImages: Bool {
    map.images == 1 || view.axes.first == [Factor(size: map.images, stride: map.of(images: 1).count)]
  }
}

extension StridedView {
  /// The view of a tensor of `shape` whose elements lie in the order of its axes `order`.
  init(_ shape: [Int], inOrder order: [Int]) {
    let memory = StridedView(rowMajor: order.map { shape[$0] })
    var axes = [[Factor]](repeating: [], count: shape.count)
    for (place, axis) in order.enumerated() { axes[axis] = memory.axes[place] }
    self.init(axes: axes)
  }
}
