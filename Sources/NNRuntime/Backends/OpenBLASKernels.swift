// The OpenBLAS backend as a table of kernels: convolution is im2col and a matrix product, attention two
// matrix products a block of queries, everything else a plain loop.
//
// A product's rounding may depend on its size, so products are cut at fixed multiples: blocks of pixels,
// tiles and queries counted from zero. Whoever shares out the work cuts pixels at multiples of `tileRows`.

import NNKernelInterface

/// The kernels of the OpenBLAS backend.
package func openBLASKernels() throws -> KernelTable {
  let blas = try OpenBLASLibrary.shared()
  return unsafe KernelTable(
    name: "openblas", panelWidth: OpenBLASKernels.panelWidth, tileRows: OpenBLASKernels.block,
    direct: ConvolutionKernels(
      packedCount: { OpenBLASKernels.weightCount($0) },
      pack: { unsafe OpenBLASKernels.pack($0, $1, $2, $3, 0..<$0.inChannels) },
      convolution: { task, begin, end, first, last, scratch in
        if first == 0, last > 0 { unsafe OpenBLASKernels.convolution(blas, task, begin, end, scratch) }
      },
      scratch: { OpenBLASKernels.convolutionScratch($0) }),
    strassen: OpenBLASKernels.strassen(blas),
    smallWinograd: OpenBLASKernels.winograd(blas, .four), largeWinograd: OpenBLASKernels.winograd(blas, .six),
    depthwise: { unsafe PlainKernels.depthwise($0, $1, $2) },
    maxPool: { unsafe PlainKernels.maxPool($0, $1, $2) },
    resize: { unsafe PlainKernels.resize($0, $1, $2, $3) }, resizeScratch: { _ in 0 },
    layerNorm: { unsafe PlainKernels.layerNorm($0, $1, $2) },
    softmax: { unsafe PlainKernels.softmax($0, $1, $2) },
    elementwise: { unsafe PlainKernels.elementwise($0, $1, $2) },
    attention: { unsafe OpenBLASKernels.attention(blas, $0, $1, $2, $3) },
    attentionItems: { unsafe $0.pointee.heads * OpenBLASKernels.queryBlocks($0.pointee) },
    attentionScratch: { unsafe OpenBLASKernels.block * $0.pointee.tokens })
}

/// The kernels that OpenBLAS itself chose for this CPU, such as `SkylakeX`.
package func openBLASCoreName() throws -> String { try OpenBLASLibrary.shared().coreName }

private enum OpenBLASKernels {
  /// One panel holds all output channels of any layer.
  static let panelWidth = 1 << 20
  /// Rows of one product: output pixels or queries.
  static let block = 256
  /// The same product, cut as Strassen's pairs of blocks are.
  static func strassen(_ blas: OpenBLASLibrary) -> ConvolutionKernels {
    unsafe ConvolutionKernels(
      packedCount: { weightCount($0) }, pack: { unsafe pack($0, $1, $2, $3, 0..<$0.inChannels) },
      convolution: { task, begin, end, first, last, scratch in
        guard first == 0, last > 0 else { return }
        let shape = unsafe task.pointee.shape
        for pair in begin..<end {
          let rows = shape.pixels(ofPairs: pair..<pair + 1, block)
          unsafe product(blas, task.pointee, rows, scratch, scratch + 2 * block * depth(shape))
          unsafe finish(task.pointee, rows, from: rows.lowerBound, scratch + 2 * block * depth(shape))
        }
      },
      scratch: { 2 * convolutionScratch($0) })
  }

  /// The same product, cut as Winograd's tiles are.
  static func winograd(_ blas: OpenBLASLibrary, _ tile: WinogradTile) -> ConvolutionKernels {
    unsafe ConvolutionKernels(
      packedCount: { weightCount($0) }, pack: { unsafe pack($0, $1, $2, $3, 0..<$0.inChannels) },
      convolution: { task, begin, end, first, last, scratch in
        if first == 0, last > 0 { unsafe tiles(blas, task, tile.edge, begin, end, scratch) }
      },
      scratch: { convolutionScratch($0) })
  }

  static func depth(_ shape: ConvolutionShape) -> Int {
    shape.kernelHeight * shape.kernelWidth * shape.inChannels
  }

  static func weightCount(_ shape: ConvolutionShape) -> Int { depth(shape) * shape.outChannels }

  /// The im2col rows of a block, and its sums.
  static func convolutionScratch(_ shape: ConvolutionShape) -> Int {
    block * (depth(shape) + shape.outChannels)
  }

