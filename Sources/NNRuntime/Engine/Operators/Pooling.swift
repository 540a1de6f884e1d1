import NNKernelInterface

/// Reduction of a pooling window.
public enum PoolKind: Hashable, Sendable {
  /// The greatest element inside the map.
  case maximum
  /// The mean; `countsPadding`: what lies beyond the map, within the paddings, counts as zeros.
  case mean(countsPadding: Bool)

  /// The same of a kernel's task.
  fileprivate var asked: WindowPoolTask.Kind {
    switch self {
    case .maximum: .maximum
    case .mean(let countsPadding): .mean(countsPadding: countsPadding)
    }
  }
}

/// A pool over any window, of any number of windows: the last ones may reach beyond the paddings.
struct Pooling: VectorOperator {
  var kind: PoolKind
  var window: Window
  var height, width: Int

  var name: String { kind == .maximum ? "maxpool" : "averagepool" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { window.height * window.width }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
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

  func step(_ layer: PlacedNode, _ kernel: Kernel<WindowPoolTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let pool = WindowPoolTask(
      kind: kind.asked,
      rows: WindowAxis(
        input: input.height, size: window.height, stride: window.strideDown, dilation: window.dilationDown,
        before: window.top, after: window.bottom),
      columns: WindowAxis(
        input: input.width, size: window.width, stride: window.strideAcross, dilation: window.dilationAcross,
        before: window.left, after: window.right),
      outHeight: output.height, outWidth: output.width, channels: output.channels,
      input: builder.map(node.inputs[0]), output: builder.mutableMap(node.output))
    let task = TaskMemory(pool, keeping: [builder.arena] + builder.operands)
    let elements = window.height * window.width * min(output.channels, 16)
    return builder.step(
      layer.index, kernel, task, items: pool.items, together: max(1, 32_768 / elements))
  }

  static let plain = PlainKernel<WindowPoolTask>(
    name: "pool-f32", computes: "pool over any window", tolerance: .product
  ) { task, share in
    for item in share.items {
      let (pixel, block) = item.quotientAndRemainder(dividingBy: task.blocks)
      let (y, x) = pixel.quotientAndRemainder(dividingBy: task.outWidth)
      for channel in 16 * block..<min(16 * block + 16, task.channels) {
        task.output[y, x, channel] = task.pooled(y, x, channel)
      }
    }
  }
}

extension WindowPoolTask {
  /// One channel of an output pixel.
  fileprivate func pooled(_ y: Int, _ x: Int, _ channel: Int) -> Float {
    var (sum, pixels, greatest) = (0.0, 0, -Float.infinity)
    for down in 0..<rows.size {
      let inY = y * rows.stride - rows.before + down * rows.dilation
      for across in 0..<columns.size {
        let inX = x * columns.stride - columns.before + across * columns.dilation
        if kind == .mean(countsPadding: true), inY < rows.input + rows.after,
          inX < columns.input + columns.after
        {
          pixels += 1
        }
        guard (0..<rows.input).contains(inY), (0..<columns.input).contains(inX) else { continue }
        if kind == .mean(countsPadding: false) { pixels += 1 }
        let element = input[inY, inX, channel]
        sum += Double(element)
        greatest = greater(greatest, element)
      }
    }
    return kind == .maximum ? greatest : Float(sum / Double(max(pixels, 1)))
  }

  @inline(__always)
  private func greater(_ a: Float, _ b: Float) -> Float { b.isNaN || b > a ? b : a }
}

extension Value {
  /// A pool of `height` x `width` windows; the last may reach beyond the window's paddings.
  public func pooled(_ kind: PoolKind, over window: Window, height: Int, width: Int, name: String) -> Value {
    applying(Pooling(kind: kind, window: window, height: height, width: width), name: name)
  }

  /// The mean over a window; pixels beyond the map count as zeros if `countsPadding`, else not at all.
  public func averagePool(_ window: Window, countsPadding: Bool = false, name: String) -> Value {
    do throws(GraphError.Kind) {
      let (height, width) = try window.size(on: shape)
      guard max(window.top, window.bottom) < window.reach.down,
        max(window.left, window.right) < window.reach.across
      else { throw .wrongAttributes("a padding as large as the window: \(window)") }
      return pooled(
        .mean(countsPadding: countsPadding), over: window, height: height, width: width, name: name)
    } catch {
      return failed(error, name)
    }
  }

  /// The mean of each channel over all pixels: a map of one pixel.
  public func globalAveragePool(name: String) -> Value {
    averagePool(Window(height: shape.height, width: shape.width), name: name)
  }
}
