// Softmax over groups of a pixel's channels, with the maximum subtracted.

import NNKernelInterface

func softmax(_ taskPointer: UnsafePointer<SoftmaxTask>, _ share: Share) {
  let task = taskPointer.pointee
  if task.channels <= 16 { return softmaxOfNarrowRows(task, share.items) }
  forEachRow(task, share.items) { softmaxRow($0, $1, task.channels) }
}

/// Calls `body(input, output)` for each group of channels of the pixels.
@inline(__always)
private func forEachRow(
  _ task: SoftmaxTask, _ pixels: Range<Int>,
  _ body: (UnsafePointer<Float>, UnsafeMutablePointer<Float>) -> Void
) {
  for pixel in pixels {
    let (y, x) = pixel.quotientAndRemainder(dividingBy: task.width)
    var input = task.input.base + (y &* task.input.rowStride &+ x &* task.input.pixelStride)
    var output = task.output.base + (y &* task.output.rowStride &+ x &* task.output.pixelStride)
    for _ in 0..<task.groups {
      body(input, output)
      input += task.channels
      output += task.channels
    }
  }
}

/// Rows that a vector holds, sixteen at a time: transposed, each has a lane, and nothing is summed up across lanes.
private func softmaxOfNarrowRows(_ task: SoftmaxTask, _ pixels: Range<Int>) {
  withUnsafeTemporaryAllocation(of: NarrowRow.self, capacity: 16) { rows in
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 256) { columns in
      guard let rows = rows.baseAddress, let columns = columns.baseAddress else { return }
      var count = 0
      forEachRow(task, pixels) { input, output in
        (rows + count).initialize(to: NarrowRow(input: input, output: output))
        count &+= 1
        guard count == 16 else { return }
        softmaxRows(rows, 16, task.channels, columns)
        count = 0
      }
      if count > 0 { softmaxRows(rows, count, task.channels, columns) }
    }
  }
}

/// Where a row is read and written.
private struct NarrowRow {
  let input: UnsafePointer<Float>
  let output: UnsafeMutablePointer<Float>
}

/// Up to sixteen rows of up to sixteen channels.
@inline(__always)
private func softmaxRows(
  _ rows: UnsafePointer<NarrowRow>, _ count: Int, _ channels: Int, _ columns: UnsafeMutablePointer<Float>
) {
  let zero = Vector(repeating: 0)
  let element = Float32Element()
  transpose(
    { row in row < count ? element.loadSome(rows[row].input, channels) : zero },
    { channel, column in store(column, columns + 16 &* channel) })
  var greatest = Vector(repeating: -Float.infinity)
  for channel in 0..<channels { greatest = larger(load(columns + 16 &* channel), greatest) }
  var total = zero
  for channel in 0..<channels {
    let power = exponential(load(columns + 16 &* channel) - greatest)
    total += power
    store(power, columns + 16 &* channel)
  }
  let factor = Vector(repeating: 1) / total
  transpose(
    { channel in channel < channels ? load(columns + 16 &* channel) * factor : zero },
    { row, made in if row < count { element.storeSome(made, rows[row].output, channels) } })
}

@inline(__always)
private func softmaxRow(
  _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ channels: Int
) {
  let whole = channels / 16 * 16
  let rest = channels - whole

  var greatest = -Float.infinity
  if whole > 0 {
    var lanes = load(input)
    var channel = 16
    while channel < whole {
      lanes = larger(load(input + channel), lanes)
      channel += 16
    }
    greatest = maximum(lanes)
  }
  for lane in 0..<rest { greatest = Swift.max(greatest, input[whole + lane]) }
  let shift = Vector(repeating: greatest)

  var total = Vector(repeating: 0)
  var channel = 0
  while channel < whole {
    let power = exponential(load(input + channel) - shift)
    total += power
    store(power, output + channel)
    channel += 16
  }
  if rest > 0 {
    let power = firstLanes(exponential(loadPartial(input + whole, count: rest) - shift), rest)
    total += power
    storePartial(power, output + whole, count: rest)
  }

  let factor = Vector(repeating: 1 / sum(total))
  channel = 0
  while channel < whole {
    store(load(output + channel) * factor, output + channel)
    channel += 16
  }
  for lane in 0..<rest { output[whole + lane] *= factor[0] }
}
