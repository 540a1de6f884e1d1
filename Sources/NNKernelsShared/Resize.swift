// Separable resize: the input rows of one output row are blended into a row buffer, then its pixels are
// blended along the row. One tap is a plain copy.

import NNKernelInterface

func resizeScratch(_ task: UnsafePointer<ResizeTask>) -> Int {
  task.pointee.resampling.taps == 1 ? 0 : task.pointee.inWidth * roundedChannels(task.pointee)
}

func resize(_ taskPointer: UnsafePointer<ResizeTask>, _ share: Share) {
  let task = taskPointer.pointee
  for y in share.items {
    switch task.resampling.taps {
    case 1: copyRow(task, y)
    case 2:
      blendRows(task, y, share.scratch, taps: 2)
      blendPixels(task, y, share.scratch, taps: 2)
    case 4:
      blendRows(task, y, share.scratch, taps: 4)
      blendPixels(task, y, share.scratch, taps: 4)
    default:
      blendRows(task, y, share.scratch, taps: task.resampling.taps)
      blendPixels(task, y, share.scratch, taps: task.resampling.taps)
    }
  }
}

/// Floats from one pixel of the row buffer to the next.
@inline(__always)
private func roundedChannels(_ task: ResizeTask) -> Int { (task.channels + 15) / 16 * 16 }

@inline(__always)
private func inputRow(_ task: ResizeTask, _ y: Int, _ tap: Int) -> UnsafePointer<Float> {
  task.input.base + Int(task.resampling.rowIndices[y * task.resampling.taps + tap]) * task.input.rowStride
}

/// Nearest neighbour.
@inline(__always)
private func copyRow(_ task: ResizeTask, _ y: Int) {
  let row = inputRow(task, y, 0)
  var output = task.output.base + y * task.output.rowStride
  for x in 0..<task.outWidth {
    let source = row + Int(task.resampling.columnIndices[x]) * task.input.pixelStride
    var channel = 0
    while channel + 16 <= task.channels {
      store(load(source + channel), output + channel)
      channel += 16
    }
    while channel < task.channels {
      output[channel] = source[channel]
      channel += 1
    }
    output += task.output.pixelStride
  }
}

/// buffer[x] = sum over taps i of rowWeights[y, i] * in[rowIndices[y, i], x], channels padded with zeros.
@inline(__always)
private func blendRows(_ task: ResizeTask, _ y: Int, _ buffer: UnsafeMutablePointer<Float>, taps: Int) {
  let weights = task.resampling.rowWeights + y * taps
  let rounded = roundedChannels(task)
  for x in 0..<task.inWidth {
    let offset = x * task.input.pixelStride
    let target = buffer + x * rounded
    var channel = 0
    while channel + 16 <= task.channels {
      var blend = Vector(repeating: weights[0]) * load(inputRow(task, y, 0) + offset + channel)
      for tap in 1..<taps {
        let source = inputRow(task, y, tap) + offset + channel
        blend = multiplyAdd(Vector(repeating: weights[tap]), load(source), blend)
      }
      store(blend, target + channel)
      channel += 16
    }
    if channel < task.channels {
      var blend = Vector(repeating: 0)
      for tap in 0..<taps {
        let source = inputRow(task, y, tap) + offset + channel
        let values = loadPartial(source, count: task.channels - channel)
        blend = multiplyAdd(Vector(repeating: weights[tap]), values, blend)
      }
      store(blend, target + channel)
    }
  }
}

/// out[x] = sum over taps j of columnWeights[x, j] * buffer[columnIndices[x, j]] + residual[x].
@inline(__always)
private func blendPixels(_ task: ResizeTask, _ y: Int, _ buffer: UnsafePointer<Float>, taps: Int) {
  let rounded = roundedChannels(task)
  let residual = task.residual ?? MapPointer(base: task.input.base, pixelStride: 0, rowStride: 0)
  let isAdded = task.residual != nil
  var added = residual.base + y * residual.rowStride
  var output = task.output.base + y * task.output.rowStride
  for x in 0..<task.outWidth {
    let indices = task.resampling.columnIndices + x * taps
    let weights = task.resampling.columnWeights + x * taps
    var channel = 0
    while channel < task.channels {
      var blend = Vector(repeating: weights[0]) * load(buffer + Int(indices[0]) * rounded + channel)
      for tap in 1..<taps {
        let source = buffer + Int(indices[tap]) * rounded + channel
        blend = multiplyAdd(Vector(repeating: weights[tap]), load(source), blend)
      }
      if channel + 16 <= task.channels {
        if isAdded { blend += load(added + channel) }
        store(blend, output + channel)
      } else {
        let count = task.channels - channel
        if isAdded { blend += loadPartial(added + channel, count: count) }
        storePartial(blend, output + channel, count: count)
      }
      channel += 16
    }
    added += residual.pixelStride
    output += task.output.pixelStride
  }
}
