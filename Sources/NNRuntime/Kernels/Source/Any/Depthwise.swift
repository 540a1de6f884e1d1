// Depthwise convolution: sixteen channels a vector, four neighboring output pixels at once, so that a
// weight is loaded once for four multiply-adds and the sums never leave registers.

import NNKernelInterface

func depthwise(_ task: UnsafePointer<DepthwiseTask>, _ share: Share) {
  task.pointee.activation.run(ActivatedDepthwise.self, (task, share.items))
}

private enum ActivatedDepthwise: ActivatedLoop {
  typealias Functions = StepFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(
    _ function: Function, _ operands: (task: UnsafePointer<DepthwiseTask>, rows: Range<Int>)
  ) {
    operands.task.pointee.input.element
      .run(DepthwiseLoop<Function>.self, (function, operands.task.pointee, operands.rows))
  }
}

private enum DepthwiseLoop<Function: ActivationFunction>: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(
    _ element: Element, _ operands: (function: Function, task: DepthwiseTask, rows: Range<Int>)
  ) {
    for y in operands.rows {
      DepthwiseRow(element: element, function: operands.function, task: operands.task, y: y).run()
    }
  }
}

/// One output row.
private struct DepthwiseRow<Element: MapElement, Function: ActivationFunction> {
  /// Element type of the input.
  let element: Element
  let function: Function
  let task: DepthwiseTask
  let y: Int
  /// The rows of the window that lie in the input.
  let rows: Range<Int>
  /// Whether the last channels, where they fill no vector, are computed together with some before them again: nothing that
  /// is read may be written then.
  let overlaps: Bool

  @inline(__always)
  init(element: Element, function: Function, task: DepthwiseTask, y: Int) {
    self.element = element
    self.function = function
    self.task = task
    self.y = y
    let top = y &* task.stride &- task.padding
    rows = max(0, -top)..<max(max(0, -top), min(task.kernel, task.inHeight &- top))
    overlaps =
      task.channels >= 16 && task.residual == nil && UnsafePointer(task.output.base) != task.input.base
  }

  @inline(__always)
  func run() {
    // Output columns whose windows lie inside the input from left to right.
    let firstInside = min((task.padding &+ task.stride &- 1) / task.stride, task.outWidth)
    let reach = task.inWidth &+ task.padding &- task.kernel
    let lastInside = max(reach < 0 ? 0 : min(reach / task.stride &+ 1, task.outWidth), firstInside)
    var x = 0
    while x < task.outWidth {
      let strip = InstructionSet.stripPixels
      if strip > 0, task.kernel == 3, task.stride == 1, x >= firstInside, x &+ strip <= lastInside {
        pixelsOfStrip(x)
        x &+= strip
      } else if x >= firstInside && x &+ 4 <= lastInside {
        fourPixels(x)
        x &+= 4
      } else {
        onePixel(x)
        x &+= 1
      }
    }
  }

  /// The output pixels of a strip from x on, all of whose windows lie inside the input from left to right.
  @inline(__always)
  private func pixelsOfStrip(_ x: Int) {
    let corner = source(row: rows.lowerBound, column: 0, x).assumingMemoryBound(to: Float.self)
    let weights = weights(row: rows.lowerBound, column: 0)
    let whole = task.channels / 16 &* 16
    for channel in stride(from: 0, to: whole, by: 4) {
      let sums = InstructionSet.strip(
        (
          source: corner + channel, pixelStride: task.input.pixelStride, rowStride: task.input.rowStride,
          weights: weights + channel, channels: task.channels, rows: rows.count, bias: task.bias + channel
        ))
      finishFour(sums.0, x, channel)
      finishFour(sums.1, x &+ 4, channel)
      finishFour(sums.2, x &+ 8, channel)
      finishFour(sums.3, x &+ 12, channel)
    }
    if whole < task.channels {
      for four in stride(from: x, to: x &+ InstructionSet.stripPixels, by: 4) { lastChannels(ofFour: four) }
    }
  }

  /// Stores the finished sums of four channels of four pixels, in maps of floats.
  @inline(__always)
  private func finishFour(_ sums: Vector, _ x: Int, _ channel: Int) {
    let results = function.of(sums)
    finishQuad(results.lowHalf.lowHalf, x, channel)
    finishQuad(results.lowHalf.highHalf, x &+ 1, channel)
    finishQuad(results.highHalf.lowHalf, x &+ 2, channel)
    finishQuad(results.highHalf.highHalf, x &+ 3, channel)
  }

