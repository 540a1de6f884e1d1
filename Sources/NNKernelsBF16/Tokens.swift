// Layer normalisation and elementwise steps between maps of either element type; arithmetic in floats.

import CKernelShims
import NNKernelInterface

func layerNorm(_ task: UnsafePointer<LayerNormTask>, _ begin: Int, _ end: Int) {
  let task = task.pointee
  let (input, output, channels) = (task.input, task.output, task.channels)
  let share = 1 / Float(channels)
  for pixel in begin..<end {
    let source = pixel &* input.pixelStride
    var total = Vector(repeating: 0)
    forEachVector(channels) { channel, count in
      total += loadSome(input.address(source &+ channel), input.element, count)
    }
    let mean = sum(total) * share
    var squares = Vector(repeating: 0)
    forEachVector(channels) { channel, count in
      var difference =
        loadSome(input.address(source &+ channel), input.element, count) - Vector(repeating: mean)
      if count < 16 { for lane in count..<16 { difference[lane] = 0 } }
      squares = multiplyAdd(difference, difference, squares)
    }
    let factor = 1 / (sum(squares) * share + task.epsilon).squareRoot()
    forEachVector(channels) { channel, count in
      let difference =
        loadSome(input.address(source &+ channel), input.element, count) - Vector(repeating: mean)
      let gamma = loadSome(task.gamma + channel, .float32, count)
      let beta = loadSome(task.beta + channel, .float32, count)
      storeSome(
        multiplyAdd(difference * Vector(repeating: factor), gamma, beta),
        output.address(pixel &* output.pixelStride &+ channel), output.element, count)
    }
  }
}

func elementwise(_ task: UnsafePointer<ElementwiseTask>, _ begin: Int, _ end: Int) {
  switch task.pointee.activation {
  case .none: elementwise(Identity.self, task.pointee, begin, end)
  case .relu: elementwise(Rectifier.self, task.pointee, begin, end)
  case .silu: elementwise(SiLU.self, task.pointee, begin, end)
  case .gelu: elementwise(GELU.self, task.pointee, begin, end)
  case .sigmoid: elementwise(Sigmoid.self, task.pointee, begin, end)
  }
}

@inline(never)
private func elementwise<Function: ElementaryFunction>(
  _: Function.Type, _ task: ElementwiseTask, _ begin: Int, _ end: Int
) {
  let (a, output) = (task.a, task.output)
  for pixel in begin..<end {
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
        Function.of(value),
        output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel),
        output.element, count)
    }
  }
}
