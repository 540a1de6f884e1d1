// Depthwise 3x3 convolutions of stride 1 by strips: a pixel that is loaded is multiplied with the three positions of a row
// of the kernel at once, so that multiply-adds, not loads, take the time.

import NNKernelInterface

extension InstructionSet {
  @inline(__always) static var stripPixels: Int { 16 }

  @inline(__always)
  static func storeStrip(_ window: DepthwiseWindow, _ x: Int, _ sums: UnsafeMutablePointer<Float>) {
    for channel in stride(from: 0, to: 16, by: 4) {
      addStrip(window, 16 &* x &+ channel, channel, sums + channel)
    }
  }
}

/// Sixteen sums, a register each: four channels from `channel` on of sixteen pixels, which begin at `offset` in the copied rows.
@inline(never)
private func addStrip(
  _ window: DepthwiseWindow, _ offset: Int, _ channel: Int, _ sums: UnsafeMutablePointer<Float>
) {
  let bias = fourLanes(window.bias, channel)
  var (s0, s1, s2, s3, s4, s5, s6, s7) = (bias, bias, bias, bias, bias, bias, bias, bias)
  var (s8, s9, s10, s11, s12, s13, s14, s15) = (bias, bias, bias, bias, bias, bias, bias, bias)
  var weights = UnsafeRawPointer(window.weights + channel)
  var line = window.line
  for _ in 0..<window.rows {
    let source = UnsafeRawPointer(window.lines + (line &* window.lineFloats &+ offset))
    line = window.next(line)
    let left = loadQuad(weights, 0)
    let middle = loadQuad(weights, 64)
    let right = loadQuad(weights, 128)
    weights += 192
    let x0 = loadQuad(source, 0)
    add(x0, left, &s0)
    let x1 = loadQuad(source, 64)
    add(x1, middle, &s0)
    add(x1, left, &s1)
    let x2 = loadQuad(source, 128)
    add(x2, right, &s0)
    add(x2, middle, &s1)
    add(x2, left, &s2)
    let x3 = loadQuad(source, 192)
    add(x3, right, &s1)
    add(x3, middle, &s2)
    add(x3, left, &s3)
    let x4 = loadQuad(source, 256)
    add(x4, right, &s2)
    add(x4, middle, &s3)
    add(x4, left, &s4)
    let x5 = loadQuad(source, 320)
    add(x5, right, &s3)
    add(x5, middle, &s4)
    add(x5, left, &s5)
    let x6 = loadQuad(source, 384)
    add(x6, right, &s4)
    add(x6, middle, &s5)
    add(x6, left, &s6)
    let x7 = loadQuad(source, 448)
    add(x7, right, &s5)
    add(x7, middle, &s6)
    add(x7, left, &s7)
    let x8 = loadQuad(source, 512)
    add(x8, right, &s6)
    add(x8, middle, &s7)
    add(x8, left, &s8)
    let x9 = loadQuad(source, 576)
    add(x9, right, &s7)
    add(x9, middle, &s8)
    add(x9, left, &s9)
    let x10 = loadQuad(source, 640)
    add(x10, right, &s8)
    add(x10, middle, &s9)
    add(x10, left, &s10)
    let x11 = loadQuad(source, 704)
    add(x11, right, &s9)
    add(x11, middle, &s10)
    add(x11, left, &s11)
    let x12 = loadQuad(source, 768)
    add(x12, right, &s10)
    add(x12, middle, &s11)
    add(x12, left, &s12)
    let x13 = loadQuad(source, 832)
    add(x13, right, &s11)
    add(x13, middle, &s12)
    add(x13, left, &s13)
    let x14 = loadQuad(source, 896)
    add(x14, right, &s12)
    add(x14, middle, &s13)
    add(x14, left, &s14)
    let x15 = loadQuad(source, 960)
    add(x15, right, &s13)
    add(x15, middle, &s14)
    add(x15, left, &s15)
    let x16 = loadQuad(source, 1024)
    add(x16, right, &s14)
    add(x16, middle, &s15)
    let x17 = loadQuad(source, 1088)
    add(x17, right, &s15)
  }
  storeQuad(s0, sums, 0)
  storeQuad(s1, sums, 64)
  storeQuad(s2, sums, 128)
  storeQuad(s3, sums, 192)
  storeQuad(s4, sums, 256)
  storeQuad(s5, sums, 320)
  storeQuad(s6, sums, 384)
  storeQuad(s7, sums, 448)
  storeQuad(s8, sums, 512)
  storeQuad(s9, sums, 576)
  storeQuad(s10, sums, 640)
  storeQuad(s11, sums, 704)
  storeQuad(s12, sums, 768)
  storeQuad(s13, sums, 832)
  storeQuad(s14, sums, 896)
  storeQuad(s15, sums, 960)
}

@inline(__always)
private func add(_ a: Quad, _ b: Quad, _ sum: inout Quad) { sum = sum.addingProduct(a, b) }

@inline(__always)
private func fourLanes(_ vector: Vector, _ first: Int) -> Quad {
  switch first {
  case 0: vector.lowHalf.lowHalf
  case 4: vector.lowHalf.highHalf
  case 8: vector.highHalf.lowHalf
  default: vector.highHalf.highHalf
  }
}
