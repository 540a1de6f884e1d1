// What Winograd convolutions of both strides share: windows at the edges, the pixels of a tile, gathered weights.

import CKernelShims
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

/// The square window of `edge` pixels at (top, left) as a map: in place, or, where it reaches over an edge of the
/// input, or is asked for as floats and is none, copied to `copy` (row, column, channel) as floats with zeros.
@inline(__always)
func windowOrCopy(
  _ task: ConvolutionTask, _ top: Int, _ left: Int, _ edge: Int, _ copy: UnsafeMutablePointer<Float>,
  asFloats: Bool = false
) -> MapPointer {
  let (shape, input) = (task.shape, task.input)
  let element = input.element
  let base = element.address(input.base, top * input.rowStride + left * input.pixelStride)
  let isInside = top >= 0 && left >= 0 && top + edge <= shape.inHeight && left + edge <= shape.inWidth
  if isInside, element == .float32 || !asFloats {
    return MapPointer(
      base: base.assumingMemoryBound(to: Float.self), pixelStride: input.pixelStride,
      rowStride: input.rowStride, element: element)
  }
  for row in 0..<edge {
    for column in 0..<edge {
      let pixel = copy + (row * edge + column) * shape.inChannels
      let isInside =
        top + row >= 0 && top + row < shape.inHeight && left + column >= 0 && left + column < shape.inWidth
      let source = base + (row * input.rowStride + column * input.pixelStride) * element.size
      for c in stride(from: 0, to: shape.inChannels, by: 16) {
        store(isInside ? load(source + c * element.size, element) : Vector(repeating: 0), pixel + c)
      }
    }
  }
  return MapPointer(base: copy, pixelStride: shape.inChannels, rowStride: edge * shape.inChannels)
}

/// The window of the tile behind the one at hand: what the two don't share is asked for while the first is transformed, as
/// the processor does not foresee many short pieces.
struct NextWindow {
  private let base: UnsafeRawPointer
  private let pixelStride, rowStride, elementSize: Int

  /// The window of `edge` pixels at (top, left), moved into the map where it reaches over its edges.
  @inline(__always)
  init(_ task: ConvolutionTask, _ top: Int, _ left: Int, _ edge: Int) {
    let (shape, input) = (task.shape, task.input)
    let row = max(0, min(top, shape.inHeight - edge))
    let column = max(0, min(left, shape.inWidth - edge))
    elementSize = input.element.size
    pixelStride = input.pixelStride &* elementSize
    rowStride = input.rowStride &* elementSize
    base = input.element.address(input.base, row * input.rowStride + column * input.pixelStride)
  }

  /// Brings sixteen channels from `channel` of the `edge` pixels of a column near.
  @inline(__always)
  func prefetch(_ channel: Int, column: Int, _ edge: Int) {
    let top = base + (channel &* elementSize &+ column &* pixelStride)
    for row in 0..<edge { ardf_prefetch_to_read(top + row &* rowStride) }
  }
}

extension ElementType {
  /// Bytes of an element.
  @inline(__always) var size: Int { self == .float32 ? 4 : 2 }

  /// The element `offset` behind `base`.
  @inline(__always)
  func address(_ base: UnsafePointer<Float>, _ offset: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(base) + offset &* size
  }
}

/// Sixteen elements as floats.
@inline(__always)
private func load(_ pointer: UnsafeRawPointer, _ element: ElementType) -> Vector {
  element == .float32 ? pointer.loadUnaligned(as: Vector.self) : ardf_widen(pointer)
}

/// What a product of tiles and the way back to pixels work in: a part of the scratch memory of both kernels.
struct TileMemory {
  /// Of tiles with so many output pixels at an edge.
  @inline(__always)
  static func floats(edge: Int) -> Int {
    edge * edge * InstructionSet.panelWidth + 2 * (InstructionSet.tileRows + 2 * edge * edge)
  }

  /// Output pixels of a tile's edge.
  let edge: Int

  /// The sums of a tile, (pixel, panel's channel).
  let sums: UnsafeMutablePointer<Float>
  /// The rows of a product; and where the pixels of a tile go and what is added to them.
  private let rows, residuals: UnsafeMutablePointer<UnsafePointer<Float>>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  @inline(__always)
  init(_ memory: UnsafeMutablePointer<Float>, edge: Int) {
    self.edge = edge
    sums = memory
    rows = UnsafeMutableRawPointer(sums + edge * edge * InstructionSet.panelWidth)
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

  /// Points at the existing pixels of the tile at (y, x), row by row, and at what is added to them; returns how many
  /// are in a row and in all.
  @inline(__always)
  func point(_ task: ConvolutionTask, _ y: Int, _ x: Int) -> (width: Int, count: Int) {
    let height = min(edge, task.shape.outHeight - y)
    let width = min(edge, task.shape.outWidth - x)
    for row in 0..<height {
      for column in 0..<width {
        let pixel = row * width + column
        let output = task.output.element.address(
          task.output.base, (y + row) * task.output.rowStride + (x + column) * task.output.pixelStride)
        outputs[pixel] = UnsafeMutableRawPointer(mutating: output).assumingMemoryBound(to: Float.self)
        if let residual = task.residual {
          residuals[pixel] = residual.element.address(
            residual.base, (y + row) * residual.rowStride + (x + column) * residual.pixelStride
          ).assumingMemoryBound(to: Float.self)
        }
      }
    }
    return (width, height * width)
  }

  /// Stores the sums of the panel from channel `first` as the `count` pixels that `point` found.
  @inline(__always)
  func store(_ task: ConvolutionTask, count: Int, first: Int, columns: Int) {
    let columns = min(columns, task.shape.outChannels - first)
    let residuals = task.residual == nil ? nil : UnsafePointer(residuals)
    let others = task.residual?.element ?? .float32
    if task.output.element == .float32, others == .float32 {
      storeTile(
        sums, rows: count, first: first, columns: columns, bias: task.bias, activation: task.activation,
        residuals: residuals, outputs: UnsafePointer(outputs))
    } else {
      storeReduced(task, others, residuals, count: count, first: first, columns: columns)
    }
  }

  /// As `storeTile`, for maps of other elements; `columns` is a multiple of 16.
  @inline(never)
  private func storeReduced(
    _ task: ConvolutionTask, _ others: ElementType, _ residuals: UnsafePointer<UnsafePointer<Float>>?,
    count: Int, first: Int, columns: Int
  ) {
    let bias = task.bias + first
    specialised(task.activation) { activation in
      for pixel in 0..<count {
        let output = UnsafeMutableRawPointer(outputs[pixel])
        for c in stride(from: 0, to: columns, by: 16) {
          let sum = load(sums + (pixel &* InstructionSet.panelWidth &+ c)) + load(bias + c)
          var x = activate(sum, activation)
          if let residuals {
            x += load(others.address(residuals[pixel], first &+ c), others)
          }
          if task.output.element == .float32 {
            output.storeBytes(of: x, toByteOffset: (first &+ c) &* 4, as: Vector.self)
          } else {
            ardf_narrow(output + (first &+ c) &* 2, x)
          }
        }
      }
    }
  }
}
