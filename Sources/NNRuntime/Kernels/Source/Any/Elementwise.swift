// Elementwise steps. Where all maps are dense, pixels follow each other without a gap and the step runs over
// one long row instead of many short ones; a lane computes the same either way.

import CKernelShims
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
    let a = task.a.element.asked
    let output = task.output.element.asked
    switch task.operation {
    case .unary:
      forEachRun(task, pixels) { run, channels in
        forEachVector(channels) { channel, count in
          let x = a.loadSome(run.a + channel &* a.size, count)
          output.storeSome(function.of(x), run.output + channel &* output.size, count)
        }
      }
    case .add: pair(function, task, pixels) { $0 + $1 }
    case .subtract: pair(function, task, pixels) { $0 - $1 }
    case .multiply: pair(function, task, pixels) { $0 * $1 }
    case .divide: pair(function, task, pixels) { $0 / $1 }
    case .maximum: pair(function, task, pixels) { ardf_larger_or_nan($0, $1) }
    case .minimum: pair(function, task, pixels) { -ardf_larger_or_nan(-$0, -$1) }
    case .affine:
      guard let scale = task.scale, let shift = task.shift else { return }
      if task.isDense, 16 % task.channels == 0 {
        // Vectors hold whole pixels: they all have the same factors and addends.
        let scales = Run.repeated(scale, task.channels)
        let shifts = Run.repeated(shift, task.channels)
        let run = Run(task, pixels.lowerBound)
        forEachVector(pixels.count &* task.channels) { first, count in
          let x = multiplyAdd(a.loadSome(run.a + first &* a.size, count), scales, shifts)
          output.storeSome(function.of(x), run.output + first &* output.size, count)
        }
        return
      }
      forEachPixel(task, pixels) { run in
        forEachVector(task.channels) { channel, count in
          let x = multiplyAdd(
            a.loadSome(run.a + channel &* a.size, count), Float32Element().loadSome(scale + channel, count),
            Float32Element().loadSome(shift + channel, count))
          output.storeSome(function.of(x), run.output + channel &* output.size, count)
        }
      }
    }
  }

  /// A function of two maps' elements.
  @inline(__always)
  private static func pair<Function: ActivationFunction>(
    _ function: Function, _ task: ElementwiseTask, _ pixels: Range<Int>, _ made: (Vector, Vector) -> Vector
  ) {
    let (a, b) = (task.a.element.asked, (task.b ?? task.a).element.asked)
    let output = task.output.element.asked
    forEachRun(task, pixels) { run, channels in
      forEachVector(channels) { channel, count in
        let x = made(
          a.loadSome(run.a + channel &* a.size, count), b.loadSome(run.b + channel &* b.size, count))
        output.storeSome(function.of(x), run.output + channel &* output.size, count)
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
    self.init(task, y, x)
  }

  @inline(__always)
  init(_ task: ElementwiseTask, _ y: Int, _ x: Int) {
    let b = task.b ?? task.a
    a = task.a.address(y &* task.a.rowStride &+ x &* task.a.pixelStride)
    self.b = b.address(y &* b.rowStride &+ x &* b.pixelStride)
    output = task.output.address(y &* task.output.rowStride &+ x &* task.output.pixelStride)
  }

  /// The numbers of a pixel's channels, which divide a vector, as often as they fit.
  @inline(__always)
  static func repeated(_ numbers: UnsafePointer<Float>, _ channels: Int) -> Vector {
    var vector = Vector(repeating: 0)
    for lane in 0..<16 { vector[lane] = numbers[lane % channels] }
    return vector
  }
}

extension ElementwiseTask {
  /// Whether all maps have their pixels one after another without a gap.
  fileprivate var isDense: Bool {
    let second = b ?? a
    let row = channels &* width
    return a.pixelStride == channels && second.pixelStride == channels && output.pixelStride == channels
      && a.rowStride == row && second.rowStride == row && output.rowStride == row
  }
}

/// Calls `body(run)` for each pixel.
@inline(__always)
private func forEachPixel(_ task: ElementwiseTask, _ pixels: Range<Int>, _ body: (_ run: Run) -> Void) {
  var (y, x) = pixels.lowerBound.quotientAndRemainder(dividingBy: task.width)
  for _ in pixels {
    body(Run(task, y, x))
    x &+= 1
    if x == task.width { (y, x) = (y &+ 1, 0) }
  }
}

/// Calls `body(run, elements)` for each run of pixels without a gap.
@inline(__always)
private func forEachRun(
  _ task: ElementwiseTask, _ pixels: Range<Int>, _ body: (_ run: Run, _ elements: Int) -> Void
) {
  if task.isDense {
    body(Run(task, pixels.lowerBound), pixels.count &* task.channels)
  } else {
    forEachPixel(task, pixels) { body($0, task.channels) }
  }
}
