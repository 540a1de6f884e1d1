// Layer normalisation and elementwise steps between maps of either element type; arithmetic in floats.

import CKernelShims
import NNKernelInterface

func mixedLayerNorm(_ task: UnsafePointer<LayerNormTask>, _ share: Share) {
  let task = task.pointee
  for pixel in share.items {
    let source = task.input.address(pixel &* task.input.pixelStride)
    switch task.input.element {
    case .float32: normalise(task, pixel) { loadSome(source + 4 &* $0, .float32, $1) }
    case .bfloat16: normalise(task, pixel) { loadSome(source + 2 &* $0, .bfloat16, $1) }
    }
  }
}

/// One pixel, whose vectors are `read(first channel, channels)`, zeros behind the channels.
@inline(__always)
private func normalise(_ task: LayerNormTask, _ pixel: Int, _ read: (_ channel: Int, _ count: Int) -> Vector)
{
  let (output, channels) = (task.output, task.channels)
  let share = 1 / Float(channels)
  let mean = Vector(repeating: accumulate(channels) { $0 + read($1, $2) } * share)
  let squares = accumulate(channels) { sum, channel, count in
    var difference = read(channel, count) - mean
    if count < 16 { for lane in count..<16 { difference[lane] = 0 } }
    return multiplyAdd(difference, difference, sum)
  }
  let factor = Vector(repeating: 1 / (squares * share + task.normalisation.epsilon).squareRoot())
  forEachVector(channels) { channel, count in
    let gamma = loadSome(task.normalisation.gamma + channel, .float32, count)
    let beta = loadSome(task.normalisation.beta + channel, .float32, count)
    storeSome(
      multiplyAdd((read(channel, count) - mean) * factor, gamma, beta),
      output.address(pixel &* output.pixelStride &+ channel), output.element, count)
  }
}

/// The sum of `term(sum, first channel, channels)` over a pixel; four partial sums don't wait for each other.
@inline(__always)
private func accumulate(_ channels: Int, _ term: (Vector, _ channel: Int, _ count: Int) -> Vector) -> Float {
  let zero = Vector(repeating: 0)
  var (sum0, sum1, sum2, sum3) = (zero, zero, zero, zero)
  var channel = 0
  while channel &+ 64 <= channels {
    sum0 = term(sum0, channel, 16)
    sum1 = term(sum1, channel &+ 16, 16)
    sum2 = term(sum2, channel &+ 32, 16)
    sum3 = term(sum3, channel &+ 48, 16)
    channel &+= 64
  }
  forEachVector(channels &- channel) { sum0 = term(sum0, channel &+ $0, $1) }
  return sum((sum0 + sum1) + (sum2 + sum3))
}

func mixedElementwise(_ task: UnsafePointer<ElementwiseTask>, _ share: Share) {
  task.pointee.activation.run(ElementwiseLoop.self, (task.pointee, share.items))
}

private enum ElementwiseLoop: ActivatedLoop {
  typealias Functions = RoughFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: ElementwiseTask, items: Range<Int>)
  ) {
    mixedElementwise(function, operands.task, operands.items)
  }
}

@inline(never)
private func mixedElementwise<Function: ActivationFunction>(
  _ function: Function, _ task: ElementwiseTask, _ items: Range<Int>
) {
  let (a, output) = (task.a, task.output)
  for pixel in items {
    let (y, x) = (pixel / task.width, pixel % task.width)
    forEachVector(task.channels) { channel, count in
      var value = loadSome(a.address(y &* a.rowStride &+ x &* a.pixelStride &+ channel), a.element, count)
      switch task.operation {
      case .unary: break
      case .add:
        if let b = task.b {
          value += loadSome(b.address(y &* b.rowStride &+ x &* b.pixelStride &+ channel), b.element, count)
        }
      case .affine:
        if let scale = task.scale, let shift = task.shift {
          value = multiplyAdd(
            value, loadSome(scale + channel, .float32, count), loadSome(shift + channel, .float32, count))
        }
      }
      storeSome(
        function.of(value),
        output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel),
        output.element, count)
    }
  }
}
