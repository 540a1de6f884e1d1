// How the input rows of a convolution lie in scratch memory, so that the windows of consecutive output pixels
// are equally far apart, over the ends of rows too: then any sixteen of them are the rows of one tile.
//
// With stride s the input rows are dealt out to s planes, row i to plane i mod s. In a plane the rows follow
// each other `pitch` pixels apart, a multiple of s, so that output pixel (y, x) is slot y * slots + x and its
// window starts s pixels per slot after the plane's start. After a row's pixels come zeros: the right padding
// of that row and the left padding of the next are the same zeros. The last slots of a row belong to no
// output pixel.

import NNKernelInterface

/// The inner dimension: `segments` of `steps` pieces of `step` numbers; weights beyond `length` are zero.
struct InnerDimension {
  /// Contiguous numbers: the channels of a window's row.
  var length: Int
  var step: Int
  var steps: Int

  /// Pieces without a rest if they aren't much smaller than a tile, else as few as possible.
  @inline(__always) init(_ shape: ConvolutionShape) {
    length = shape.kernelWidth &* shape.inChannels
    var candidate = 32
    while candidate >= 16, length % candidate != 0 { candidate &-= 2 }
    if candidate >= 16 {
      step = candidate
      steps = length / candidate
    } else {
      steps = (length &+ 31) / 32
      step = ((length &+ steps &- 1) / steps &+ 1) / 2 &* 2
    }
  }

  @inline(__always) var isExact: Bool { step &* steps == length }
  @inline(__always) var padded: Int { step &* steps }
}

struct WindowLayout {
  /// Slots of a row, and pixels from one row of a plane to the next.
  var slots, pitch: Int
  /// Numbers of a row, and of a plane.
  var line, plane: Int
  /// Zeros after the last row of a plane that windows may read.
  var tail: Int

  /// The layout of a chunk of `rows` output rows.
  @inline(__always) init(_ shape: ConvolutionShape, rows: Int) {
    let stride = shape.stride
    let used = max(
      shape.padding &+ shape.inWidth,
      stride &* (shape.outWidth &- 1) &+ shape.kernelWidth &- shape.padding)
    slots = max((used &+ stride &- 1) / stride, shape.outWidth)
    pitch = slots &* stride
    line = pitch &* shape.inChannels
    tail = shape.padding &* shape.inChannels &+ 64
    let lines = rows &- 1 &+ (shape.kernelHeight &+ stride &- 1) / stride
    // The last block of a chunk reads windows after its last slot.
    let beyond = blockRows &* stride &* shape.inChannels
    plane = (lines &* line &+ max(tail, beyond) &+ shape.kernelWidth &* shape.inChannels &+ 31) / 32 &* 32
  }
}
