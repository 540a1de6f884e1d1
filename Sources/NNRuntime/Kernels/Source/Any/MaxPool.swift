// Max-pool. The maximum is exact in any order, so a stride of one shares the work: the maximum of each
// input column is taken once and slides through registers.

import NNKernelInterface

func maxPool(_ task: UnsafePointer<PoolTask>, _ share: Share) {
  task.pointee.input.element.run(PoolLoop.self, (task.pointee, share.items))
}

private enum PoolLoop: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(
    _ element: Element, _ operands: (task: PoolTask, rows: Range<Int>)
  ) {
    let task = operands.task
    for y in operands.rows {
      let top = y &* task.stride &- task.padding
      let rows = max(0, top)..<max(max(0, top), min(task.inHeight, top &+ task.kernel))
      forEachVector(task.channels) { channel, count in
        let row = PooledRow(element: element, task: task, y: y, rows: rows, channel: channel, count: count)
        if task.kernel == 5 && task.stride == 1 { row.slideFive() } else { row.pool() }
      }
    }
  }
}

/// Up to sixteen channels of an output row.
private struct PooledRow<Element: MapElement> {
  /// Element type of the input.
  let element: Element
  let task: PoolTask
  let y: Int
  /// The input rows of its windows.
  let rows: Range<Int>
  let channel, count: Int

  /// Any window.
  @inline(__always)
  func pool() {
    for x in 0..<task.outWidth {
      let left = x &* task.stride &- task.padding
      let last = min(task.inWidth, left &+ task.kernel)
      var best = Vector(repeating: -.infinity)
      var column = max(0, left)
      while column < last {
        best = larger(best, columnMaximum(column))
        column &+= 1
      }
      finish(best, x)
    }
  }

  /// A 5x5 window at stride 1: each step brings one new column.
  @inline(__always)
  func slideFive() {
    let lowest = Vector(repeating: -.infinity)
    var (c0, c1, c2, c3) = (lowest, lowest, lowest, lowest)
    var column = -task.padding
    while column < 4 &- task.padding {
      let next = columnMaximum(column)
      (c0, c1, c2, c3) = (c1, c2, c3, next)
      column &+= 1
    }
    for x in 0..<task.outWidth {
      let next = columnMaximum(column)
      finish(larger(larger(larger(c0, c1), larger(c2, c3)), next), x)
      (c0, c1, c2, c3) = (c1, c2, c3, next)
      column &+= 1
    }
  }

  /// The maximum over `rows` of one input column; minus infinity in the padding.
  @inline(__always)
  private func columnMaximum(_ column: Int) -> Vector {
    var best = Vector(repeating: -.infinity)
    if column < 0 || column >= task.inWidth { return best }
    let input = task.input
    var source =
      UnsafeRawPointer(input.base)
      + (rows.lowerBound &* input.rowStride &+ column &* input.pixelStride &+ channel) &* element.size
    for _ in rows {
      best = larger(element.loadSome(source, count), best)
      source += input.rowStride &* element.size
    }
    return best
  }

  @inline(__always)
  private func finish(_ best: Vector, _ x: Int) {
    let output = task.output
    let target = output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel)
    output.element.asked.storeSome(best, target, count)
  }
}
