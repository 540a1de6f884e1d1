// Elementwise steps. Where all maps are dense, pixels follow each other without a gap and the step runs over
// one long row instead of many short ones; a lane computes the same either way.

import NNKernelInterface

func elementwise(_ task: UnsafePointer<ElementwiseTask>, _ share: Share) {
  task.pointee.activation.run(ElementwiseLoop.self, (task.pointee, share.items))
}

private enum ElementwiseLoop: ActivatedLoop {
  typealias Functions = StepFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: ElementwiseTask, pixels: Range<Int>)
  ) {
    let (task, pixels) = operands
    let (a, b) = (task.a.element.asked, (task.b ?? task.a).element.asked)
    let output = task.output.element.asked
    switch task.operation {
    case .unary:
      forEachRun(task, pixels) { run, channels in
        forEachVector(channels) { channel, count in
          let x = a.loadSome(run.a + channel &* a.size, count)
          output.storeSome(function.of(x), run.output + channel &* output.size, count)
        }
      }
    case .add:
      forEachRun(task, pixels) { run, channels in
        forEachVector(channels) { channel, count in
          let x =
            a.loadSome(run.a + channel &* a.size, count) + b.loadSome(run.b + channel &* b.size, count)
          output.storeSome(function.of(x), run.output + channel &* output.size, count)
        }
      }
    case .affine:
      guard let scale = task.scale, let shift = task.shift else { return }
      for pixel in pixels {
        let run = Run(task, pixel)
        forEachVector(task.channels) { channel, count in
          let x = multiplyAdd(
            a.loadSome(run.a + channel &* a.size, count), Float32Element().loadSome(scale + channel, count),
            Float32Element().loadSome(shift + channel, count))
          output.storeSome(function.of(x), run.output + channel &* output.size, count)
        }
      }
    }
  }
}

/// Where a step reads and writes: elements that follow each other.
///
/// `b` is `a` where the task has none.
private struct Run {
  let a, b: UnsafeRawPointer
  let output: UnsafeMutableRawPointer

  /// From the first channel of a pixel on.
  @inline(__always)
  init(_ task: ElementwiseTask, _ pixel: Int) {
    let (y, x) = pixel.quotientAndRemainder(dividingBy: task.width)
    let b = task.b ?? task.a
    a = task.a.address(y &* task.a.rowStride &+ x &* task.a.pixelStride)
    self.b = b.address(y &* b.rowStride &+ x &* b.pixelStride)
    output = task.output.address(y &* task.output.rowStride &+ x &* task.output.pixelStride)
  }
}

/// Calls `body(run, elements)` for each run of pixels without a gap.
@inline(__always)
private func forEachRun(
  _ task: ElementwiseTask, _ pixels: Range<Int>, _ body: (_ run: Run, _ elements: Int) -> Void
) {
  let (a, output) = (task.a, task.output)
  let b = task.b ?? a
  let (pixel, row) = (task.channels, task.channels &* task.width)
  let isDense =
    a.pixelStride == pixel && b.pixelStride == pixel && output.pixelStride == pixel && a.rowStride == row
    && b.rowStride == row && output.rowStride == row
  if isDense {
    body(Run(task, pixels.lowerBound), pixels.count &* pixel)
  } else {
    for pixel in pixels { body(Run(task, pixel), task.channels) }
  }
}
