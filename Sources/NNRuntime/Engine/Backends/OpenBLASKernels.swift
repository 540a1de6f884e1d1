// The OpenBLAS backend as a catalogue of kernels: convolution is im2col and a matrix product, attention two
// matrix products a block of queries, everything else a plain loop.
//
// A product's rounding may depend on its size, so products are cut at fixed multiples: blocks of pixels,
// tiles and queries counted from zero. Whoever shares out the work cuts pixels at multiples of `tileRows`.

import NNKernelInterface

/// The kernels of the OpenBLAS backend.
package func openBLASCatalogue() throws(OpenBLASError) -> KernelCatalogue {
  let blas = try OpenBLASLibrary.shared()
  var catalogue = KernelCatalogue("openblas")
  /// Adds a kernel of the same domain as a native one, computed by OpenBLAS products of gathered inputs.
  func add(
    _ name: String, _ algorithm: Algorithm, of domain: ConvolutionDomain,
    prologues: ConvolutionKernel.Prologues = .none, epilogues: ConvolutionKernel.Epilogues,
    items: ConvolutionKernel.Items, tolerance: KernelTolerance,
    _ run: @escaping @Sendable (UnsafePointer<ConvolutionTask>, Share) -> Void
  ) {
    unsafe catalogue.add(
      name, algorithm, of: domain, products: .float32, maps: .float32, prologues: prologues,
      epilogues: epilogues, items: items,
      block: ConvolutionKernel.Block(rows: OpenBLASKernels.block, columns: OpenBLASKernels.panelWidth),
      tolerance: tolerance, by: .baseline, packedCount: { OpenBLASKernels.weightCount($0) },
      pack: { unsafe OpenBLASKernels.pack($0, $1, $2, $3) },
      scratch: { shape, _ in OpenBLASKernels.convolutionScratch(shape) * (items == .strassenPairs ? 2 : 1) },
      run: { task, share in
        // One panel holds all output channels.
        if share.panels.contains(0) { unsafe run(task, share) }
      })
  }
  @Sendable func pixels(_ task: UnsafePointer<ConvolutionTask>, _ share: Share) {
    unsafe OpenBLASKernels.convolution(blas, task, share)
  }
  @Sendable func tiles(_ task: UnsafePointer<ConvolutionTask>, _ share: Share, edge: Int) {
    unsafe OpenBLASKernels.tiles(blas, task, edge, share)
  }
  unsafe add(
    "gemm-f32", .gemm, of: .pixels, prologues: .pixelwise, epilogues: .sums, items: .pixels,
    tolerance: .product, pixels)
  unsafe add(
    "strassen-f32", .strassen, of: .halvedChannels, prologues: .normalize, epilogues: .sums,
    items: .strassenPairs,
    tolerance: .strassen
  ) { unsafe OpenBLASKernels.pairs(blas, $0, $1) }
  unsafe add(
    "direct-f32", .direct, of: .areas, epilogues: .residual, items: .pixels, tolerance: .product, pixels)
  for stride in 1...2 {
    unsafe add(
      stride == 1 ? "winograd-f4x4-f32" : "winograd-f4x4-strided-f32", .winograd4x4,
      of: .squares(stride: stride),
      prologues: stride == 1 ? .enlarge : .none, epilogues: stride == 1 ? .residualOrProject : .residual,
      items: .tiles(.four), tolerance: .winograd
    ) { unsafe tiles($0, $1, edge: 4) }
  }
  unsafe add(
    "winograd-f4x4-subpixel-f32", .winograd4x4, of: .subpixels, epilogues: .project, items: .tiles(.four),
    tolerance: .winograd
  ) { unsafe tiles($0, $1, edge: 4) }
  unsafe add(
    "winograd-f6x6-f32", .winograd6x6, of: .squares(stride: 1), prologues: .enlarge,
    epilogues: .residualOrProject,
    items: .tiles(.six), tolerance: .winograd
  ) { unsafe tiles($0, $1, edge: 6) }
  unsafe catalogue.add(
    "attention-f32", of: AttentionTask.self, products: .float32, maps: .float32,
    together: OpenBLASKernels.block, tolerance: .attention, by: .baseline,
    scratch: { unsafe OpenBLASKernels.block * $0.pointee.keyTokens },
    run: { unsafe OpenBLASKernels.attention(blas, $0, $1) })
  catalogue.complete(by: .plain(named: catalogue.name))
  return catalogue
}

/// The kernels that OpenBLAS itself chose for this CPU, such as `SkylakeX`.
package func openBLASCoreName() throws(OpenBLASError) -> String { try OpenBLASLibrary.shared().coreName }

