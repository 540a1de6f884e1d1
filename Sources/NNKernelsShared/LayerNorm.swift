// Layer normalisation over the channels of a token: mean, then the variance of the centred values, then the
// result, three passes over a row that stays in L1. Four partial sums hide the latency of the additions.

import NNKernelInterface

func layerNorm(_ taskPointer: UnsafePointer<LayerNormTask>, _ begin: Int, _ end: Int) {
  let task = taskPointer.pointee
  for token in begin..<end {
    normalise(
      task, task.input.base + token * task.input.pixelStride,
      task.output.base + token * task.output.pixelStride)
  }
}

@inline(__always)
private func normalise(
  _ task: LayerNormTask, _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
) {
  let channels = task.channels
  let total = accumulate(input, channels) { sum, x, _ in sum + x }
  let mean = total / Float(channels)
  let means = Vector(repeating: mean)

  let squares = accumulate(input, channels) { sum, x, valid in
    var centred = x - means
    if valid < 16 { centred = firstLanes(centred, valid) }
    return multiplyAdd(centred, centred, sum)
  }
  let scale = 1 / (squares / Float(channels) + task.epsilon).squareRoot()
  let scales = Vector(repeating: scale)

  var channel = 0
  while channel + 16 <= channels {
    let x = (load(input + channel) - means) * scales
    store(multiplyAdd(x, load(task.gamma + channel), load(task.beta + channel)), output + channel)
    channel += 16
  }
  if channel < channels {
    let count = channels - channel
    let x = (loadPartial(input + channel, count: count) - means) * scales
    let gamma = loadPartial(task.gamma + channel, count: count)
    let beta = loadPartial(task.beta + channel, count: count)
    storePartial(multiplyAdd(x, gamma, beta), output + channel, count: count)
  }
}

/// The sum of `term(sum, sixteen channels, channels that count)` over a row, in a fixed order.
@inline(__always)
private func accumulate(
  _ input: UnsafePointer<Float>, _ channels: Int, _ term: (Vector, Vector, Int) -> Vector
) -> Float {
  let zero = Vector(repeating: 0)
  var (sum0, sum1, sum2, sum3) = (zero, zero, zero, zero)
  var channel = 0
  while channel + 64 <= channels {
    sum0 = term(sum0, load(input + channel), 16)
    sum1 = term(sum1, load(input + channel + 16), 16)
    sum2 = term(sum2, load(input + channel + 32), 16)
    sum3 = term(sum3, load(input + channel + 48), 16)
    channel += 64
  }
  while channel + 16 <= channels {
    sum0 = term(sum0, load(input + channel), 16)
    channel += 16
  }
  if channel < channels {
    let count = channels - channel
    sum1 = term(sum1, loadPartial(input + channel, count: count), count)
  }
  return sum((sum0 + sum1) + (sum2 + sum3))
}

/// The first `count` lanes of a vector, zeros behind them.
@inline(__always)
func firstLanes(_ vector: Vector, _ count: Int) -> Vector {
  let lanes = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return Vector(repeating: 0).replacing(with: vector, where: lanes .< SIMD16<Int32>(repeating: Int32(count)))
}
