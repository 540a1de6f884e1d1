import NNRuntime
import ONNX

/// `MaxPool` and `AveragePool` of one or two axes.
enum PoolRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard let x = operands.settled(0), x.shape.count == 3 || x.shape.count == 4,
      let kernel = step.ints("kernel_shape"), kernel.count == x.shape.count - 2,
      node.outputs.dropFirst().allSatisfy({ $0 == nil || operands.program.readers[$0!] == nil }),
      step.int("storage_order") ?? 0 == 0,
      let windows = try? step.windows(over: Array(x.shape[2...]), kernel: kernel),
      let map = operands.island.map(x, operands.name)
    else { return nil }
    let isRow = x.shape.count == 3
    var window = Window(height: isRow ? 1 : kernel[0], width: kernel[kernel.count - 1])
    let last = kernel.count - 1
    if !isRow {
      (window.strideDown, window.dilationDown) = (windows.strides[0], windows.dilations[0])
      (window.top, window.bottom) = (windows.before[0], windows.after[0])
    }
    (window.strideAcross, window.dilationAcross) = (windows.strides[last], windows.dilations[last])
    (window.left, window.right) = (windows.before[last], windows.after[last])
    let (height, width) = (isRow ? 1 : windows.output[0], windows.output[last])
    guard window.top < window.reachDown, window.left < window.reachAcross,
      (height - 1) * window.strideDown - window.top < map.shape.height,
      (width - 1) * window.strideAcross - window.left < map.shape.width
    else { return nil }
    let made: MapValue
    if step.type == "MaxPool", let square = window.square(on: map.shape, height, width) {
      made = map.maxPool(
        kernel: square.edge, stride: square.stride, padding: square.padding, name: operands.name)
    } else {
      let kind: PoolKind =
        step.type == "MaxPool"
        ? .maximum : .mean(countsPadding: step.int("count_include_pad") ?? 0 != 0)
      made = map.pooled(kind, over: window, height: height, width: width, name: operands.name)
    }
    return [operands.island.tensor(made, rank: x.shape.count)]
  }
}

/// `GlobalAveragePool`, `GlobalMaxPool`, and `ReduceMean`, `ReduceMax` and `ReduceSum` over all pixels or over the channels.
enum ReductionRule: Rule {
  static let types = ["GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceMax", "ReduceSum"]

  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard let x = operands.settled(0), let shape = operands.outputShape(), x.shape.count > 1 else {
      return nil
    }
    let rank = x.shape.count
    let axes: [Int]
    if step.type.hasPrefix("Global") {
      guard rank > 2 else { return nil }
      axes = Array(2..<rank)
    } else {
      guard let given = step.ints("axes") ?? operands.constant(1)?.integers(), !given.isEmpty else {
        return nil
      }
      axes = given.map { $0 < 0 ? $0 + rank : $0 }.sorted()
      guard axes.allSatisfy({ (0..<rank).contains($0) }), Set(axes).count == axes.count else { return nil }
    }
    let isMaximum = step.type.hasSuffix("MaxPool") || step.type == "ReduceMax"
    let kept = x.shape.indices.filter { !axes.contains($0) && x.shape[$0] > 1 }
    let factor = step.type == "ReduceSum" ? Float(axes.reduce(1) { $0 * x.shape[$1] }) : 1
    if !isMaximum, axes.count == 1, let found = channelMean(x, axes[0], operands) {
      guard let view = found.view.reshaped(shape) else { return nil }
      return [Lowered(value: found.value, view: view, factor: factor)]
    }
    // Everything but one axis, and the images of a batch, becomes one.
    let images = x.map.images
    guard kept.count <= (images > 1 && kept.first == 0 ? 2 : 1),
      let axis = kept.last ?? x.shape.indices.first(where: { x.shape[$0] == 1 }),
      images == 1 || kept.count == 2,
      let found = operands.island.imagewise(x, channels: axis, operands.name)
    else { return nil }
    let map = found.map
    let window = Window(height: map.height, width: map.width)
    let made = found.value.pooled(
      isMaximum ? .maximum : .mean(countsPadding: false), over: window, height: 1, width: 1,
      name: operands.name)
    guard made.shape.count == elementCount(shape) else { return nil }
    return [Lowered(value: made, view: StridedView(rowMajor: shape), factor: factor)]
  }

  /// The mean over the channels of every pixel, which is a product with a row of equal weights; nil where the axis is
  /// not the map's channels.
  private static func channelMean(_ x: Lowered, _ axis: Int, _ operands: Operands) -> Lowered? {
    guard let found = operands.island.whole(x, operands.name), found.map.channels > 1,
      found.view.axes[axis] == found.channelFactors
    else { return nil }
    let channels = found.map.channels
    let weights = WeightTensor(
      shape: [1, channels], floats: [Float](repeating: 1 / Float(channels), count: channels))
    let value = found.value.linear(weights, name: operands.name)
    return operands.replacing(axis, of: found, with: value)
  }
}

extension Window {
  fileprivate var reachDown: Int { dilationDown * (height - 1) + 1 }
  fileprivate var reachAcross: Int { dilationAcross * (width - 1) + 1 }

  /// The window as a square with one stride and padding that makes `rows` by `columns` outputs; nil for other windows.
  fileprivate func square(
    on map: MapShape, _ rows: Int, _ columns: Int
  ) -> (edge: Int, stride: Int, padding: Int)? {
    guard height == width, strideDown == strideAcross, top == left, dilationDown == 1, dilationAcross == 1,
      2 * top <= height, map.height + 2 * top >= height, map.width + 2 * left >= width,
      (map.height + 2 * top - height) / strideDown + 1 == rows,
      (map.width + 2 * left - width) / strideAcross + 1 == columns
    else { return nil }
    return (height, strideDown, top)
  }
}
