// Winograd convolution F(4x4,3x3), stride 1, on channels-last maps (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): Y = A^T [ (G g G^T) * (B^T d B) ] A, the products of each of the 36
// frequencies being one matrix product over channels.
//
// Tiles are handled in blocks that stay in the second-level cache: transform the inputs of a block, multiply
// 36 times, transform back with bias, activation and residual. Channels are multiples of 16.
//
// Packed weights: (frequency, panel, input channel, output channel of the panel).

import NNKernelInterface

/// Output pixels of a tile's edge, and the input pixels that it needs.
private let tileEdge = 4
private let windowEdge = 6
private let frequencies = 36

func packedWinogradCount(_ shape: ConvolutionShape) -> Int {
  frequencies * shape.inChannels * paddedChannels(shape.outChannels)
}

/// G g along one axis, for the interpolation points 0, 1, -1, 2, -2 and infinity.
@inline(__always)
private func filterTransform(_ a: Vector, _ b: Vector, _ c: Vector) -> Window {
  let quarter = Vector(repeating: 0.25)
  let sixth = Vector(repeating: -1.0 / 6)
  let even = sixth * (a + c)
  let odd = sixth * b
  let low = Vector(repeating: 1.0 / 24) * a + Vector(repeating: 1.0 / 6) * c
  let high = Vector(repeating: 1.0 / 12) * b
  return Window(quarter * a, even + odd, even - odd, low + high, low - high, c)
}

func packWinograd(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>, _ begin: Int, _ end: Int
) {
  let filter = shape.inChannels * 9
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)
  for channel in begin..<end {
    var first = 0
    while first < shape.outChannels {
      let columns = panelColumns(shape.outChannels, first)
      for half in stride(from: 0, to: columns, by: 16) {
        /// Sixteen weights at one position of the kernel, zeros beyond the last output channel.
        func taps(_ position: Int) -> Vector {
          var vector = Vector(repeating: 0)
          for lane in 0..<16 where first + half + lane < shape.outChannels {
            let out = first + half + lane
            vector[lane] = weights[out * filter + channel * 9 + position] * (scale?[out] ?? 1)
          }
          return vector
        }
        let target = packed + first * shape.inChannels + channel * columns + half
        let left = filterTransform(taps(0), taps(3), taps(6))
        let middle = filterTransform(taps(1), taps(4), taps(7))
        let right = filterTransform(taps(2), taps(5), taps(8))
        for row in 0..<windowEdge {
          let line = filterTransform(left[row], middle[row], right[row])
          for column in 0..<windowEdge {
            store(line[column], target + (row * windowEdge + column) * frequencyStride)
          }
        }
      }
      first += InstructionSet.panelWidth
    }
  }
}

/// Six values along one axis of a window, sixteen channels each.
private struct Window {
  var a, b, c, d, e, f: Vector
  @inline(__always) init(_ a: Vector, _ b: Vector, _ c: Vector, _ d: Vector, _ e: Vector, _ f: Vector) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
  }
  @inline(__always) init(_ pointer: UnsafePointer<Float>, _ stride: Int) {
    a = load(pointer)
    b = load(pointer + stride)
    c = load(pointer + 2 * stride)
    d = load(pointer + 3 * stride)
    e = load(pointer + 4 * stride)
    f = load(pointer + 5 * stride)
  }
  subscript(index: Int) -> Vector {
    @inline(__always) get {
      switch index {
      case 0: a
      case 1: b
      case 2: c
      case 3: d
      case 4: e
      default: f
      }
    }
  }
}

/// B^T d along one axis.
@inline(__always)
private func inputTransform(_ w: Window) -> Window {
  let four = Vector(repeating: 4)
  let five = Vector(repeating: -5)
  let even = multiplyAdd(w.c, Vector(repeating: -4), w.e)
  let odd = multiplyAdd(w.b, Vector(repeating: -4), w.d)
  let difference = w.e - w.c
  let twice = Vector(repeating: 2) * (w.d - w.b)
  return Window(
    multiplyAdd(w.a, four, multiplyAdd(w.c, five, w.e)), even + odd, even - odd, difference + twice,
    difference - twice, multiplyAdd(w.b, four, multiplyAdd(w.d, five, w.f)))
}

/// Four outputs along one axis.
private struct Outputs {
  var a, b, c, d: Vector
}

/// A^T m along one axis.
@inline(__always)
private func outputTransform(_ m: Window) -> Outputs {
  let p = m.b + m.c
  let q = m.b - m.c
  let r = m.d + m.e
  let t = m.d - m.e
  return Outputs(
    a: m.a + p + r, b: multiplyAdd(Vector(repeating: 2), t, q), c: multiplyAdd(Vector(repeating: 4), r, p),
    d: multiplyAdd(Vector(repeating: 8), t, q) + m.f)
}

/// Tiles a block, so that the transformed inputs and products stay in the second-level cache.
@inline(__always)
private func blockTiles(_ shape: ConvolutionShape) -> Int {
  let cacheFloats = 320 * 1024
  let wanted = cacheFloats / (frequencies * (shape.inChannels + paddedChannels(shape.outChannels)))
  let step = InstructionSet.tileRows
  return min(max(wanted / step, 24 / step, 1), 96 / step) * step
}

