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

/// What a product of tiles and the way back to pixels work in: a part of the scratch memory of both kernels.
struct TileMemory {
  /// Output pixels of a tile's edge.
  @inline(__always) static var edge: Int { 4 }
  @inline(__always) private static var pixels: Int { edge * edge }
  @inline(__always) static var floats: Int {
    pixels * InstructionSet.panelWidth + 2 * (InstructionSet.tileRows + 2 * pixels)
  }

  /// The sums of a tile, (pixel, panel's channel).
  let sums: UnsafeMutablePointer<Float>
  /// The rows of a product; and where the pixels of a tile go and what is added to them.
  private let rows, residuals: UnsafeMutablePointer<UnsafePointer<Float>>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  @inline(__always)
  init(_ memory: UnsafeMutablePointer<Float>) {
    sums = memory
    rows = UnsafeMutableRawPointer(sums + Self.pixels * InstructionSet.panelWidth)
      .assumingMemoryBound(to: UnsafePointer<Float>.self)
    residuals = rows + InstructionSet.tileRows
    outputs = UnsafeMutableRawPointer(residuals + Self.pixels)
      .assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
  }

  /// output (count, columns) = left (count, channels) * panel (channels, columns), rows of left dense.
  @inline(__always)
  func multiply(
    _ left: UnsafePointer<Float>, count: Int, channels: Int, panel: UnsafePointer<Float>, columns: Int,
    output: UnsafeMutablePointer<Float>, outputStride: Int
  ) {
    let groups = (count + InstructionSet.tileRows - 1) / InstructionSet.tileRows
    for group in 0..<groups {
      let row = count * group / groups
      let height = count * (group + 1) / groups - row
      for r in 0..<height { rows[r] = left + (row + r) * channels }
      multiplyTile(
        (
          segments: 1, depth: channels, rows: UnsafePointer(rows), rowCapacity: InstructionSet.tileRows,
          columns: panel, columnStride: columns, output: output + row * outputStride,
          outputStride: outputStride, ahead: 0
        ),
        rows: height, columns: columns)
    }
  }

  /// Points at the existing pixels of the tile at (y, x), row by row, and at what is added to them; returns how many
  /// are in a row and in all.
  @inline(__always)
  func point(_ task: ConvolutionTask, _ y: Int, _ x: Int) -> (width: Int, count: Int) {
    let height = min(Self.edge, task.shape.outHeight - y)
    let width = min(Self.edge, task.shape.outWidth - x)
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

  /// Stores the sums of the panel from channel `first` as the `count` pixels that `point` found.
  @inline(__always)
  func store(_ task: ConvolutionTask, count: Int, first: Int, columns: Int) {
    storeTile(
      sums, rows: count, first: first, columns: min(columns, task.shape.outChannels - first), bias: task.bias,
      activation: task.activation, residuals: task.residual == nil ? nil : UnsafePointer(residuals),
      outputs: UnsafePointer(outputs))
  }
}
