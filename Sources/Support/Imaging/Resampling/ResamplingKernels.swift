/// Inner loops of resampling over raw rows: unsafe by nature, reached only through the checked
/// functions of `RGBImage` and `Plane`.
///
/// Loops are element-wise with wrapping integer arithmetic, the form that compiles to vector code.
enum ResamplingKernels {
  // MARK: - Floating point: rows are blended first, columns second

  /// Resamples one plane; `taps` have equal counts.
  static func resample(
    _ source: UnsafeBufferPointer<Float>, _ size: (width: Int, height: Int),
    horizontal: ResamplingTaps, vertical: ResamplingTaps, into target: UnsafeMutableBufferPointer<Float>
  ) {
    unsafe withPaddedRow(width: size.width, channels: 1) { row in
      forEachRow(vertical, height: size.height) { y, rows, weights in
        let base = source.baseAddress!
        let cells = unsafe row + ResamplingTaps.margin
        if vertical.count == 2 {
          unsafe blend2(base, rows, weights, size.width, into: cells)
        } else {
          unsafe blend4(base, rows, weights, size.width, into: cells)
        }
        unsafe replicateEnds(row, width: size.width, channels: 1)
        unsafe gather(row, horizontal, into: target.baseAddress! + y * horizontal.starts.count)
      }
    }
  }

  /// Resamples interleaved bytes with four taps per side to three float planes, times `scale`.
  static func resampleRGB(
    _ source: UnsafeBufferPointer<UInt8>, _ size: (width: Int, height: Int), scale: Float,
    horizontal: ResamplingTaps, vertical: ResamplingTaps, into planes: [UnsafeMutablePointer<Float>]
  ) {
    let outputWidth = horizontal.starts.count
    unsafe withPaddedRow(width: size.width, channels: 3) { row in
      forEachRow(vertical, height: size.height) { y, rows, weights in
        unsafe blend4(
          source.baseAddress!, rows, weights.map { $0 * scale }, size.width * 3,
          into: row + 3 * ResamplingTaps.margin)
        unsafe replicateEnds(row, width: size.width, channels: 3)
        unsafe gatherRGB(
          row, horizontal, into: planes[0] + y * outputWidth, planes[1] + y * outputWidth,
          planes[2] + y * outputWidth)
      }
    }
  }

  /// A row of floats with `margin` replicated pixels at either end, and room for one vector load more.
  private static func withPaddedRow(
    width: Int, channels: Int, _ body: (UnsafeMutablePointer<Float>) -> Void
  ) {
    let count = (width + 2 * ResamplingTaps.margin) * channels + 4
    let row = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe row.initialize(repeating: 0, count: count)
    defer { unsafe row.deallocate() }
    unsafe body(row)
  }

  /// Calls `body` for each output row with the indices of its source rows and their weights.
  private static func forEachRow(
    _ taps: ResamplingTaps, height: Int, _ body: (Int, [Int], [Float]) -> Void
  ) {
    for y in taps.starts.indices {
      let rows = (0..<taps.count).map { min(max(taps.starts[y] + $0, 0), height - 1) }
      body(y, rows, Array(taps.weights[y * taps.count..<(y + 1) * taps.count]))
    }
  }

  private static func blend2(
    _ source: UnsafePointer<Float>, _ rows: [Int], _ weights: [Float], _ count: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    let (row0, row1) = unsafe (source + rows[0] * count, source + rows[1] * count)
    let (weight0, weight1) = (weights[0], weights[1])
    for i in 0..<count { unsafe target[i] = row0[i] * weight0 + row1[i] * weight1 }
  }

  private static func blend4(
    _ source: UnsafePointer<Float>, _ rows: [Int], _ weights: [Float], _ count: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    let (row0, row1) = unsafe (source + rows[0] * count, source + rows[1] * count)
    let (row2, row3) = unsafe (source + rows[2] * count, source + rows[3] * count)
    let (weight0, weight1, weight2, weight3) = (weights[0], weights[1], weights[2], weights[3])
    for i in 0..<count {
      unsafe target[i] = row0[i] * weight0 + row1[i] * weight1 + row2[i] * weight2 + row3[i] * weight3
    }
  }

  private static func blend4(
    _ source: UnsafePointer<UInt8>, _ rows: [Int], _ weights: [Float], _ count: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    let (row0, row1) = unsafe (source + rows[0] * count, source + rows[1] * count)
    let (row2, row3) = unsafe (source + rows[2] * count, source + rows[3] * count)
    let (weight0, weight1, weight2, weight3) = (weights[0], weights[1], weights[2], weights[3])
    for i in 0..<count {
      let upper = unsafe Float(row0[i]) * weight0 + Float(row1[i]) * weight1
      let lower = unsafe Float(row2[i]) * weight2 + Float(row3[i]) * weight3
      unsafe target[i] = upper + lower
    }
  }

  private static func replicateEnds(_ row: UnsafeMutablePointer<Float>, width: Int, channels: Int) {
    let margin = ResamplingTaps.margin
    for pixel in 0..<margin {
      for channel in 0..<channels {
        unsafe row[pixel * channels + channel] = row[margin * channels + channel]
        unsafe row[(margin + width + pixel) * channels + channel] =
          row[(margin + width - 1) * channels + channel]
      }
    }
  }

