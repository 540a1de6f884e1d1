// Depthwise convolution: sixteen channels a vector, four neighbouring output pixels at once, so that a
// weight is loaded once for four multiply-adds and the sums never leave registers.

import NNKernelInterface

func depthwise(_ task: UnsafePointer<DepthwiseTask>, _ share: Share) {
  task.pointee.activation.run(DepthwiseLoop.self, (task.pointee, share.items))
}

private enum DepthwiseLoop: ActivatedLoop {
  typealias Functions = ExactFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: DepthwiseTask, items: Range<Int>)
  ) {
    depthwise(function, operands.task, operands.items)
  }
}

@inline(__always)
private func depthwise<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ items: Range<Int>
) {
  // Output columns whose windows lie inside the input from left to right.
  let (kernel, stride, padding) = (task.kernel, task.stride, task.padding)
  let firstInside = min((padding + stride - 1) / stride, task.outWidth)
  let reach = task.inWidth + padding - kernel
  let lastInside = max(reach < 0 ? 0 : min(reach / stride + 1, task.outWidth), firstInside)
  for y in items {
    let top = y * stride - padding
    let rows = max(0, -top)..<max(max(0, -top), min(kernel, task.inHeight - top))
    var x = 0
    while x < task.outWidth {
      if x >= firstInside && x + 4 <= lastInside {
        fourPixels(function, task, y, x, rows)
        x += 4
      } else {
        onePixel(function, task, y, x, rows)
        x += 1
      }
    }
  }
}

/// Output pixels (y, x..<x + 4), all of whose windows lie inside the input from left to right.
@inline(__always)
private func fourPixels<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ rows: Range<Int>
) {
  let kernel = task.kernel
  let pixel = task.input.pixelStride
  let step = task.stride * pixel
  let corner =
    task.input.base + (y * task.stride - task.padding) * task.input.rowStride
    + (x * task.stride - task.padding) * pixel
  let whole = task.channels / 16 * 16
  var channel = 0
  while channel < whole {
    let bias = load(task.bias + channel)
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    for row in rows {
      var weights = task.weights + row * kernel * task.channels + channel
      var source = corner + row * task.input.rowStride + channel
      for _ in 0..<kernel {
        let weight = load(weights)
        sum0 = multiplyAdd(load(source), weight, sum0)
        sum1 = multiplyAdd(load(source + step), weight, sum1)
        sum2 = multiplyAdd(load(source + 2 * step), weight, sum2)
        sum3 = multiplyAdd(load(source + 3 * step), weight, sum3)
        weights += task.channels
        source += pixel
      }
    }
    finish(function, task, y, x, channel, sum0)
    finish(function, task, y, x + 1, channel, sum1)
    finish(function, task, y, x + 2, channel, sum2)
    finish(function, task, y, x + 3, channel, sum3)
    channel += 16
  }
  if channel < task.channels {
    for offset in 0..<4 { lastChannels(function, task, y, x + offset, rows, 0..<kernel) }
  }
}

/// One output pixel, whose window may reach beyond the input.
@inline(__always)
private func onePixel<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ rows: Range<Int>
) {
  let left = x * task.stride - task.padding
  let columns = max(0, -left)..<max(max(0, -left), min(task.kernel, task.inWidth - left))
  var channel = 0
  while channel + 16 <= task.channels {
    var sum = load(task.bias + channel)
    for row in rows {
      for column in columns {
        let (source, weights) = tap(task, y, x, row, column)
        sum = multiplyAdd(load(source + channel), load(weights + channel), sum)
      }
    }
    finish(function, task, y, x, channel, sum)
    channel += 16
  }
  if channel < task.channels { lastChannels(function, task, y, x, rows, columns) }
}

/// The channels of one output pixel that do not fill a vector.
@inline(__always)
private func lastChannels<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ rows: Range<Int>, _ columns: Range<Int>
) {
  let channel = task.channels / 16 * 16
  let count = task.channels - channel
  var sum = loadPartial(task.bias + channel, count: count)
  for row in rows {
    for column in columns {
      let (source, weights) = tap(task, y, x, row, column)
      sum = multiplyAdd(
        loadPartial(source + channel, count: count), loadPartial(weights + channel, count: count), sum)
    }
  }
  var result = function.of(sum)
  if let residual = task.residual {
    let added = residual.base + y * residual.rowStride + x * residual.pixelStride + channel
    result += loadPartial(added, count: count)
  }
  let output = task.output.base + y * task.output.rowStride + x * task.output.pixelStride + channel
  storePartial(result, output, count: count)
}

/// Input pixel and weights, first channel, of one position of a window.
@inline(__always)
private func tap(
  _ task: DepthwiseTask, _ y: Int, _ x: Int, _ row: Int, _ column: Int
) -> (UnsafePointer<Float>, UnsafePointer<Float>) {
  let inY = y * task.stride - task.padding + row
  let inX = x * task.stride - task.padding + column
  return (
    task.input.base + inY * task.input.rowStride + inX * task.input.pixelStride,
    task.weights + (row * task.kernel + column) * task.channels
  )
}

/// Stores sixteen finished sums.
@inline(__always)
private func finish<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ channel: Int, _ sum: Vector
) {
  var result = function.of(sum)
  if let residual = task.residual {
    result += load(residual.base + y * residual.rowStride + x * residual.pixelStride + channel)
  }
  store(result, task.output.base + y * task.output.rowStride + x * task.output.pixelStride + channel)
}
