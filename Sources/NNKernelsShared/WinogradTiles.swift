// What Winograd convolutions of both strides share: windows at the edges, the pixels of a tile, gathered weights.

import NNKernelInterface

/// The 3x3 weights of one input channel for sixteen output channels from `first`, (position, output channel), times
/// the scale; zeros beyond the last.
@inline(__always)
func gatherTaps(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ filter: Int, _ scale: UnsafePointer<Float>?,
  _ first: Int, _ taps: UnsafeMutablePointer<Float>
) {
  for lane in 0..<16 {
    let out = first + lane
    let isUsed = out < shape.outChannels
    for position in 0..<9 {
      taps[position * 16 + lane] = isUsed ? weights[out * filter + position] * (scale?[out] ?? 1) : 0
    }
  }
}

/// The square window of `edge` pixels at (top, left), with its strides: in place, or, where it reaches over an edge,
/// copied to `copy` (row, column, channel) with zeros.
@inline(__always)
func windowOrCopy(
  _ task: ConvolutionTask, _ top: Int, _ left: Int, _ edge: Int, _ copy: UnsafeMutablePointer<Float>
) -> (base: UnsafePointer<Float>, rowStride: Int, pixelStride: Int) {
  let (shape, input) = (task.shape, task.input)
  let base = input.base + top * input.rowStride + left * input.pixelStride
  if top >= 0, left >= 0, top + edge <= shape.inHeight, left + edge <= shape.inWidth {
    return (base, input.rowStride, input.pixelStride)
  }
  for row in 0..<edge {
    for column in 0..<edge {
      let pixel = copy + (row * edge + column) * shape.inChannels
      let isInside =
        top + row >= 0 && top + row < shape.inHeight && left + column >= 0 && left + column < shape.inWidth
      let source = base + row * input.rowStride + column * input.pixelStride
      for c in stride(from: 0, to: shape.inChannels, by: 16) {
        store(isInside ? load(source + c) : Vector(repeating: 0), pixel + c)
      }
    }
  }
  return (UnsafePointer(copy), edge * shape.inChannels, shape.inChannels)
}

/// Points at the existing pixels of the tile at (y, x), row by row, and at what is added to them; returns how many
/// are in a row and in all.
@inline(__always)
func pointPixels(
  _ task: ConvolutionTask, _ edge: Int, _ y: Int, _ x: Int,
  _ outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>,
  _ residuals: UnsafeMutablePointer<UnsafePointer<Float>>
) -> (width: Int, count: Int) {
  let height = min(edge, task.shape.outHeight - y)
  let width = min(edge, task.shape.outWidth - x)
  for row in 0..<height {
    for column in 0..<width {
      let pixel = row * width + column
      outputs[pixel] =
        task.output.base + (y + row) * task.output.rowStride + (x + column) * task.output.pixelStride
      if let residual = task.residual {
        residuals[pixel] =
          residual.base + (y + row) * residual.rowStride + (x + column) * residual.pixelStride
      }
    }
  }
  return (width, height * width)
}
