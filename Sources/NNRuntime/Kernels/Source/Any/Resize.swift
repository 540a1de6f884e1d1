// Separable resize: the input rows of one output row are blended into a row buffer, then its pixels are
// blended along the row. One tap is a plain copy.

import NNKernelInterface

func resizeScratch(_ task: UnsafePointer<ResizeTask>) -> Int {
  task.pointee.resampling.taps == 1 ? 0 : task.pointee.inWidth * roundedChannels(task.pointee)
}

func resize(_ task: UnsafePointer<ResizeTask>, _ share: Share) {
  task.pointee.input.element.run(ResizeLoop.self, (task.pointee, share))
}

private enum ResizeLoop: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ operands: (task: ResizeTask, share: Share)) {
    let (task, share) = operands
    for y in share.items {
      let row = ResizedRow(element: element, task: task, y: y, buffer: share.scratch)
      switch task.resampling.taps {
      case 1: row.copy()
      case 2: row.blend(taps: 2)
      case 4: row.blend(taps: 4)
      default: row.blend(taps: task.resampling.taps)
      }
    }
  }
}

/// Floats from one pixel of the row buffer to the next.
@inline(__always)
private func roundedChannels(_ task: ResizeTask) -> Int { (task.channels + 15) / 16 * 16 }

/// One output row.
private struct ResizedRow<Element: MapElement> {
  /// Element type of the input.
  let element: Element
  let task: ResizeTask
  let y: Int
  /// A row of the input, blended.
  let buffer: UnsafeMutablePointer<Float>

  /// The row of the input that a tap reads.
  @inline(__always)
  private func inputRow(_ tap: Int) -> UnsafeRawPointer {
    let row = Int(task.resampling.rowIndices[y &* task.resampling.taps &+ tap])
    return UnsafeRawPointer(task.input.base) + row &* task.input.rowStride &* element.size
  }

  /// Nearest neighbor.
  @inline(__always)
  func copy() {
    let row = inputRow(0)
    let made = task.output.element.asked
    var output = task.output.address(y &* task.output.rowStride)
    for x in 0..<task.outWidth {
      let source =
        row + Int(task.resampling.columnIndices[x]) &* task.input.pixelStride &* element.size
      if task.input.element == task.output.element {
        copyBytes(source, output, task.channels &* element.size)
      } else {
        forEachVector(task.channels) { channel, count in
          let values = element.loadSome(source + channel &* element.size, count)
          made.storeSome(values, output + channel &* made.size, count)
        }
      }
      output += task.output.pixelStride &* made.size
    }
  }

  @inline(__always)
  func blend(taps: Int) {
    blendRows(taps: taps)
    blendPixels(taps: taps)
  }

  /// buffer[x] = sum over taps i of rowWeights[y, i] * in[rowIndices[y, i], x], channels padded with zeros.
  @inline(__always)
  private func blendRows(taps: Int) {
    let weights = task.resampling.rowWeights + y &* taps
    let rounded = roundedChannels(task)
    for x in 0..<task.inWidth {
      let offset = x &* task.input.pixelStride
      let target = buffer + x &* rounded
      forEachVector(task.channels) { channel, count in
        let offset = (offset &+ channel) &* element.size
        var blend = Vector(repeating: weights[0]) * element.loadSome(inputRow(0) + offset, count)
        for tap in 1..<taps {
          let values = element.loadSome(inputRow(tap) + offset, count)
          blend = multiplyAdd(Vector(repeating: weights[tap]), values, blend)
        }
        store(blend, target + channel)
      }
    }
  }

  /// out[x] = sum over taps j of columnWeights[x, j] * buffer[columnIndices[x, j]] + residual[x].
  @inline(__always)
  private func blendPixels(taps: Int) {
    let rounded = roundedChannels(task)
    let made = task.output.element.asked
    var output = task.output.address(y &* task.output.rowStride)
    for x in 0..<task.outWidth {
      let indices = task.resampling.columnIndices + x &* taps
      let weights = task.resampling.columnWeights + x &* taps
      forEachVector(task.channels) { channel, count in
        var blend = Vector(repeating: weights[0]) * load(buffer + (Int(indices[0]) &* rounded &+ channel))
        for tap in 1..<taps {
          let source = buffer + (Int(indices[tap]) &* rounded &+ channel)
          blend = multiplyAdd(Vector(repeating: weights[tap]), load(source), blend)
        }
        if let residual = task.residual {
          let added = residual.address(y &* residual.rowStride &+ x &* residual.pixelStride &+ channel)
          blend += residual.element.asked.loadSome(added, count)
        }
        made.storeSome(blend, output + channel &* made.size, count)
      }
      output += task.output.pixelStride &* made.size
    }
  }
}

/// Copies bytes, 64 at a time; `count` is even.
@inline(__always)
private func copyBytes(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int) {
  var offset = 0
  while offset &+ 64 <= count {
    let words = (source + offset).loadUnaligned(as: SIMD16<UInt32>.self)
    (target + offset).storeBytes(of: words, as: SIMD16<UInt32>.self)
    offset &+= 64
  }
  while offset < count {
    let half = (source + offset).loadUnaligned(as: UInt16.self)
    (target + offset).storeBytes(of: half, as: UInt16.self)
    offset &+= 2
  }
}
