// Layer normalization over the channels of a token: mean, then the variance of the centered values, then the
// result, three passes over a row that stays in L1. Four partial sums hide the latency of the additions.

import NNKernelInterface

func layerNorm(_ task: UnsafePointer<LayerNormTask>, _ share: Share) {
  task.pointee.input.element.run(LayerNormLoop.self, (task.pointee, share.items))
}

private enum LayerNormLoop: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(
    _ element: Element, _ operands: (task: LayerNormTask, tokens: Range<Int>)
  ) {
    let task = operands.task
    for token in operands.tokens {
      let input = task.input.address(token &* task.input.pixelStride)
      normalize(
        task.normalization, TokenRow(element: element, base: input, channels: task.channels),
        into: task.output.address(token &* task.output.pixelStride), as: task.output.element.asked)
    }
  }
}

/// Normalizes a pixel's channels into memory of elements `made`.
@inline(never)
func normalize<Element: MapElement, Made: MapElement>(
  _ normalization: Normalization, _ row: TokenRow<Element>, into output: UnsafeMutableRawPointer,
  as made: Made
) {
  let (element, input) = (row.element, row.base)
  let means = Vector(repeating: row.total(of: Values()) / Float(row.channels))
  let squares = row.total(of: Squares(mean: means))
  let scales = Vector(
    repeating: 1 / (squares / Float(row.channels) + normalization.epsilon).squareRoot())
  forEachVector(row.channels) { channel, count in
    let x = (element.loadSome(input + channel &* element.size, count) - means) * scales
    let result = multiplyAdd(
      x, Float32Element().loadSome(normalization.gamma + channel, count),
      Float32Element().loadSome(normalization.beta + channel, count))
    made.storeSome(result, output + channel &* made.size, count)
  }
}

/// Term of a sum over a row.
///
/// A type, not a closure: that was not always inlined.
private protocol Term {
  /// The sum with sixteen more channels.
  func added(_ x: Vector, to sum: Vector) -> Vector
  /// The sum with the first `count` lanes, zeros after them.
  func added(_ x: Vector, count: Int, to sum: Vector) -> Vector
}

private struct Values: Term {
  @inline(__always) func added(_ x: Vector, to sum: Vector) -> Vector { sum + x }
  @inline(__always) func added(_ x: Vector, count: Int, to sum: Vector) -> Vector { sum + x }
}

private struct Squares: Term {
  let mean: Vector
  @inline(__always) func added(_ x: Vector, to sum: Vector) -> Vector {
    let centered = x - mean
    return multiplyAdd(centered, centered, sum)
  }
  @inline(__always) func added(_ x: Vector, count: Int, to sum: Vector) -> Vector {
    let centered = firstLanes(x - mean, count)
    return multiplyAdd(centered, centered, sum)
  }
}

/// A pixel's channels in memory.
struct TokenRow<Element: MapElement> {
  let element: Element
  let base: UnsafeRawPointer
  let channels: Int

  @inline(__always)
  init(element: Element, base: UnsafeRawPointer, channels: Int) {
    self.element = element
    self.base = base
    self.channels = channels
  }

  /// The sum of a term over the row, in a fixed order.
  @inline(__always)
  fileprivate func total<Summed: Term>(of term: Summed) -> Float {
    let zero = Vector(repeating: 0)
    var (sum0, sum1, sum2, sum3) = (zero, zero, zero, zero)
    var channel = 0
    while channel &+ 64 <= channels {
      sum0 = term.added(vector(channel), to: sum0)
      sum1 = term.added(vector(channel &+ 16), to: sum1)
      sum2 = term.added(vector(channel &+ 32), to: sum2)
      sum3 = term.added(vector(channel &+ 48), to: sum3)
      channel &+= 64
    }
    while channel &+ 16 <= channels {
      sum0 = term.added(vector(channel), to: sum0)
      channel &+= 16
    }
    if channel < channels {
      let count = channels &- channel
      let last = element.load(base + channel &* element.size, count: count)
      sum1 = term.added(last, count: count, to: sum1)
    }
    return sum((sum0 + sum1) + (sum2 + sum3))
  }

  @inline(__always)
  private func vector(_ channel: Int) -> Vector { element.load(base + channel &* element.size) }
}

/// The first `count` lanes of a vector, zeros after them.
@inline(__always)
func firstLanes(_ vector: Vector, _ count: Int) -> Vector {
  let lanes = SIMD16<Int32>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return Vector(repeating: 0).replacing(with: vector, where: lanes .< SIMD16<Int32>(repeating: Int32(count)))
}
