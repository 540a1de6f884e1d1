import NNKernelInterface

/// Reduction of a pooling window.
public enum PoolKind: Hashable, Sendable {
  /// The greatest element inside the map.
  case maximum
  /// The mean; `countsPadding`: what lies beyond the map, within the paddings, counts as zeros.
  case mean(countsPadding: Bool)
}

/// A pool over any window, of any number of windows: the last ones may reach beyond the paddings.
struct Pooling: VectorOperator {
  var kind: PoolKind
  var window: Window
  var height, width: Int

  /// Channels that a share computes together.
  private static let block = 64

  /// The arguments of a kernel.
  struct Task {
    var kind: PoolKind
    var window: Window
    var inHeight, inWidth, outWidth, channels, blocks: Int
    var input: MapPointer
    var output: MutableMapPointer
  }

  var name: String { kind == .maximum ? "maxpool" : "averagepool" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { window.height * window.width }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try window.check()
    let result = try MapShape.result(height: height, width: width, channels: inputs[0].channels)
    guard
      (height - 1) * window.strideDown - window.top < inputs[0].height
        && (width - 1) * window.strideAcross - window.left < inputs[0].width
        && window.reach.down > window.top && window.reach.across > window.left
    else { throw .wrongInputs(inputs, needed: "on which \(height)x\(width) windows do not lie") }
    return result
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let blocks = (output.channels + Self.block - 1) / Self.block
    let task = TaskMemory(
      Task(
        kind: kind, window: window, inHeight: input.height, inWidth: input.width, outWidth: output.width,
        channels: output.channels, blocks: blocks, input: builder.map(node.inputs[0]),
        output: builder.mutableMap(node.output)), keeping: [builder.arena] + builder.operands)
    let elements = window.height * window.width * min(output.channels, Self.block)
    return builder.step(
      layer.index, kernel, task, items: output.pixels * blocks, together: max(1, 32_768 / elements))
  }

  /// Items are blocks of channels, pixel after pixel.
  static let plain = PlainKernel<Task>(
    name: "pool-f32", computes: "pool over any window", tolerance: .product, scratch: { _ in 2 * block }
  ) { task, share in
    for item in share.items {
      let (pixel, part) = item.quotientAndRemainder(dividingBy: task.blocks)
      let channels = part * block..<min((part + 1) * block, task.channels)
      unsafe task.pool(pixel / task.outWidth, pixel % task.outWidth, channels, share.scratch)
    }
  }
}

extension Pooling.Task {
  /// Some channels of an output pixel.
  ///
  /// `scratch` holds sums, of rows and of the window.
  fileprivate func pool(_ y: Int, _ x: Int, _ channels: Range<Int>, _ scratch: UnsafeMutablePointer<Float>) {
    let (count, isMaximum) = (channels.count, kind == .maximum)
    let output = unsafe output.pixel(y, x) + channels.lowerBound
    let row = unsafe scratch + count
    unsafe scratch.update(repeating: isMaximum ? -.infinity : 0, count: count)
    var pixels = 0
    for down in 0..<window.height {
      let inY = y * window.strideDown - window.top + down * window.dilationDown
      guard inY >= 0 && inY < inHeight else { continue }
      unsafe row.update(repeating: isMaximum ? -.infinity : 0, count: count)
      for across in 0..<window.width {
        let inX = x * window.strideAcross - window.left + across * window.dilationAcross
        guard inX >= 0 && inX < inWidth else { continue }
        pixels += 1
        let source = unsafe input.pixel(inY, inX) + channels.lowerBound
        if isMaximum {
          for i in 0..<count { unsafe row[i] = greater(row[i], source[i]) }
        } else {
          for i in 0..<count { unsafe row[i] += source[i] }
        }
      }
      if isMaximum {
        for i in 0..<count { unsafe scratch[i] = greater(scratch[i], row[i]) }
      } else {
        for i in 0..<count { unsafe scratch[i] += row[i] }
      }
    }
    if kind == .mean(countsPadding: true) {
      pixels =
        inside(y, window.height, window.strideDown, window.top, window.dilationDown, inHeight + window.bottom)
        * inside(
          x, window.width, window.strideAcross, window.left, window.dilationAcross, inWidth + window.right)
    }
    let divisor = isMaximum ? 1 : Float(max(pixels, 1))
    for i in 0..<count { unsafe output[i] = scratch[i] / divisor }
  }

  @inline(__always)
  private func greater(_ a: Float, _ b: Float) -> Float { b.isNaN || b > a ? b : a }

  /// Places of a window along an axis that lie before `end`, from the padding on.
  private func inside(
    _ output: Int, _ size: Int, _ stride: Int, _ padding: Int, _ dilation: Int, _ end: Int
  ) -> Int {
    (0..<size).count { output * stride - padding + $0 * dilation < end }
  }
}

extension Value {
  /// A pool of `height` x `width` windows; the last may reach beyond the window's paddings.
  public func pooled(_ kind: PoolKind, over window: Window, height: Int, width: Int, name: String) -> Value {
    applying(Pooling(kind: kind, window: window, height: height, width: width), name: name)
  }
}
