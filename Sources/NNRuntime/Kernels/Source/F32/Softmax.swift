// Softmax over groups of a pixel's channels, with the maximum subtracted.

import NNKernelInterface

func softmax(_ taskPointer: UnsafePointer<SoftmaxTask>, _ share: Share) {
  let task = taskPointer.pointee
  for pixel in share.items {
    let (y, x) = (pixel / task.width, pixel % task.width)
    var input = task.input.base + (y &* task.input.rowStride &+ x &* task.input.pixelStride)
    var output = task.output.base + (y &* task.output.rowStride &+ x &* task.output.pixelStride)
    for _ in 0..<task.groups {
      softmaxRow(input, output, task.channels)
      input += task.channels
      output += task.channels
    }
  }
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