  /// (kernel row, kernel column, input channel, output channel), input channels `channels` only.
  static func pack(
    _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
    _ packed: UnsafeMutablePointer<Float>, _ channels: Range<Int>
  ) {
    let positions = shape.kernelHeight * shape.kernelWidth
    for out in 0..<shape.outChannels {
      let factor = unsafe scale?[out] ?? 1
      for channel in channels {
        let source = unsafe weights + (out * shape.inChannels + channel) * positions
        for position in 0..<positions {
          let row = position * shape.inChannels + channel
          unsafe packed[row * shape.outChannels + out] = source[position] * factor
        }
      }
    }
  }

  /// Output pixels `begin..<end`, in blocks of `block` pixels.
  static func convolution(
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int,
    _ scratch: UnsafeMutablePointer<Float>
  ) {
    let task = unsafe task.pointee
    let shape = task.shape
    let depth = depth(shape)
    let sums = unsafe scratch + block * depth
    var first = begin / block * block
    while first < end {
      let last = min(first + block, shape.outHeight * shape.outWidth)
      unsafe product(blas, task, first..<last, scratch, sums)
      unsafe finish(task, max(first, begin)..<min(last, end), from: first, sums)
      first += block
    }
  }

  /// The sums of output pixels `rows`; `gathered` holds their windows.
  static func product(
    _ blas: OpenBLASLibrary, _ task: ConvolutionTask, _ rows: Range<Int>,
    _ gathered: UnsafeMutablePointer<Float>, _ sums: UnsafeMutablePointer<Float>
  ) {
    let shape = task.shape
    let depth = depth(shape)
    if readsInPlace(task) {
      unsafe blas.multiply(
        rows: rows.count, columns: shape.outChannels, depth: depth,
        task.input.base + rows.lowerBound * task.input.pixelStride, stride: task.input.pixelStride,
        task.weights, stride: shape.outChannels, into: sums, stride: shape.outChannels)
    } else {
      for pixel in rows {
        unsafe gather(
          task, pixel / shape.outWidth, pixel % shape.outWidth,
          gathered + (pixel - rows.lowerBound) * depth)
      }
      unsafe blas.multiply(
        rows: rows.count, columns: shape.outChannels, depth: depth, gathered, stride: depth, task.weights,
        stride: shape.outChannels, into: sums, stride: shape.outChannels)
    }
  }