  private static func gather(
    _ row: UnsafePointer<Float>, _ taps: ResamplingTaps, into target: UnsafeMutablePointer<Float>
  ) {
    let cells = unsafe row + ResamplingTaps.margin
    unsafe taps.starts.withUnsafeBufferPointer { starts in
      unsafe taps.weights.withUnsafeBufferPointer { weights in
        if taps.count == 2 {
          for x in 0..<starts.count {
            let cell = unsafe cells + starts[x]
            unsafe target[x] = cell[0] * weights[2 &* x] + cell[1] * weights[2 &* x &+ 1]
          }
        } else {
          for x in 0..<starts.count {
            let cell = unsafe cells + starts[x]
            let weight = unsafe weights.baseAddress! + 4 &* x
            unsafe target[x] =
              cell[0] * weight[0] + cell[1] * weight[1] + cell[2] * weight[2] + cell[3] * weight[3]
          }
        }
      }
    }
  }

  private static func gatherRGB(
    _ row: UnsafePointer<Float>, _ taps: ResamplingTaps, into red: UnsafeMutablePointer<Float>,
    _ green: UnsafeMutablePointer<Float>, _ blue: UnsafeMutablePointer<Float>
  ) {
    let pixels = unsafe UnsafeRawPointer(row + 3 * ResamplingTaps.margin)
    unsafe taps.starts.withUnsafeBufferPointer { starts in
      unsafe taps.weights.withUnsafeBufferPointer { weights in
        for x in 0..<starts.count {
          // Each vector holds one pixel's three channels and one value that is not used.
          let pixel = unsafe pixels + starts[x] &* 12
          let weight = unsafe weights.baseAddress! + 4 &* x
          let pixel0 = unsafe pixel.loadUnaligned(as: SIMD4<Float>.self)
          let pixel1 = unsafe pixel.loadUnaligned(fromByteOffset: 12, as: SIMD4<Float>.self)
          let pixel2 = unsafe pixel.loadUnaligned(fromByteOffset: 24, as: SIMD4<Float>.self)
          let pixel3 = unsafe pixel.loadUnaligned(fromByteOffset: 36, as: SIMD4<Float>.self)
          let left = unsafe pixel0 * weight[0] + pixel1 * weight[1]
          let right = unsafe pixel2 * weight[2] + pixel3 * weight[3]
          let sum = left + right
          unsafe red[x] = sum[0]
          unsafe green[x] = sum[1]
          unsafe blue[x] = sum[2]
        }
      }
    }
  }

  // MARK: - Fixed point: columns first, rows second, as OpenCV rounds

  /// One row of interleaved RGB through two horizontal taps of 11 fractional bits; 7 bits are kept.
  static func bilinear8Columns(
    _ row: UnsafePointer<UInt8>, _ taps: FixedPointTaps, into target: UnsafeMutablePointer<Int16>
  ) {
    unsafe taps.entries.withUnsafeBufferPointer { entries in
      for x in 0..<entries.count {
        let entry = unsafe entries[x]
        let (left, right) = unsafe (row + 3 &* Int(entry.first), row + 3 &* Int(entry.second))
        let output = unsafe target + 3 &* x
        let (weight0, weight1) = (Int32(entry.firstWeight), Int32(entry.secondWeight))
        for channel in 0..<3 {
          let sum = unsafe Int32(left[channel]) &* weight0 &+ Int32(right[channel]) &* weight1
          unsafe output[channel] = Int16(truncatingIfNeeded: sum &>> 4)
        }
      }
    }
  }

  /// Means of 2x2 pixels of interleaved RGB, rounded as the two functions around this one round them for pictures of half the
  /// size: `sums` is room for two source rows, `count` the target row's bytes.
  static func halve8(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, count: Int,
    _ sums: UnsafeMutablePointer<UInt16>, into target: UnsafeMutablePointer<UInt8>
  ) {
    for i in 0..<2 &* count { unsafe sums[i] = UInt16(upper[i]) &+ UInt16(lower[i]) }
    for x in 0..<count / 3 {
      let (pixels, output) = unsafe (sums + 6 &* x, target + 3 &* x)
      for channel in 0..<3 {
        unsafe output[channel] = UInt8(
          truncatingIfNeeded: (pixels[channel] &+ pixels[channel &+ 3] &+ 2) &>> 2)
      }
    }
  }

  /// Blends two rows of `bilinear8Columns` to bytes, rounding as OpenCV's vector code does.
  static func bilinear8Rows(
    _ first: UnsafePointer<Int16>, _ firstWeight: Int16, _ second: UnsafePointer<Int16>,
    _ secondWeight: Int16, count: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    let (weight0, weight1) = (Int32(firstWeight), Int32(secondWeight))
    for i in 0..<count {
      let high0 = unsafe Int16(truncatingIfNeeded: (Int32(first[i]) &* weight0) &>> 16)
      let high1 = unsafe Int16(truncatingIfNeeded: (Int32(second[i]) &* weight1) &>> 16)
      unsafe target[i] = UInt8(truncatingIfNeeded: (high0 &+ high1 &+ 2) &>> 2)
    }
  }
}
