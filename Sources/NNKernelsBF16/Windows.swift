// Depthwise convolution, max-pool and resize between maps of either element type; arithmetic in floats.

import CKernelShims
import NNKernelInterface

func mixedDepthwise(_ task: UnsafePointer<DepthwiseTask>, _ share: Share) {
  task.pointee.activation.run(DepthwiseLoop.self, (task.pointee, share.items))
}

private enum DepthwiseLoop: ActivatedLoop {
  typealias Functions = RoughFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: DepthwiseTask, items: Range<Int>)
  ) {
    mixedDepthwise(function, operands.task, operands.items)
  }
}

@inline(never)
private func mixedDepthwise<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ items: Range<Int>
) {
  let (kernel, stride, padding) = (task.kernel, task.stride, task.padding)
  // Output columns whose windows lie inside the input from left to right.
  let firstInside = (padding &+ stride &- 1) / stride
  let reach = task.inWidth &+ padding &- kernel
  let lastInside = reach < 0 ? 0 : min(reach / stride &+ 1, task.outWidth)
  let vectors = task.input.element == .bfloat16 ? task.channels / 16 &* 16 : 0
  for y in items {
    let top = y &* stride &- padding
    let rows = max(0, -top)..<min(kernel, task.inHeight &- top)
    var x = 0
    while x < task.outWidth {
      if x >= firstInside, x &+ 4 <= lastInside {
        fourPixels(function, task, y, x, rows, vectors)
        for pixel in x..<x &+ 4 { onePixel(function, task, y, pixel, rows, vectors) }
        x &+= 4
      } else {
        onePixel(function, task, y, x, rows, 0)
        x &+= 1
      }
    }
  }
}

/// The first `channels` channels, whole vectors of bf16, of four neighbouring pixels whose windows lie inside the
/// input from left to right: a weight is loaded once for all.
@inline(__always)
private func fourPixels<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ rows: Range<Int>, _ channels: Int
) {
  let input = task.input
  let step = task.stride &* input.pixelStride &* 2
  let corner = input.address(
    (y &* task.stride &- task.padding) &* input.rowStride
      &+ (x &* task.stride &- task.padding) &* input.pixelStride)
  for channel in stride(from: 0, to: channels, by: 16) {
    let bias = load(task.bias + channel)
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    for row in rows {
      var weights = task.weights + (row &* task.kernel &* task.channels &+ channel)
      var source = corner + (row &* input.rowStride &+ channel) &* 2
      for _ in 0..<task.kernel {
        let weight = load(weights)
        sum0 = multiplyAdd(ardf_bf16_load(source), weight, sum0)
        sum1 = multiplyAdd(ardf_bf16_load(source + step), weight, sum1)
        sum2 = multiplyAdd(ardf_bf16_load(source + 2 &* step), weight, sum2)
        sum3 = multiplyAdd(ardf_bf16_load(source + 3 &* step), weight, sum3)
        weights += task.channels
        source += input.pixelStride &* 2
      }
    }
    finish(function, task, y, x, channel, 16, sum0)
    finish(function, task, y, x &+ 1, channel, 16, sum1)
    finish(function, task, y, x &+ 2, channel, 16, sum2)
    finish(function, task, y, x &+ 3, channel, 16, sum3)
  }
}

/// The channels from `first` on of one pixel, whose window may reach beyond the input.
@inline(__always)
private func onePixel<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ rows: Range<Int>, _ first: Int
) {
  let input = task.input
  let (top, left) = (y &* task.stride &- task.padding, x &* task.stride &- task.padding)
  let columns = max(0, -left)..<min(task.kernel, task.inWidth &- left)
  forEachVector(task.channels &- first) { offset, count in
    let channel = first &+ offset
    var sum = load(task.bias + channel)
    for row in rows {
      for column in columns {
        let weights = task.weights + ((row &* task.kernel &+ column) &* task.channels &+ channel)
        let source = input.address(
          (top &+ row) &* input.rowStride &+ (left &+ column) &* input.pixelStride &+ channel)
        sum = multiplyAdd(loadSome(source, input.element, count), load(weights), sum)
      }
    }
    finish(function, task, y, x, channel, count, sum)
  }
}

/// Stores `count` finished sums.
@inline(__always)
private func finish<Function: ActivationFunction>(
  _ function: Function, _ task: DepthwiseTask, _ y: Int, _ x: Int, _ channel: Int, _ count: Int, _ sum: Vector
) {
  var result = function.of(sum)
  if let residual = task.residual {
    let source = residual.address(y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
    result += loadSome(source, residual.element, count)
  }
  let output = task.output
  storeSome(
    result, output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel), output.element, count
  )
}

func mixedMaxPool(_ task: UnsafePointer<PoolTask>, _ share: Share) {
  let task = task.pointee
  let (input, output) = (task.input, task.output)
  for y in share.items {
    let top = y &* task.stride &- task.padding
    let rows = max(0, top)..<min(task.inHeight, top &+ task.kernel)
    for x in 0..<task.outWidth {
      let left = x &* task.stride &- task.padding
      let columns = max(0, left)..<min(task.inWidth, left &+ task.kernel)
      forEachVector(task.channels) { channel, count in
        var greatest = Vector(repeating: -.infinity)
        for row in rows {
          for column in columns {
            let source = input.address(row &* input.rowStride &+ column &* input.pixelStride &+ channel)
            greatest = ardf_larger(greatest, loadSome(source, input.element, count))
          }
        }
        storeSome(
          greatest, output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel),
          output.element, count)
      }
    }
  }
}