  /// Bias, activation, residual and store of output pixels `rows`; `sums` begins with pixel `first`.
  static func finish(
    _ task: ConvolutionTask, _ rows: Range<Int>, from first: Int, _ sums: UnsafePointer<Float>
  ) {
    let shape = task.shape
    for pixel in rows {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: shape.outWidth)
      unsafe finish(task, y, x, sums + (pixel - first) * shape.outChannels, into: task.output.pixel(y, x))
    }
  }

  /// Output tiles `begin..<end` of 4x4 pixels, in blocks of `block` pixels.
  static func tiles(
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<ConvolutionTask>, _ tileEdge: Int, _ begin: Int,
    _ end: Int,
    _ scratch: UnsafeMutablePointer<Float>
  ) {
    let task = unsafe task.pointee
    let shape = task.shape
    let depth = depth(shape)
    let sums = unsafe scratch + block * depth
    let tilePixels = tileEdge * tileEdge
    let tilesAcross = (shape.outWidth + tileEdge - 1) / tileEdge
    let tilesInAll = tilesAcross * ((shape.outHeight + tileEdge - 1) / tileEdge)
    let together = block / tilePixels
    var first = begin / together * together
    while first < end {
      let rows = (min(first + together, tilesInAll) - first) * tilePixels
      /// The output pixel of a row of the product; it may lie beyond the map.
      func pixel(_ row: Int) -> (y: Int, x: Int) {
        let (tile, inside) = (first + row / tilePixels, row % tilePixels)
        return (
          tile / tilesAcross * tileEdge + inside / tileEdge, tile % tilesAcross * tileEdge + inside % tileEdge
        )
      }
      for row in 0..<rows {
        let (y, x) = pixel(row)
        unsafe gather(task, y, x, scratch + row * depth)
      }
      unsafe blas.multiply(
        rows: rows, columns: shape.outChannels, depth: depth, scratch, stride: depth, task.weights,
        stride: shape.outChannels, into: sums, stride: shape.outChannels)
      /// Finishes rows of sums that are pixels of the map.
      func finish(
        _ task: ConvolutionTask, _ rows: Range<Int>, _ sums: UnsafeMutablePointer<Float>,
        inPlace: Bool = false
      ) {
        for row in rows {
          let (y, x) = pixel(row)
          guard y < shape.outHeight && x < shape.outWidth else { continue }
          let source = unsafe sums + row * task.shape.outChannels
          unsafe Self.finish(task, y, x, source, into: inPlace ? source : task.output.pixel(y, x))
        }
      }
      let wanted = max(0, begin - first) * tilePixels..<min(rows, (end - first) * tilePixels)
      if let projection = unsafe task.projection?.pointee {
        // All rows of the block, however it is shared: the library's sums depend on how many there are. The windows make
        // room for the result, which has at most 64 channels, and they nine times sixteen or more.
        unsafe finish(task, 0..<rows, sums, inPlace: true)
        unsafe blas.multiply(
          rows: rows, columns: projection.shape.outChannels, depth: shape.outChannels, sums,
          stride: shape.outChannels, projection.weights, stride: projection.shape.outChannels, into: scratch,
          stride: projection.shape.outChannels)
        unsafe finish(projection, wanted, scratch)
      } else {
        unsafe finish(task, wanted, sums)
      }
      first += together
    }
  }

  /// Whether the input pixels are the rows of a matrix already.
  static func readsInPlace(_ task: ConvolutionTask) -> Bool {
    let shape = task.shape
    return shape.kernelHeight == 1 && shape.kernelWidth == 1 && shape.stride == 1 && shape.padding == 0
      && task.input.rowStride == task.input.pixelStride * shape.inWidth && task.normalisation == nil
  }

  /// One row of the im2col matrix: the window of output pixel (y, x), zeros beyond the input.
  static func gather(_ task: ConvolutionTask, _ y: Int, _ x: Int, _ row: UnsafeMutablePointer<Float>) {
    let shape = task.shape
    var target = unsafe row
    for kernelRow in 0..<shape.kernelHeight {
      let inY = y * shape.stride - shape.padding + (task.subpixel?.row ?? 0) + kernelRow
      for kernelColumn in 0..<shape.kernelWidth {
        let inX = x * shape.stride - shape.padding + (task.subpixel?.column ?? 0) + kernelColumn
        if inY >= 0 && inY < shape.inHeight && inX >= 0 && inX < shape.inWidth {
          if let enlargement = task.enlargement {
            for channel in 0..<shape.inChannels {
              unsafe target[channel] = PlainKernels.resampled(task.input, enlargement, inY, inX, channel)
            }
          } else if let normalisation = task.normalisation {
            unsafe PlainKernels.normalise(
              normalisation, shape.inChannels, task.input.pixel(inY, inX), target)
          } else {
            unsafe target.update(from: task.input.pixel(inY, inX), count: shape.inChannels)
          }
        } else {
          unsafe target.update(repeating: 0, count: shape.inChannels)
        }
        unsafe target += shape.inChannels
      }
    }
  }

  /// Bias, activation and residual of one output pixel; `output` may be `sums` itself.
  static func finish(
    _ task: ConvolutionTask, _ y: Int, _ x: Int, _ sums: UnsafePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    let residual = unsafe task.residual.map { unsafe $0.pixel(y, x) }
    let edge = unsafe task.subpixel?.sums(y, x, of: task.shape)
    let addend = unsafe edge ?? task.addend?.sums(ofPixel: y * task.shape.outWidth + x)
    for channel in 0..<task.shape.outChannels {
      let sum = unsafe sums[channel] + (addend?[channel] ?? 0)
      let value = unsafe PlainKernels.activate(sum + task.bias[channel], task.activation)
      unsafe output[channel] = value + (residual?[channel] ?? 0)
    }
  }

  static func queryBlocks(_ task: AttentionTask) -> Int { (task.tokens + block - 1) / block }

  /// Blocks of queries against all keys of their head.
  static func attention(
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<AttentionTask>, _ begin: Int, _ end: Int,
    _ scores: UnsafeMutablePointer<Float>
  ) {
    let task = unsafe task.pointee
    let (tokens, blocks) = (task.tokens, queryBlocks(task))
    for item in begin..<end {
      let (head, first) = (item / blocks, item % blocks * block)
      let rows = min(block, tokens - first)
      unsafe blas.multiply(
        rows: rows, columns: tokens, depth: task.keyWidth,
        task.query + head * task.queryHeadStride + first * task.tokenStride, stride: task.tokenStride,
        task.key + head * task.keyHeadStride, stride: task.tokenStride, transposed: true, into: scores,
        stride: tokens)
      for row in 0..<rows {
        unsafe PlainKernels.softmaxRow(
          scores + row * tokens, scores + row * tokens, count: tokens, scale: task.scale)
      }
      unsafe blas.multiply(
        rows: rows, columns: task.valueWidth, depth: tokens, scores, stride: tokens,
        task.value + head * task.valueHeadStride, stride: task.tokenStride,
        into: task.output + head * task.outputHeadStride + first * task.outputTokenStride,
        stride: task.outputTokenStride)
    }
  }
}
