// Depthwise convolution, max-pool and resize between maps of either element type; arithmetic in floats.

import CKernelShims
import NNKernelInterface

func depthwise(_ task: UnsafePointer<DepthwiseTask>, _ begin: Int, _ end: Int) {
  switch task.pointee.activation {
  case .none: depthwise(Identity.self, task.pointee, begin, end)
  case .relu: depthwise(Rectifier.self, task.pointee, begin, end)
  case .silu: depthwise(SiLU.self, task.pointee, begin, end)
  case .gelu: depthwise(GELU.self, task.pointee, begin, end)
  case .sigmoid: depthwise(Sigmoid.self, task.pointee, begin, end)
  }
}

@inline(never)
private func depthwise<Function: ElementaryFunction>(
  _: Function.Type, _ task: DepthwiseTask, _ begin: Int, _ end: Int
) {
  let (input, output) = (task.input, task.output)
  for y in begin..<end {
    let top = y &* task.stride &- task.padding
    let rows = max(0, -top)..<min(task.kernel, task.inHeight &- top)
    for x in 0..<task.outWidth {
      let left = x &* task.stride &- task.padding
      let columns = max(0, -left)..<min(task.kernel, task.inWidth &- left)
      forEachVector(task.channels) { channel, count in
        var sum = load(task.bias + channel)
        for row in rows {
          for column in columns {
            let weights = task.weights + ((row &* task.kernel &+ column) &* task.channels &+ channel)
            let source = input.address(
              (top &+ row) &* input.rowStride &+ (left &+ column) &* input.pixelStride &+ channel)
            sum = multiplyAdd(loadSome(source, input.element, count), load(weights), sum)
          }
        }
        sum = Function.of(sum)
        if let residual = task.residual {
          let source = residual.address(y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
          sum += loadSome(source, residual.element, count)
        }
        storeSome(
          sum, output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel), output.element,
          count)
      }
    }
  }
}

func maxPool(_ task: UnsafePointer<PoolTask>, _ begin: Int, _ end: Int) {
  let task = task.pointee
  let (input, output) = (task.input, task.output)
  for y in begin..<end {
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
func resizeScratch(_ task: UnsafePointer<ResizeTask>) -> Int {
  task.pointee.inWidth * ((task.pointee.channels + 15) / 16 * 16)
}

func resize(
  _ task: UnsafePointer<ResizeTask>, _ begin: Int, _ end: Int, _ scratch: UnsafeMutablePointer<Float>
) {
  let task = task.pointee
  let (input, output) = (task.input, task.output)
  let stride = (task.channels &+ 15) / 16 &* 16
  for y in begin..<end {
    // Down the columns first: one blended row, which every output pixel of the row takes its taps from.
    for x in 0..<task.inWidth {
      forEachVector(task.channels) { channel, count in
        var sum = Vector(repeating: 0)
        for tap in 0..<task.taps {
          let row = Int(task.rowIndices[y &* task.taps &+ tap])
          let source = input.address(row &* input.rowStride &+ x &* input.pixelStride &+ channel)
          sum = multiplyAdd(
            loadSome(source, input.element, count),
            Vector(repeating: task.rowWeights[y &* task.taps &+ tap]), sum)
        }
        store(sum, scratch + (x &* stride &+ channel))
      }
    }
    for x in 0..<task.outWidth {
      forEachVector(task.channels) { channel, count in
        var sum = Vector(repeating: 0)
        for tap in 0..<task.taps {
          let column = Int(task.columnIndices[x &* task.taps &+ tap])
          sum = multiplyAdd(
            load(scratch + (column &* stride &+ channel)),
            Vector(repeating: task.columnWeights[x &* task.taps &+ tap]), sum)
        }
        storeSome(
          sum, output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel), output.element,
          count)
      }
    }
  }
}
