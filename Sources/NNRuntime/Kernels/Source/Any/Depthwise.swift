// Depthwise convolution: sixteen channels of many rows after each other, so that their weights and the rows of a window stay
// in the first-level cache.
//
// The rows are copied first, pixel after pixel, with zeros at both ends: windows then have no edges from left to right, and
// no two pixels compete for a place in the cache, however far apart they are in the map.

import NNKernelInterface

/// Weights, sums of a group, and the rows of a window, each for sixteen channels.
func depthwiseScratch(_ task: UnsafePointer<DepthwiseTask>) -> Int {
  let kernel = task.pointee.kernel
  return kernel == 1 ? 0 : 16 &* (kernel &* kernel &+ 16 &+ kernel &* linePixels(task.pointee))
}

/// Pixels of a copied row: groups of sixteen output pixels read them.
@inline(__always)
private func linePixels(_ task: DepthwiseTask) -> Int {
  ((task.outWidth &+ 15) / 16 &* 16 &- 1) &* task.stride &+ task.kernel
}

/// Items are as `DepthwiseTask.items`.
func depthwise(_ task: UnsafePointer<DepthwiseTask>, _ share: Share) {
  task.pointee.activation.run(ActivatedDepthwise.self, (task, share))
}

private enum ActivatedDepthwise: ActivatedLoop {
  typealias Functions = StepFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: UnsafePointer<DepthwiseTask>, share: Share)
  ) {
    operands.task.pointee.input.element
      .run(DepthwiseLoop<Function>.self, (function, operands.task.pointee, operands.share))
  }
}

private enum DepthwiseLoop<Function: ActivationFunction>: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(
    _ element: Element, _ operands: (function: Function, task: DepthwiseTask, share: Share)
  ) {
    let (function, task, share) = operands
    if task.kernel == 1 {
      for y in share.items {
        for x in 0..<task.outWidth {
          for block in 0..<(task.channels &+ 15) / 16 {
            DepthwiseBlock(element: element, function: function, task: task, block: block).multiply(y, x)
          }
        }
      }
      return
    }
    var item = share.items.lowerBound
    while item < share.items.upperBound {
      let block = item / task.outHeight
      let first = item &- block &* task.outHeight
      let rows = first..<min(task.outHeight, first &+ share.items.upperBound &- item)
      DepthwiseBlock(element: element, function: function, task: task, block: block)
        .run(rows, share.scratch)
      item &+= rows.count
    }
  }
}

/// Sixteen channels, or those that are left.
private struct DepthwiseBlock<Element: MapElement, Function: ActivationFunction> {
  /// Element type of the input.
  let element: Element
  let function: Function
  let task: DepthwiseTask
  /// The first channel, and how many there are.
  let channel, count: Int

  @inline(__always)
  init(element: Element, function: Function, task: DepthwiseTask, block: Int) {
    self.element = element
    self.function = function
    self.task = task
    channel = 16 &* block
    count = min(16, task.channels &- channel)
  }

  /// An output pixel of a kernel of one position.
  @inline(__always)
  func multiply(_ y: Int, _ x: Int) {
    let (inY, inX) = (y &* task.stride &- task.padding, x &* task.stride &- task.padding)
    let bias = Float32Element().loadSome(task.bias + channel, count)
    guard inY >= 0, inY < task.inHeight, inX >= 0, inX < task.inWidth else { return finish(bias, y, x) }
    let weights = Float32Element().loadSome(task.weights + channel, count)
    finish(multiplyAdd(element.loadSome(source(inY, inX), count), weights, bias), y, x)
  }

  /// Output rows of a kernel of several positions.
  @inline(__always)
  func run(_ rows: Range<Int>, _ scratch: UnsafeMutablePointer<Float>) {
    let (kernel, pixels) = (task.kernel, linePixels(task))
    let weights = scratch
    for position in 0..<kernel &* kernel {
      store(
        loadPartial(task.weights + (position &* task.channels &+ channel), count: count),
        weights + 16 &* position)
    }
    let sums = weights + 16 &* kernel &* kernel
    let lines = sums + 16 &* 16
    let bias = loadPartial(task.bias + channel, count: count)
    for line in 0..<kernel { clearEnds(lines + 16 &* line &* pixels, pixels) }
    var copied = 0
    for y in rows {
      let top = y &* task.stride &- task.padding
      // The rows of the window that lie in the input.
      let first = max(0, top)
      let last = min(task.inHeight, top &+ kernel)
      copied = max(copied, first)
      while copied < last {
        copy(row: copied, lines + 16 &* (copied % kernel) &* pixels, pixels)
        copied &+= 1
      }
      let window = DepthwiseWindow(
        lines: lines, lineFloats: 16 &* pixels, kernel: kernel, line: first % kernel,
        rows: max(0, last &- first), weights: weights + 16 &* kernel &* (first &- top), bias: bias,
        step: 16 &* task.stride)
      var x = 0
      while x < task.outWidth { x &+= group(window, y, x, sums) }
    }
  }