  /// Stores four channels of a pixel, in maps of floats.
  @inline(__always)
  private func finishQuad(_ result: SIMD4<Float>, _ x: Int, _ channel: Int) {
    var result = result
    if let residual = task.residual {
      let added = residual.base + (y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
      result += UnsafeRawPointer(added).loadUnaligned(as: SIMD4<Float>.self)
    }
    let output = task.output.base + (y &* task.output.rowStride &+ x &* task.output.pixelStride &+ channel)
    UnsafeMutableRawPointer(output).storeBytes(of: result, as: SIMD4<Float>.self)
  }

  /// Output pixels x..<x + 4, all of whose windows lie inside the input from left to right.
  @inline(__always)
  private func fourPixels(_ x: Int) {
    var channel = 0
    while channel &+ 16 <= task.channels {
      fourVectors(x, channel)
      channel &+= 16
    }
    if channel < task.channels { lastChannels(ofFour: x) }
  }

  /// Sixteen channels of output pixels x..<x + 4.
  @inline(__always)
  private func fourVectors(_ x: Int, _ channel: Int) {
    let input = task.input
    let step = task.stride &* input.pixelStride &* element.size
    let corner = source(row: 0, column: 0, x)
    let bias = load(task.bias + channel)
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    for row in rows {
      var weights = task.weights + (row &* task.kernel &* task.channels &+ channel)
      var source = corner + (row &* input.rowStride &+ channel) &* element.size
      for _ in 0..<task.kernel {
        let weight = load(weights)
        sum0 = multiplyAdd(element.load(source), weight, sum0)
        sum1 = multiplyAdd(element.load(source + step), weight, sum1)
        sum2 = multiplyAdd(element.load(source + 2 &* step), weight, sum2)
        sum3 = multiplyAdd(element.load(source + 3 &* step), weight, sum3)
        weights += task.channels
        source += input.pixelStride &* element.size
      }
    }
    finish(sum0, x, channel)
    finish(sum1, x &+ 1, channel)
    finish(sum2, x &+ 2, channel)
    finish(sum3, x &+ 3, channel)
  }

  /// The channels of output pixels x..<x + 4 that do not fill a vector: apart, so that the loops of whole ones stay in registers.
  @inline(never)
  private func lastChannels(ofFour x: Int) {
    if overlaps { return fourVectors(x, task.channels &- 16) }
    for pixel in x..<x &+ 4 { lastChannels(pixel, 0..<task.kernel) }
  }

  /// An output pixel whose window may reach beyond the input: four vectors at once, since each sum waits for its last product.
  @inline(__always)
  private func onePixel(_ x: Int) {
    let left = x &* task.stride &- task.padding
    let columns = max(0, -left)..<max(max(0, -left), min(task.kernel, task.inWidth &- left))
    var channel = 0
    while channel &+ 64 <= task.channels {
      fourVectors(ofPixel: x, columns, channel)
      channel &+= 64
    }
    while channel &+ 16 <= task.channels {
      oneVector(x, columns, channel)
      channel &+= 16
    }
    if channel < task.channels { lastChannels(x, columns) }
  }

  /// Sixty-four channels of an output pixel.
  @inline(__always)
  private func fourVectors(ofPixel x: Int, _ columns: Range<Int>, _ channel: Int) {
    let bias = task.bias + channel
    var (sum0, sum1, sum2, sum3) = (load(bias), load(bias + 16), load(bias + 32), load(bias + 48))
    let step = 16 &* element.size
    for row in rows {
      var source = source(row: row, column: columns.lowerBound, x) + channel &* element.size
      var weights = weights(row: row, column: columns.lowerBound) + channel
      for _ in columns {
        sum0 = multiplyAdd(element.load(source), load(weights), sum0)
        sum1 = multiplyAdd(element.load(source + step), load(weights + 16), sum1)
        sum2 = multiplyAdd(element.load(source + 2 &* step), load(weights + 32), sum2)
        sum3 = multiplyAdd(element.load(source + 3 &* step), load(weights + 48), sum3)
        weights += task.channels
        source += task.input.pixelStride &* element.size
      }
    }
    finish(sum0, x, channel)
    finish(sum1, x, channel &+ 16)
    finish(sum2, x, channel &+ 32)
    finish(sum3, x, channel &+ 48)
  }

  /// Sixteen channels of an output pixel.
  @inline(__always)
  private func oneVector(_ x: Int, _ columns: Range<Int>, _ channel: Int) {
    var sum = load(task.bias + channel)
    for row in rows {
      for column in columns {
        let source = source(row: row, column: column, x) + channel &* element.size
        sum = multiplyAdd(element.load(source), load(weights(row: row, column: column) + channel), sum)
      }
    }
    finish(sum, x, channel)
  }

  /// The channels of an output pixel that do not fill a vector.
  @inline(never)
  private func lastChannels(_ x: Int, _ columns: Range<Int>) {
    if overlaps { return oneVector(x, columns, task.channels &- 16) }
    let channel = task.channels / 16 &* 16
    let count = task.channels &- channel
    var sum = loadPartial(task.bias + channel, count: count)
    for row in rows {
      for column in columns {
        let source = source(row: row, column: column, x) + channel &* element.size
        let weights = weights(row: row, column: column) + channel
        sum = multiplyAdd(element.load(source, count: count), loadPartial(weights, count: count), sum)
      }
    }
    finish(sum, x, channel, count: count)
  }

  /// The first channel of the input pixel at a position of the window of output pixel x.
  @inline(__always)
  private func source(row: Int, column: Int, _ x: Int) -> UnsafeRawPointer {
    let (inY, inX) = (
      y &* task.stride &- task.padding &+ row, x &* task.stride &- task.padding &+ column
    )
    return UnsafeRawPointer(task.input.base)
      + (inY &* task.input.rowStride &+ inX &* task.input.pixelStride) &* element.size
  }

  /// The first channel's weight at a position of the window.
  @inline(__always)
  private func weights(row: Int, column: Int) -> UnsafePointer<Float> {
    task.weights + (row &* task.kernel &+ column) &* task.channels
  }

  /// Stores the finished sums of `count` channels from `channel` on.
  @inline(__always)
  private func finish(_ sum: Vector, _ x: Int, _ channel: Int, count: Int = 16) {
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
