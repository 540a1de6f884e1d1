// Products of the tiles of Winograd convolutions of both strides, and the pixels that they become.

import NNKernelInterface

/// Working memory for a product of tiles and the transform back to pixels: a part of the scratch memory of both
/// kernels.
struct TileMemory {
  /// Floats for tiles of `edge` x `edge` output pixels with so many channels.
  @inline(__always)
  static func floats(edge: Int, channels: Int) -> Int {
    edge * edge * (InstructionSet.panelWidth + channels) + 2 * (InstructionSet.tileRows + 2 * edge * edge)
  }

  /// Output pixels of a tile's edge.
  let edge: Int

  /// The sums of a tile, (pixel, panel's channel).
  let sums: UnsafeMutablePointer<Float>
  /// The pixels of a tile that is projected before it goes to memory, (pixel, channel).
  private let finished: UnsafeMutablePointer<Float>
  /// The rows of a product; and where the pixels of a tile go and what is added to them.
  private let rows, residuals: UnsafeMutablePointer<UnsafePointer<Float>>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  @inline(__always)
  init(_ memory: UnsafeMutablePointer<Float>, edge: Int, channels: Int) {
    self.edge = edge
    sums = memory
    finished = sums + edge * edge * InstructionSet.panelWidth
    rows = UnsafeMutableRawPointer(finished + edge * edge * channels)
      .assumingMemoryBound(to: UnsafePointer<Float>.self)
    residuals = rows + InstructionSet.tileRows
    outputs = UnsafeMutableRawPointer(residuals + edge * edge)
      .assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
  }

  /// output (count, columns) = left (count, channels) * panel (channels, columns), rows of left `leftStride` apart.
  @inline(__always)
  func multiply(
    _ left: UnsafePointer<Float>, count: Int, channels: Int, leftStride: Int, panel: UnsafePointer<Float>,
    columns: Int,
    output: UnsafeMutablePointer<Float>, outputStride: Int
  ) {
    let groups = (count + InstructionSet.tileRows - 1) / InstructionSet.tileRows
    for group in 0..<groups {
      let row = count * group / groups
      let height = count * (group + 1) / groups - row
      for r in 0..<height { rows[r] = left + (row + r) * leftStride }
      multiplyTile(
        (
          segments: 1, depth: channels, rows: UnsafePointer(rows), rowCapacity: InstructionSet.tileRows,
          columns: panel, columnStride: columns, output: output + row * outputStride,
          outputStride: outputStride, ahead: 0, streamsColumns: group == 0
        ),
        rows: height, columns: columns)
    }
  }

  /// Points at the existing pixels of the tile at (y, x), row by row, or where they wait to be projected, and at what is
  /// added to them; returns how many are in a row and in all, and whether anything is added.
  @inline(__always)
  func point(_ task: ConvolutionTask, _ y: Int, _ x: Int) -> (width: Int, count: Int, isAdded: Bool) {
    var isAdded = task.residual != nil
    let height = min(edge, task.shape.outHeight - y)
    let width = min(edge, task.shape.outWidth - x)
    for row in 0..<height {
      for column in 0..<width {
        let pixel = row * width + column
        outputs[pixel] =
          task.projection == nil
          ? task.output.base
            + ((y + row) * task.output.rowStride + (x + column) * task.output.pixelStride)
          : finished + pixel * paddedChannels(task.shape.outChannels)
        if let residual = task.residual {
          residuals[pixel] =
            residual.base + ((y + row) * residual.rowStride + (x + column) * residual.pixelStride)
        } else if let subpixel = task.subpixel {
          let sums = subpixel.sums(y + row, x + column, of: task.shape)
          residuals[pixel] = sums ?? task.zeros
          if sums != nil { isAdded = true }
        }
      }
    }
    return (width, height * width, isAdded)
  }

  /// Multiplies the finished pixels of the tile at (y, x) with the weights of a 1x1 convolution and stores what they become.
  @inline(never)
  func project(_ projection: ConvolutionTask, _ y: Int, _ x: Int, width: Int, count: Int) {
    let (shape, output) = (projection.shape, projection.output)
    let channels = paddedChannels(shape.inChannels)
    let groups = (count + InstructionSet.tileRows - 1) / InstructionSet.tileRows
    for pixel in 0..<count {
      let (row, column) = pixel.quotientAndRemainder(dividingBy: width)
      outputs[pixel] = output.base + ((y + row) * output.rowStride + (x + column) * output.pixelStride)
    }
    for first in stride(from: 0, to: shape.outChannels, by: InstructionSet.panelWidth) {
      let columns = panelColumns(shape.outChannels, first)
      for group in 0..<groups {
        let row = count * group / groups
        let height = count * (group + 1) / groups - row
        for r in 0..<height { rows[r] = UnsafePointer(finished + (row + r) * channels) }
        multiplyTile(
          (
            segments: 1, depth: shape.inChannels, rows: UnsafePointer(rows),
            rowCapacity: InstructionSet.tileRows, columns: projection.weights + first * shape.inChannels,
            columnStride: columns, output: sums, outputStride: InstructionSet.panelWidth, ahead: 0,
            streamsColumns: false
          ),
          rows: height, columns: columns)
        storeTile(
          (
            sums: UnsafePointer(sums), rows: height, first: first,
            columns: min(columns, shape.outChannels - first), bias: projection.bias, added: nil,
            joinsSums: false, outputs: UnsafePointer(outputs + row)
          ), projection.activation)
      }
    }
  }

  /// Stores the sums of the panel from channel `first` as the `count` pixels that `point` found, with what it found
  /// added.
  @inline(__always)
  func store(_ task: ConvolutionTask, count: Int, isAdded: Bool, first: Int, columns: Int) {
    let columns = min(columns, task.shape.outChannels - first)
    storeTile(
      (
        sums: UnsafePointer(sums), rows: count, first: first, columns: columns, bias: task.bias,
        added: isAdded ? UnsafePointer(residuals) : nil, joinsSums: task.joinsSums,
        outputs: UnsafePointer(outputs)
      ), task.activation)
  }
}