  /// Zeros before the first pixel of a copied row and after its last one.
  @inline(__always)
  private func clearEnds(_ line: UnsafeMutablePointer<Float>, _ pixels: Int) {
    let zero = Vector(repeating: 0)
    for pixel in 0..<min(task.padding, pixels) { store(zero, line + 16 &* pixel) }
    for pixel in stride(from: task.padding &+ task.inWidth, to: pixels, by: 1) {
      store(zero, line + 16 &* pixel)
    }
  }

  /// Copies as much of an input row as is read.
  @inline(__always)
  private func copy(row: Int, _ line: UnsafeMutablePointer<Float>, _ pixels: Int) {
    let source = source(row, 0)
    let step = task.input.pixelStride &* element.size
    let target = line + 16 &* task.padding
    let copied = min(task.inWidth, pixels &- task.padding)
    if count == 16 {
      for pixel in 0..<copied { store(element.load(source + step &* pixel), target + 16 &* pixel) }
    } else {
      for pixel in 0..<copied {
        store(element.load(source + step &* pixel, count: count), target + 16 &* pixel)
      }
    }
  }

  /// Computes output pixels of a row from x on, and returns how many: sums of whole groups never leave registers.
  @inline(__always)
  private func group(
    _ window: DepthwiseWindow, _ y: Int, _ x: Int, _ stored: UnsafeMutablePointer<Float>
  ) -> Int {
    let left = task.outWidth &- x
    var pixels = InstructionSet.pixelsTogether
    if InstructionSet.stripPixels > 0, window.kernel == 3, window.step == 16, left > pixels {
      pixels = InstructionSet.stripPixels
      InstructionSet.storeStrip(window, x, stored)
    } else if pixels == 8 {
      let sums =
        window.step > 16
        ? window.eight(x) : window.kernel == 3 ? window.eightOfThree(x) : window.eightNeighbors(x)
      finish(sums.0, y, x)
      if left > 1 { finish(sums.1, y, x &+ 1) }
      if left > 2 { finish(sums.2, y, x &+ 2) }
      if left > 3 { finish(sums.3, y, x &+ 3) }
      if left > 4 { finish(sums.4, y, x &+ 4) }
      if left > 5 { finish(sums.5, y, x &+ 5) }
      if left > 6 { finish(sums.6, y, x &+ 6) }
      if left > 7 { finish(sums.7, y, x &+ 7) }
      return pixels
    } else {
      let sums = window.four(x)
      if left >= pixels {
        finish(sums.0, y, x)
        finish(sums.1, y, x &+ 1)
        finish(sums.2, y, x &+ 2)
        finish(sums.3, y, x &+ 3)
        return pixels
      }
      storeFour(sums, stored)
    }
    let some = min(pixels, left)
    for pixel in 0..<some { finish(load(stored + 16 &* pixel), y, x &+ pixel) }
    return some
  }

  @inline(__always)
  private func storeFour(_ sums: FourSums, _ stored: UnsafeMutablePointer<Float>) {
    store(sums.0, stored)
    store(sums.1, stored + 16)
    store(sums.2, stored + 32)
    store(sums.3, stored + 48)
  }

  /// The block's first channel of an input pixel.
  @inline(__always)
  private func source(_ y: Int, _ x: Int) -> UnsafeRawPointer {
    let index = y &* task.input.rowStride &+ x &* task.input.pixelStride &+ channel
    return UnsafeRawPointer(task.input.base) + index &* element.size
  }

  /// Stores the finished sums of an output pixel.
  @inline(__always)
  private func finish(_ sum: Vector, _ y: Int, _ x: Int) {
    var result = function.of(sum)
    if let residual = task.residual {
      let added = residual.address(y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
      result += residual.element.asked.loadSome(added, count)
    }
    let output = task.output
    let target = output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel)
    output.element.asked.storeSome(result, target, count)
  }
}
