// Sums of a depthwise convolution over copied rows of sixteen channels (Depthwise.swift).

import NNKernelInterface

/// How many output pixels are summed up at once.
///
/// `InstructionSet` of a target alone conforms, so that calls are resolved when they are compiled.
protocol DepthwiseGroups {
  /// Output pixels of a group: eight where a vector is one of 32 registers, else four.
  static var pixelsTogether: Int { get }
  /// Output pixels of a strip of 3x3 convolutions of stride 1, at most sixteen; 0 where there are none.
  static var stripPixels: Int { get }
  /// Stores the sums of a strip from x on, sixteen channels a pixel; only called where there are any.
  static func storeStrip(_ window: DepthwiseWindow, _ x: Int, _ sums: UnsafeMutablePointer<Float>)
}

extension DepthwiseGroups {
  @inline(__always) static var pixelsTogether: Int { 4 }
  @inline(__always) static var stripPixels: Int { 0 }
  @inline(__always)
  static func storeStrip(_: DepthwiseWindow, _: Int, _: UnsafeMutablePointer<Float>) {}
}

/// Sums of neighboring output pixels.
typealias FourSums = (Vector, Vector, Vector, Vector)
typealias EightSums = (Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector)

/// The windows of an output row: `rows` copied rows of `lines`, a ring of `kernel` from `line` on, times the weights of as many
/// rows of the kernel.
struct DepthwiseWindow {
  let lines: UnsafePointer<Float>
  let lineFloats, kernel, line, rows: Int
  let weights: UnsafePointer<Float>
  let bias: Vector
  /// Floats between the windows of neighboring output pixels.
  let step: Int

  /// The copied row after another.
  @inline(__always)
  func next(_ line: Int) -> Int { line &+ 1 == kernel ? 0 : line &+ 1 }

  /// Output pixels x..<x + 4; the other operand of each product is read from memory.
  @inline(__always)
  func four(_ x: Int) -> FourSums {
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    var (line, weight) = (line, weights)
    for _ in 0..<rows {
      var source = lines + (line &* lineFloats &+ x &* step)
      for _ in 0..<kernel {
        let factor = load(weight)
        sum0 = multiplyAdd(load(source), factor, sum0)
        sum1 = multiplyAdd(load(source + step), factor, sum1)
        sum2 = multiplyAdd(load(source + 2 &* step), factor, sum2)
        sum3 = multiplyAdd(load(source + 3 &* step), factor, sum3)
        source += 16
        weight += 16
      }
      line = next(line)
    }
    return (sum0, sum1, sum2, sum3)
  }

  /// Output pixels x..<x + 8, likewise.
  @inline(__always)
  func eight(_ x: Int) -> EightSums {
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    var (sum4, sum5, sum6, sum7) = (bias, bias, bias, bias)
    var (line, weight) = (line, weights)
    for _ in 0..<rows {
      var source = lines + (line &* lineFloats &+ x &* step)
      for _ in 0..<kernel {
        let factor = load(weight)
        sum0 = multiplyAdd(load(source), factor, sum0)
        sum1 = multiplyAdd(load(source + step), factor, sum1)
        sum2 = multiplyAdd(load(source + 2 &* step), factor, sum2)
        sum3 = multiplyAdd(load(source + 3 &* step), factor, sum3)
        sum4 = multiplyAdd(load(source + 4 &* step), factor, sum4)
        sum5 = multiplyAdd(load(source + 5 &* step), factor, sum5)
        sum6 = multiplyAdd(load(source + 6 &* step), factor, sum6)
        sum7 = multiplyAdd(load(source + 7 &* step), factor, sum7)
        source += 16
        weight += 16
      }
      line = next(line)
    }
    return (sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7)
  }

  /// Output pixels x..<x + 8 of stride 1: each pixel is loaded once a row, and passed on from sum to sum.
  @inline(__always)
  func eightNeighbors(_ x: Int) -> EightSums {
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    var (sum4, sum5, sum6, sum7) = (bias, bias, bias, bias)
    var (line, weight) = (line, weights)
    for _ in 0..<rows {
      var source = lines + (line &* lineFloats &+ x &* 16)
      var (pixel0, pixel1, pixel2, pixel3) = (
        load(source), load(source + 16), load(source + 32), load(source + 48)
      )
      var (pixel4, pixel5, pixel6) = (load(source + 64), load(source + 80), load(source + 96))
      for _ in 0..<kernel {
        let (factor, pixel7) = (load(weight), load(source + 112))
        sum0 = multiplyAdd(pixel0, factor, sum0)
        sum1 = multiplyAdd(pixel1, factor, sum1)
        sum2 = multiplyAdd(pixel2, factor, sum2)
        sum3 = multiplyAdd(pixel3, factor, sum3)
        sum4 = multiplyAdd(pixel4, factor, sum4)
        sum5 = multiplyAdd(pixel5, factor, sum5)
        sum6 = multiplyAdd(pixel6, factor, sum6)
        sum7 = multiplyAdd(pixel7, factor, sum7)
        (pixel0, pixel1, pixel2, pixel3) = (pixel1, pixel2, pixel3, pixel4)
        (pixel4, pixel5, pixel6) = (pixel5, pixel6, pixel7)
        source += 16
        weight += 16
      }
      line = next(line)
    }
    return (sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7)
  }

  /// The same of a kernel of three columns.
  @inline(__always)
  func eightOfThree(_ x: Int) -> EightSums {
    var (sum0, sum1, sum2, sum3) = (bias, bias, bias, bias)
    var (sum4, sum5, sum6, sum7) = (bias, bias, bias, bias)
    var (line, weight) = (line, weights)
    for _ in 0..<rows {
      let source = lines + (line &* lineFloats &+ x &* 16)
      let (left, middle, right) = (load(weight), load(weight + 16), load(weight + 32))
      @inline(__always) func pixel(_ index: Int) -> Vector { load(source + 16 &* index) }
      @inline(__always) func add(_ sum: Vector, _ a: Vector, _ b: Vector, _ c: Vector) -> Vector {
        multiplyAdd(c, right, multiplyAdd(b, middle, multiplyAdd(a, left, sum)))
      }
      let (pixel2, pixel3, pixel4, pixel5) = (pixel(2), pixel(3), pixel(4), pixel(5))
      sum0 = add(sum0, pixel(0), pixel(1), pixel2)
      sum1 = add(sum1, pixel(1), pixel2, pixel3)
      sum2 = add(sum2, pixel2, pixel3, pixel4)
      sum3 = add(sum3, pixel3, pixel4, pixel5)
      let (pixel6, pixel7) = (pixel(6), pixel(7))
      sum4 = add(sum4, pixel4, pixel5, pixel6)
      sum5 = add(sum5, pixel5, pixel6, pixel7)
      sum6 = add(sum6, pixel6, pixel7, pixel(8))
      sum7 = add(sum7, pixel7, pixel(8), pixel(9))
      weight += 48
      line = next(line)
    }
    return (sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7)
  }
}