/// One row of the input.
func mixedResizeScratch(_ task: UnsafePointer<ResizeTask>) -> Int {
  task.pointee.inWidth * ((task.pointee.channels + 15) / 16 * 16)
}

func mixedResize(_ task: UnsafePointer<ResizeTask>, _ share: Share) {
  let task = task.pointee
  for y in share.items {
    switch task.resampling.taps {
    case 1: copyNearest(task, y)
    case 2: blendTwo(task, y, share.scratch)
    default: blend(task, y, share.scratch)
    }
  }
}

/// A row of output pixels that are each one of the input.
@inline(never)
private func copyNearest(_ task: ResizeTask, _ y: Int) {
  let (input, output) = (task.input, task.output)
  let row = Int(task.resampling.rowIndices[y]) &* input.rowStride
  for x in 0..<task.outWidth {
    let source = input.address(row &+ Int(task.resampling.columnIndices[x]) &* input.pixelStride)
    let target = output.address(y &* output.rowStride &+ x &* output.pixelStride)
    if output.element == .bfloat16 {
      copyRounded(source, input.element, target, task.channels)
    } else {
      forEachVector(task.channels) { channel, count in
        let values = loadSome(source + channel &* input.element.size, input.element, count)
        storeSome(values, target + 4 &* channel, .float32, count)
      }
    }
  }
}

/// A row of output pixels between two rows and two columns of the input, blended down the columns first.
@inline(never)
private func blendTwo(_ task: ResizeTask, _ y: Int, _ scratch: UnsafeMutablePointer<Float>) {
  let (input, output) = (task.input, task.output)
  let stride = (task.channels &+ 15) / 16 &* 16
  let (top, bottom) = (
    input.address(Int(task.resampling.rowIndices[2 &* y]) &* input.rowStride),
    input.address(Int(task.resampling.rowIndices[2 &* y &+ 1]) &* input.rowStride)
  )
  let upper = Vector(repeating: task.resampling.rowWeights[2 &* y])
  let lower = Vector(repeating: task.resampling.rowWeights[2 &* y &+ 1])
  for x in 0..<task.inWidth {
    forEachVector(task.channels) { channel, count in
      let offset = (x &* input.pixelStride &+ channel) &* input.element.size
      let first = loadSome(top + offset, input.element, count) * upper
      let second = loadSome(bottom + offset, input.element, count)
      store(multiplyAdd(second, lower, first), scratch + (x &* stride &+ channel))
    }
  }
  for x in 0..<task.outWidth {
    let left = scratch + Int(task.resampling.columnIndices[2 &* x]) &* stride
    let right = scratch + Int(task.resampling.columnIndices[2 &* x &+ 1]) &* stride
    let near = Vector(repeating: task.resampling.columnWeights[2 &* x])
    let far = Vector(repeating: task.resampling.columnWeights[2 &* x &+ 1])
    let target = output.address(y &* output.rowStride &+ x &* output.pixelStride)
    forEachVector(task.channels) { channel, count in
      let first = load(left + channel) * near
      storeSome(
        withResidual(task, y, x, channel, count, multiplyAdd(load(right + channel), far, first)),
        target + channel &* output.element.size, output.element, count)
    }
  }
}

/// A row of output pixels, down the columns first: one blended row, which every pixel takes its taps from.
@inline(never)
private func blend(_ task: ResizeTask, _ y: Int, _ scratch: UnsafeMutablePointer<Float>) {
  let (input, output) = (task.input, task.output)
  let stride = (task.channels &+ 15) / 16 &* 16
  for x in 0..<task.inWidth {
    forEachVector(task.channels) { channel, count in
      var sum = Vector(repeating: 0)
      for tap in 0..<task.resampling.taps {
        let row = Int(task.resampling.rowIndices[y &* task.resampling.taps &+ tap])
        let source = input.address(row &* input.rowStride &+ x &* input.pixelStride &+ channel)
        sum = multiplyAdd(
          loadSome(source, input.element, count),
          Vector(repeating: task.resampling.rowWeights[y &* task.resampling.taps &+ tap]), sum)
      }
      store(sum, scratch + (x &* stride &+ channel))
    }
  }
  for x in 0..<task.outWidth {
    forEachVector(task.channels) { channel, count in
      var sum = Vector(repeating: 0)
      for tap in 0..<task.resampling.taps {
        let column = Int(task.resampling.columnIndices[x &* task.resampling.taps &+ tap])
        sum = multiplyAdd(
          load(scratch + (column &* stride &+ channel)),
          Vector(repeating: task.resampling.columnWeights[x &* task.resampling.taps &+ tap]), sum)
      }
      storeSome(
        withResidual(task, y, x, channel, count, sum),
        output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel), output.element, count)
    }
  }
}

/// `count` channels of a resized pixel, and what is added to them.
@inline(__always)
private func withResidual(
  _ task: ResizeTask, _ y: Int, _ x: Int, _ channel: Int, _ count: Int, _ blend: Vector
) -> Vector {
  guard let residual = task.residual else { return blend }
  let source = residual.address(y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
  return blend + loadSome(source, residual.element, count)
}