func winogradScratch(_ shape: ConvolutionShape) -> Int {
  let tiles = blockTiles(shape)
  let channels = max(shape.inChannels, paddedChannels(shape.outChannels))
  return frequencies * tiles * (shape.inChannels + paddedChannels(shape.outChannels))
    + frequencies * channels + InstructionSet.tileRows * 2 + 64
}

func winograd(
  _ taskPointer: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int,
  _ lastPanel: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = taskPointer.pointee
  let shape = task.shape
  let firstColumn = firstPanel * InstructionSet.panelWidth
  let lastColumn = min(lastPanel * InstructionSet.panelWidth, paddedChannels(shape.outChannels))
  let outColumns = lastColumn - firstColumn
  let capacity = blockTiles(shape)
  let inputs = scratch
  let products = inputs + frequencies * capacity * shape.inChannels
  let corner = products + frequencies * capacity * paddedChannels(shape.outChannels)
  let cornerFloats = frequencies * max(shape.inChannels, paddedChannels(shape.outChannels))
  let rows = UnsafeMutableRawPointer(corner + cornerFloats)
    .assumingMemoryBound(to: UnsafePointer<Float>.self)
  let tilesAcross = (shape.outWidth + tileEdge - 1) / tileEdge
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let tile = from + i
      transformInput(
        task, tile / tilesAcross * tileEdge, tile % tilesAcross * tileEdge, inputs + i * shape.inChannels,
        capacity * shape.inChannels, corner)
    }
    let groups = (count + InstructionSet.tileRows - 1) / InstructionSet.tileRows
    for frequency in 0..<frequencies {
      let left = inputs + frequency * capacity * shape.inChannels
      let right = task.weights + frequency * frequencyStride
      let output = products + frequency * capacity * outColumns
      for panel in firstPanel..<lastPanel {
        let first = panel * InstructionSet.panelWidth
        let columns = panelColumns(shape.outChannels, first)
        for group in 0..<groups {
          let row = count * group / groups
          let height = count * (group + 1) / groups - row
          for r in 0..<height { rows[r] = UnsafePointer(left + (row + r) * shape.inChannels) }
          multiplyTile(
            (
              segments: 1, depth: shape.inChannels, rows: UnsafePointer(rows),
              rowCapacity: InstructionSet.tileRows,
              columns: right + first * shape.inChannels, columnStride: columns,
              output: output + row * outColumns + first - firstColumn, outputStride: outColumns
            ),
            rows: height, columns: columns)
        }
      }
    }
    for i in 0..<count {
      let tile = from + i
      transformOutput(
        task, tile / tilesAcross * tileEdge, tile % tilesAcross * tileEdge, products + i * outColumns,
        capacity * outColumns, firstColumn, min(lastColumn, shape.outChannels), corner)
    }
  }
}

/// Transforms the window of the tile whose first output pixel is (y, x) into `target`, frequencies
/// `frequencyStride` apart.
///
/// Windows that reach over an edge are copied to `corner` first, with zeros.
@inline(never)
private func transformInput(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ target: UnsafeMutablePointer<Float>, _ frequencyStride: Int,
  _ corner: UnsafeMutablePointer<Float>
) {
  let shape = task.shape
  let channels = shape.inChannels
  let top = y - shape.padding
  let left = x - shape.padding
  var base = task.input.base + top * task.input.rowStride + left * task.input.pixelStride
  var rowStride = task.input.rowStride
  var pixelStride = task.input.pixelStride
  if top < 0 || left < 0 || top + windowEdge > shape.inHeight || left + windowEdge > shape.inWidth {
    for row in 0..<windowEdge {
      for column in 0..<windowEdge {
        let pixel = corner + (row * windowEdge + column) * channels
        let inside =
          top + row >= 0 && top + row < shape.inHeight && left + column >= 0 && left + column < shape.inWidth
        let source = base + row * rowStride + column * pixelStride
        var c = 0
        while c < channels {
          store(inside ? load(source + c) : Vector(repeating: 0), pixel + c)
          c += 16
        }
      }
    }
    base = UnsafePointer(corner)
    rowStride = windowEdge * channels
    pixelStride = channels
  }
  var c = 0
  while c < channels {
    let source = base + c
    let c0 = inputTransform(Window(source, rowStride))
    let c1 = inputTransform(Window(source + pixelStride, rowStride))
    let c2 = inputTransform(Window(source + 2 * pixelStride, rowStride))
    let c3 = inputTransform(Window(source + 3 * pixelStride, rowStride))
    let c4 = inputTransform(Window(source + 4 * pixelStride, rowStride))
    let c5 = inputTransform(Window(source + 5 * pixelStride, rowStride))
    let out = target + c
    storeLine(inputTransform(Window(c0.a, c1.a, c2.a, c3.a, c4.a, c5.a)), out, frequencyStride)
    storeLine(
      inputTransform(Window(c0.b, c1.b, c2.b, c3.b, c4.b, c5.b)), out + 6 * frequencyStride, frequencyStride)
    storeLine(
      inputTransform(Window(c0.c, c1.c, c2.c, c3.c, c4.c, c5.c)), out + 12 * frequencyStride, frequencyStride)
    storeLine(
      inputTransform(Window(c0.d, c1.d, c2.d, c3.d, c4.d, c5.d)), out + 18 * frequencyStride, frequencyStride)
    storeLine(
      inputTransform(Window(c0.e, c1.e, c2.e, c3.e, c4.e, c5.e)), out + 24 * frequencyStride, frequencyStride)
    storeLine(
      inputTransform(Window(c0.f, c1.f, c2.f, c3.f, c4.f, c5.f)), out + 30 * frequencyStride, frequencyStride)
    c += 16
  }
}

