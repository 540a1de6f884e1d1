// Max-pool. The maximum is exact in any order, so a stride of one shares the work: the maximum of each
// input column is taken once and slides through registers.

import NNKernelInterface

func maxPool(_ taskPointer: UnsafePointer<PoolTask>, _ share: Share) {
  let task = taskPointer.pointee
  for y in share.items {
    let top = y * task.stride - task.padding
    let rows = max(0, top)..<max(max(0, top), min(task.inHeight, top + task.kernel))
    var channel = 0
    while channel < task.channels {
      let count = min(16, task.channels - channel)
      if task.kernel == 5 && task.stride == 1 {
        slideFive(task, y, rows, channel, count)
      } else {
        poolRow(task, y, rows, channel, count)
      }
      channel += 16
    }
  }
}

/// One output row, up to sixteen channels, any window.
@inline(__always)
private func poolRow(_ task: PoolTask, _ y: Int, _ rows: Range<Int>, _ channel: Int, _ count: Int) {
  for x in 0..<task.outWidth {
    let left = x * task.stride - task.padding
    let last = min(task.inWidth, left + task.kernel)
    var best = Vector(repeating: -.infinity)
    var column = max(0, left)
    while column < last {
      best = larger(best, columnMaximum(task, rows, column, channel, count))
      column += 1
    }
    storeChannels(best, task.output.base + outputOffset(task, y, x) + channel, count)
  }
}

/// One output row, up to sixteen channels, a 5x5 window at stride 1: each step brings one new column.
@inline(__always)
private func slideFive(_ task: PoolTask, _ y: Int, _ rows: Range<Int>, _ channel: Int, _ count: Int) {
  let lowest = Vector(repeating: -.infinity)
  var (c0, c1, c2, c3) = (lowest, lowest, lowest, lowest)
  var column = -task.padding
  while column < 4 - task.padding {
    let next = columnMaximum(task, rows, column, channel, count)
    (c0, c1, c2, c3) = (c1, c2, c3, next)
    column += 1
  }
  for x in 0..<task.outWidth {
    let next = columnMaximum(task, rows, column, channel, count)
    let best = larger(larger(larger(c0, c1), larger(c2, c3)), next)
    storeChannels(best, task.output.base + outputOffset(task, y, x) + channel, count)
    (c0, c1, c2, c3) = (c1, c2, c3, next)
    column += 1
  }
}

/// The maximum over `rows` of one input column; minus infinity in the padding.
@inline(__always)
private func columnMaximum(
  _ task: PoolTask, _ rows: Range<Int>, _ column: Int, _ channel: Int, _ count: Int
) -> Vector {
  var best = Vector(repeating: -.infinity)
  if column < 0 || column >= task.inWidth { return best }
  var source =
    task.input.base + rows.lowerBound * task.input.rowStride + column * task.input.pixelStride + channel
  for _ in rows {
    best = larger(loadChannels(source, count), best)
    source += task.input.rowStride
  }
  return best
}

@inline(__always)
private func outputOffset(_ task: PoolTask, _ y: Int, _ x: Int) -> Int {
  y * task.output.rowStride + x * task.output.pixelStride
}

/// Sixteen channels, or the first `count` and zeros behind them.
@inline(__always)
private func loadChannels(_ pointer: UnsafePointer<Float>, _ count: Int) -> Vector {
  count == 16 ? load(pointer) : loadPartial(pointer, count: count)
}

@inline(__always)
private func storeChannels(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, _ count: Int) {
  if count == 16 { store(vector, pointer) } else { storePartial(vector, pointer, count: count) }
}
