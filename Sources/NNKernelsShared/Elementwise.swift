// Elementwise steps. Where all maps are dense, pixels follow each other without a gap and the step runs over
// one long row instead of many short ones; a lane computes the same either way.

import NNKernelInterface

func elementwise(_ task: UnsafePointer<ElementwiseTask>, _ share: Share) {
  task.pointee.activation.run(ElementwiseLoop.self, (task.pointee, share.items))
}

private enum ElementwiseLoop: ActivatedLoop {
  typealias Functions = ExactFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: ElementwiseTask, items: Range<Int>)
  ) {
    elementwise(function, operands.task, operands.items)
  }
}

@inline(__always)
private func elementwise<Function: ActivationFunction>(
  _ function: Function, _ task: ElementwiseTask, _ items: Range<Int>
) {
  switch task.operation {
  case .unary:
    forEachRun(task, items) { a, _, output, count in
      transform(output, count) { channel in
        function.of(load(a + channel))
      } last: { channel, rest in
        function.of(loadPartial(a + channel, count: rest))
      }
    }
  case .add:
    forEachRun(task, items) { a, b, output, count in
      transform(output, count) { channel in
        function.of(load(a + channel) + load(b + channel))
      } last: { channel, rest in
        function.of(
          loadPartial(a + channel, count: rest) + loadPartial(b + channel, count: rest))
      }
    }
  case .affine:
    guard let scale = task.scale, let shift = task.shift else { return }
    forEachPixel(task, items) { a, _, output in
      transform(output, task.channels) { channel in
        function.of(multiplyAdd(load(a + channel), load(scale + channel), load(shift + channel)))
      } last: { channel, rest in
        function.of(
          multiplyAdd(
            loadPartial(a + channel, count: rest), loadPartial(scale + channel, count: rest),
            loadPartial(shift + channel, count: rest)))
      }
    }
  }
}

/// Stores `whole(i)` at each sixteen of `count` floats, and `last(i, rest)` at what remains.
@inline(__always)
private func transform(
  _ output: UnsafeMutablePointer<Float>, _ count: Int, whole: (Int) -> Vector, last: (Int, Int) -> Vector
) {
  var channel = 0
  while channel + 16 <= count {
    store(whole(channel), output + channel)
    channel += 16
  }
  if channel < count {
    storePartial(last(channel, count - channel), output + channel, count: count - channel)
  }
}

/// Calls `body(a, b, output)` for pixels `items`; `b` is `a` where the task has none.
@inline(__always)
private func forEachPixel(
  _ task: ElementwiseTask, _ items: Range<Int>,
  _ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafeMutablePointer<Float>) -> Void
) {
  let (a, output) = (task.a, task.output)
  let b = task.b ?? a
  for pixel in items {
    let (y, x) = (pixel / task.width, pixel % task.width)
    body(
      a.base + y * a.rowStride + x * a.pixelStride, b.base + y * b.rowStride + x * b.pixelStride,
      output.base + y * output.rowStride + x * output.pixelStride)
  }
}

/// Calls `body(a, b, output, floats)` for each contiguous run of pixels `items`.
@inline(__always)
private func forEachRun(
  _ task: ElementwiseTask, _ items: Range<Int>,
  _ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int) -> Void
) {
  let (a, output) = (task.a, task.output)
  let b = task.b ?? a
  let (pixel, row) = (task.channels, task.channels * task.width)
  let dense =
    a.pixelStride == pixel && b.pixelStride == pixel && output.pixelStride == pixel && a.rowStride == row
    && b.rowStride == row && output.rowStride == row
  if dense {
    let first = items.lowerBound * pixel
    body(a.base + first, b.base + first, output.base + first, items.count * pixel)
  } else {
    forEachPixel(task, items) { a, b, output in body(a, b, output, pixel) }
  }
}
