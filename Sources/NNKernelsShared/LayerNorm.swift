// Layer normalisation over the channels of a token: mean, then the variance of the centred values, then the
// result, three passes over a row that stays in L1. Four partial sums hide the latency of the additions.

import NNKernelInterface

func layerNorm(_ taskPointer: UnsafePointer<LayerNormTask>, _ share: Share) {
  let task = taskPointer.pointee
  for token in share.items {
    normalise(
      task.normalisation, task.channels, task.input.base + token * task.input.pixelStride,
      task.output.base + token * task.output.pixelStride)
  }
}

/// Normalises one pixel's channels into `output`.
@inline(never)
func normalise(
  _ normalisation: Normalisation, _ channels: Int, _ input: UnsafePointer<Float>,
  _ output: UnsafeMutablePointer<Float>
) {
  let (gamma, beta) = (normalisation.gamma, normalisation.beta)
  let mean = sum(Values(), input, channels) / Float(channels)
  let means = Vector(repeating: mean)
  let squares = sum(Squares(mean: means), input, channels)
  let scale = 1 / (squares / Float(channels) + normalisation.epsilon).squareRoot()
  let scales = Vector(repeating: scale)

  var channel = 0
  while channel &+ 16 <= channels {
    let x = (load(input + channel) - means) * scales
    store(multiplyAdd(x, load(gamma + channel), load(beta + channel)), output + channel)
    channel &+= 16
  }
  if channel < channels {
    let count = channels &- channel
    let x = (loadPartial(input + channel, count: count) - means) * scales
    let (factor, shift) = (
      loadPartial(gamma + channel, count: count), loadPartial(beta + channel, count: count)
    )
    storePartial(multiplyAdd(x, factor, shift), output + channel, count: count)
  }
}

/// What is summed over a row.
///
/// A type, not a closure: that was not always inlined.
private protocol Term {
  /// The sum with sixteen more channels.
  func added(_ x: Vector, to sum: Vector) -> Vector
  /// The sum with the first `count` lanes, zeros behind them.
  func added(_ x: Vector, count: Int, to sum: Vector) -> Vector
}

private struct Values: Term {
  @inline(__always) func added(_ x: Vector, to sum: Vector) -> Vector { sum + x }
  @inline(__always) func added(_ x: Vector, count: Int, to sum: Vector) -> Vector { sum + x }
}

private struct Squares: Term {
  let mean: Vector
  @inline(__always) func added(_ x: Vector, to sum: Vector) -> Vector {
    let centred = x - mean
    return multiplyAdd(centred, centred, sum)
  }
  @inline(__always) func added(_ x: Vector, count: Int, to sum: Vector) -> Vector {
    let centred = firstLanes(x - mean, count)
    return multiplyAdd(centred, centred, sum)
  }
}

/// The sum of a term over a row, in a fixed order.
@inline(__always)
private func sum<Summed: Term>(_ term: Summed, _ input: UnsafePointer<Float>, _ channels: Int) -> Float {
  let zero = Vector(repeating: 0)
  var (sum0, sum1, sum2, sum3) = (zero, zero, zero, zero)
  var channel = 0
  while channel &+ 64 <= channels {
    sum0 = term.added(load(input + channel), to: sum0)
    sum1 = term.added(load(input + channel + 16), to: sum1)
    sum2 = term.added(load(input + channel + 32), to: sum2)
    sum3 = term.added(load(input + channel + 48), to: sum3)
    channel &+= 64
  }
  while channel &+ 16 <= channels {
    sum0 = term.added(load(input + channel), to: sum0)
    channel &+= 16
  }
  if channel < channels {
    let count = channels &- channel
    sum1 = term.added(loadPartial(input + channel, count: count), count: count, to: sum1)
  }
  return sum((sum0 + sum1) + (sum2 + sum3))
}

/// The first `count` lanes of a vector, zeros behind them.
@inline(__always)
func firstLanes(_ vector: Vector, _ count: Int) -> Vector {
  let lanes = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return Vector(repeating: 0).replacing(with: vector, where: lanes .< SIMD16<Int32>(repeating: Int32(count)))
}