private enum OpenBLASKernels {
  /// One panel holds all output channels of any layer.
  static let panelWidth = 1 << 20
  /// Rows of one product: output pixels or queries.
  static let block = 256
  /// The same product, cut as Strassen's pairs of blocks are.
  static func pairs(_ blas: OpenBLASLibrary, _ task: UnsafePointer<ConvolutionTask>, _ share: Share) {
    let shape = unsafe task.pointee.shape
    let sums = unsafe share.scratch + 2 * block * depth(shape)
    for pair in share.items {
      let rows = shape.pixels(ofPairs: pair..<pair + 1, block)
      unsafe product(blas, task.pointee, rows, share.scratch, sums)
      unsafe finish(task.pointee, rows, from: rows.lowerBound, sums)
    }
  }

  static func depth(_ shape: ConvolutionShape) -> Int {
    shape.kernelHeight * shape.kernelWidth * shape.inChannels
  }

  static func weightCount(_ shape: ConvolutionShape) -> Int { depth(shape) * shape.outChannels }

  /// The im2col rows of a block, and its sums.
  static func convolutionScratch(_ shape: ConvolutionShape) -> Int {
    block * (depth(shape) + shape.outChannels)
  }

  /// (kernel row, kernel column, input channel, output channel).
  static func pack(
    _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
    _ packed: UnsafeMutablePointer<Float>
  ) {
    let positions = shape.kernelHeight * shape.kernelWidth
    for out in 0..<shape.outChannels {
      let factor = unsafe scale?[out] ?? 1
      for channel in 0..<shape.inChannels {
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
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<ConvolutionTask>, _ share: Share
  ) {
    let (begin, end, scratch) = unsafe (share.items.lowerBound, share.items.upperBound, share.scratch)
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
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<ConvolutionTask>, _ tileEdge: Int, _ share: Share
  ) {
    let (begin, end, scratch) = unsafe (share.items.lowerBound, share.items.upperBound, share.scratch)
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
    return unsafe shape.kernelHeight == 1 && shape.kernelWidth == 1 && shape.stride == 1 && shape.padding == 0
      && task.input.rowStride == task.input.pixelStride * shape.inWidth && task.normalization == nil
      && task.factors == nil
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
          } else if let normalization = task.normalization {
            unsafe PlainKernels.normalize(
              normalization, shape.inChannels, task.input.pixel(inY, inX), target)
          } else if let factors = unsafe task.factors {
            let pixel = unsafe task.input.pixel(inY, inX)
            for channel in 0..<shape.inChannels { unsafe target[channel] = pixel[channel] * factors[channel] }
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
    let part = unsafe edge ?? task.addend?.sums(ofPixel: y * task.shape.outWidth + x)
    let before = unsafe task.joinsSums ? part ?? residual : nil
    let after = unsafe task.joinsSums ? nil : residual
    for channel in 0..<task.shape.outChannels {
      let sum = unsafe sums[channel] + (before?[channel] ?? 0)
      let value = unsafe PlainKernels.activate(sum + task.bias[channel], task.activation)
      unsafe output[channel] = value + (after?[channel] ?? 0)
    }
  }

  static func queryBlocks(_ task: AttentionTask) -> Int { (task.tokens + block - 1) / block }

  /// Blocks of queries against all keys of their head.
  static func attention(
    _ blas: OpenBLASLibrary, _ task: UnsafePointer<AttentionTask>, _ share: Share
  ) {
    let scores = unsafe share.scratch
    let task = unsafe task.pointee
    let (keys, blocks) = (task.keyTokens, queryBlocks(task))
    for item in share.items {
      let (place, first) = (item / blocks, item % blocks * block)
      let (group, head) = (place / task.heads, place % task.heads)
      let rows = min(block, task.tokens - first)
      unsafe blas.multiply(
        rows: rows, columns: keys, depth: task.keyWidth,
        task.query + group * task.queryGroupStride + head * task.queryHeadStride + first * task.tokenStride,
        stride: task.tokenStride, task.key + group * task.keyGroupStride + head * task.keyHeadStride,
        stride: task.keyTokenStride, transposed: true, into: scores, stride: keys)
      let addends = unsafe task.addends.map {
        unsafe $0 + group * task.addendGroupStride + head * task.addendHeadStride + first
      }
      for row in 0..<rows {
        let line = unsafe scores + row * keys
        if let addends = unsafe addends {
          for key in 0..<keys {
            unsafe line[key] = line[key] * task.scale + addends[key * task.addendKeyStride + row]
          }
        }
        unsafe PlainKernels.softmaxRow(line, line, count: keys, scale: addends == nil ? task.scale : 1)
      }
      unsafe blas.multiply(
        rows: rows, columns: task.valueWidth, depth: keys, scores, stride: keys,
        task.value + group * task.valueGroupStride + head * task.valueHeadStride,
        stride: task.valueTokenStride,
        into: task.output + group * task.outputGroupStride + head * task.outputHeadStride
          + first * task.outputTokenStride,
        stride: task.outputTokenStride)
    }
  }
}
