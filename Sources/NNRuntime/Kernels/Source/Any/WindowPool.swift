// Means and maxima over any window, up to the whole map.

import CKernelShims
import NNKernelInterface

func windowPool(_ task: UnsafePointer<WindowPoolTask>, _ share: Share) {
  task.pointee.input.element.run(WindowPoolLoop.self, (task.pointee, share.items))
}

private enum WindowPoolLoop: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(
    _ element: Element, _ operands: (task: WindowPoolTask, items: Range<Int>)
  ) {
    let task = operands.task
    var item = operands.items.lowerBound
    while item < operands.items.upperBound {
      let (pixel, first) = item.quotientAndRemainder(dividingBy: task.blocks)
      let (y, x) = pixel.quotientAndRemainder(dividingBy: task.outWidth)
      let blocks = first..<min(task.blocks, first &+ operands.items.upperBound &- item)
      // Where a window lies is the same for all channels, and takes divisions.
      let (rows, columns) = (task.rows.inside(y), task.columns.inside(x))
      for block in blocks {
        let window = PooledWindow(
          element: element, task: task, y: y, x: x, rows: rows, columns: columns, channel: 16 &* block)
        switch task.kind {
        case .maximum: window.finish(window.maximum())
        case .mean(let countsPadding): window.finish(window.mean(countsPadding: countsPadding))
        }
      }
      item &+= blocks.count
    }
  }
}

/// Up to sixteen channels of an output pixel.
private struct PooledWindow<Element: MapElement> {
  /// Element type of the input.
  let element: Element
  let task: WindowPoolTask
  let y, x: Int
  /// The window's pixels inside the map.
  let rows, columns: Range<Int>
  let channel: Int

  @inline(__always) private var count: Int { min(16, task.channels &- channel) }

  @inline(__always)
  func maximum() -> Vector {
    var best = Vector(repeating: -.infinity)
    for row in rows {
      var source = first(row)
      for _ in columns {
        best = ardf_larger_or_nan(element.loadSome(source, count), best)
        source += step
      }
    }
    return best
  }

  /// Four sums of a row, so that one addition does not wait for the one before; rows are added up apart, as sums of
  /// sums lose less.
  @inline(__always)
  func mean(countsPadding: Bool) -> Vector {
    var total = Vector(repeating: 0)
    let (step, count) = (step, count)
    for row in rows {
      var (a, b, c, d) = (
        Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0)
      )
      var source = first(row)
      var left = columns.count
      while left >= 4 {
        a += element.loadSome(source, count)
        b += element.loadSome(source + step, count)
        c += element.loadSome(source + 2 &* step, count)
        d += element.loadSome(source + 3 &* step, count)
        source += 4 &* step
        left &-= 4
      }
      while left > 0 {
        a += element.loadSome(source, count)
        source += step
        left &-= 1
      }
      total += (a + b) + (c + d)
    }
    let pixels =
      countsPadding ? task.rows.padded(y) &* task.columns.padded(x) : rows.count &* columns.count
    return total / Vector(repeating: Float(max(pixels, 1)))
  }

  @inline(__always)
  func finish(_ result: Vector) {
    let output = task.output
    let target = output.address(y &* output.rowStride &+ x &* output.pixelStride &+ channel)
    output.element.asked.storeSome(result, target, count)
  }

  /// Bytes from one pixel of a window's row to the next.
  @inline(__always) private var step: Int {
    task.columns.dilation &* task.input.pixelStride &* element.size
  }

  /// The first pixel of a row of the window.
  @inline(__always)
  private func first(_ row: Int) -> UnsafeRawPointer {
    let (input, columns) = (task.input, task.columns)
    let inY = y &* task.rows.stride &- task.rows.before &+ row &* task.rows.dilation
    let inX = x &* columns.stride &- columns.before &+ self.columns.lowerBound &* columns.dilation
    return UnsafeRawPointer(input.base)
      + (inY &* input.rowStride &+ inX &* input.pixelStride &+ channel) &* element.size
  }
}

extension WindowAxis {
  /// The places in the window of an output pixel that lie inside the map.
  @inline(__always)
  fileprivate func inside(_ output: Int) -> Range<Int> {
    let first = output &* stride &- before
    let lower = first < 0 ? (dilation &- 1 &- first) / dilation : 0
    let upper = min(size, max(lower, (input &- first &+ dilation &- 1) / dilation))
    return lower < upper ? lower..<upper : 0..<0
  }

  /// Places in the window of an output pixel inside the map or its paddings.
  @inline(__always)
  fileprivate func padded(_ output: Int) -> Int {
    let first = output &* stride &- before
    return max(0, min(size, (input &+ after &- first &+ dilation &- 1) / dilation))
  }
}