@inline(__always)
private func storeLine(_ w: Window, _ pointer: UnsafeMutablePointer<Float>, _ stride: Int) {
  store(w.a, pointer)
  store(w.b, pointer + stride)
  store(w.c, pointer + 2 * stride)
  store(w.d, pointer + 3 * stride)
  store(w.e, pointer + 4 * stride)
  store(w.f, pointer + 5 * stride)
}

/// Transforms the products of one tile back into the 4x4 pixels at (y, x), channels `first..<last`.
///
/// Tiles that reach over the lower or right edge go through `corner`.
@inline(never)
private func transformOutput(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ products: UnsafePointer<Float>, _ frequencyStride: Int,
  _ first: Int, _ last: Int, _ corner: UnsafeMutablePointer<Float>
) {
  let height = min(tileEdge, task.shape.outHeight - y)
  let width = min(tileEdge, task.shape.outWidth - x)
  let output = task.output.base + y * task.output.rowStride + x * task.output.pixelStride
  let residual = task.residual.map { $0.base + y * $0.rowStride + x * $0.pixelStride }
  let residualStrides = (task.residual?.rowStride ?? 0, task.residual?.pixelStride ?? 0)
  let whole = height == tileEdge && width == tileEdge
  specialised(task.activation) { activation in
    var c = first
    while c < last {
      let bias = load(task.bias + c)
      let source = products + c - first
      let step = 6 * frequencyStride
      let c0 = outputTransform(Window(source, step))
      let c1 = outputTransform(Window(source + frequencyStride, step))
      let c2 = outputTransform(Window(source + 2 * frequencyStride, step))
      let c3 = outputTransform(Window(source + 3 * frequencyStride, step))
      let c4 = outputTransform(Window(source + 4 * frequencyStride, step))
      let c5 = outputTransform(Window(source + 5 * frequencyStride, step))
      let rows = (
        outputTransform(Window(c0.a, c1.a, c2.a, c3.a, c4.a, c5.a)),
        outputTransform(Window(c0.b, c1.b, c2.b, c3.b, c4.b, c5.b)),
        outputTransform(Window(c0.c, c1.c, c2.c, c3.c, c4.c, c5.c)),
        outputTransform(Window(c0.d, c1.d, c2.d, c3.d, c4.d, c5.d))
      )
      if whole {
        let pixels = task.output.pixelStride
        let lines = task.output.rowStride
        let out = output + c
        finishLine(
          rows.0, bias, activation, residual.map { $0 + c }, residualStrides.1, out, pixels)
        finishLine(
          rows.1, bias, activation, residual.map { $0 + c + residualStrides.0 }, residualStrides.1,
          out + lines, pixels)
        finishLine(
          rows.2, bias, activation, residual.map { $0 + c + 2 * residualStrides.0 }, residualStrides.1,
          out + 2 * lines, pixels)
        finishLine(
          rows.3, bias, activation, residual.map { $0 + c + 3 * residualStrides.0 }, residualStrides.1,
          out + 3 * lines, pixels)
      } else {
        finishLine(rows.0, bias, activation, nil, 0, corner, 16)
        finishLine(rows.1, bias, activation, nil, 0, corner + 64, 16)
        finishLine(rows.2, bias, activation, nil, 0, corner + 128, 16)
        finishLine(rows.3, bias, activation, nil, 0, corner + 192, 16)
        for row in 0..<height {
          for column in 0..<width {
            var value = load(corner + (row * tileEdge + column) * 16)
            if let residual {
              value += load(residual + row * residualStrides.0 + column * residualStrides.1 + c)
            }
            store(value, output + row * task.output.rowStride + column * task.output.pixelStride + c)
          }
        }
      }
      c += 16
    }
  }
}

@inline(__always)
private func finishLine(
  _ line: Outputs, _ bias: Vector, _ activation: Activation, _ residual: UnsafePointer<Float>?,
  _ residualStride: Int, _ output: UnsafeMutablePointer<Float>, _ stride: Int
) {
  var a = activate(line.a + bias, activation)
  var b = activate(line.b + bias, activation)
  var c = activate(line.c + bias, activation)
  var d = activate(line.d + bias, activation)
  if let residual {
    a += load(residual)
    b += load(residual + residualStride)
    c += load(residual + 2 * residualStride)
    d += load(residual + 3 * residualStride)
  }
  store(a, output)
  store(b, output + stride)
  store(c, output + 2 * stride)
  store(d, output + 3 * stride)
}
