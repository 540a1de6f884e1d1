import FileFormats

extension RGBImage {
  /// This picture at another size, bilinear on half-pixel centers in the 11-bit fixed-point
  /// arithmetic of `cv2.resize(..., INTER_LINEAR)`; no antialiasing, enlarging included.
  public func resizedBilinear8(width newWidth: Int, height newHeight: Int) -> RGBImage {
    precondition(newWidth > 0 && newHeight > 0, "an image has at least one pixel")
    checkCount()
    guard newWidth != width || newHeight != height else { return self }
    if width == 2 * newWidth, height == 2 * newHeight { return halved }
    let columns = FixedPointTaps(from: width, to: newWidth)
    let rows = FixedPointTaps(from: height, to: newHeight).entries
    let rowCount = newWidth * 3
    let resized: [UInt8] = Parallel.rows(newHeight, width: rowCount, threads: Parallel.teamThreads) {
      range, target in
      // Two blended source rows are kept: consecutive output rows mostly share them.
      var kept = [[Int16]](repeating: [Int16](repeating: 0, count: rowCount), count: 2)
      var keptRows: [Int32] = [-1, -1]
      unsafe target.withUnsafeMutableBufferPointer { target in
        for y in range {
          let entry = rows[y]
          if keptRows[1] == entry.first {
            kept.swapAt(0, 1)
            keptRows.swapAt(0, 1)
          }
          for (slot, source) in [entry.first, entry.second].enumerated() where keptRows[slot] != source {
            unsafe pixels.withUnsafeBufferPointer { pixels in
              unsafe kept[slot].withUnsafeMutableBufferPointer { row in
                unsafe ResamplingKernels.bilinear8Columns(
                  pixels.baseAddress! + Int(source) * width * 3, columns, into: row.baseAddress!)
              }
            }
            keptRows[slot] = source
          }
          unsafe ResamplingKernels.bilinear8Rows(
            kept[0], entry.firstWeight, kept[1], entry.secondWeight, count: rowCount,
            into: target.baseAddress! + (y - range.lowerBound) * rowCount)
        }
      }
    }
    return RGBImage(width: newWidth, height: newHeight, pixels: resized)
  }

  /// The picture at half its size, of sides that are even.
  private var halved: RGBImage {
    let (rowCount, pixels) = (3 * width / 2, pixels)
    let halved: [UInt8] = Parallel.rows(height / 2, width: rowCount, threads: Parallel.teamThreads) {
      range, target in
      var sums = [UInt16](repeating: 0, count: 2 * rowCount)
      unsafe target.withUnsafeMutableBufferPointer { target in
        unsafe sums.withUnsafeMutableBufferPointer { sums in
          unsafe pixels.withUnsafeBufferPointer { pixels in
            for y in range {
              let upper = unsafe pixels.baseAddress! + 4 * y * rowCount
              unsafe ResamplingKernels.halve8(
                upper, upper + 2 * rowCount, count: rowCount, sums.baseAddress!,
                into: target.baseAddress! + (y - range.lowerBound) * rowCount)
            }
          }
        }
      }
    }
    return RGBImage(width: width / 2, height: height / 2, pixels: halved)
  }

  /// Red, green and blue planes at another size, bicubic with A = -0.75 on half-pixel centers and a
  /// replicated border, as `cv2.resize(picture / 255, INTER_CUBIC)` on floats: values are in 0...1
  /// but for the overshoot of the kernel, which is not clipped; no antialiasing.
  public func resizedBicubicUnit(width newWidth: Int, height newHeight: Int) -> [Plane<Float>] {
    precondition(newWidth > 0 && newHeight > 0, "an image has at least one pixel")
    checkCount()
    let count = newWidth * newHeight
    let horizontal = ResamplingTaps.bicubic(from: width, to: newWidth)
    let vertical = ResamplingTaps.bicubic(from: height, to: newHeight)
    var red = [Float](repeating: 0, count: count)
    var green = red
    var blue = red
    unsafe pixels.withUnsafeBufferPointer { source in
      unsafe red.withUnsafeMutableBufferPointer { red in
        unsafe green.withUnsafeMutableBufferPointer { green in
          unsafe blue.withUnsafeMutableBufferPointer { blue in
            unsafe ResamplingKernels.resampleRGB(
              source, (width, height), scale: 1 / 255, horizontal: horizontal, vertical: vertical,
              into: [red.baseAddress!, green.baseAddress!, blue.baseAddress!])
          }
        }
      }
    }
    return [red, green, blue].map { Plane(width: newWidth, height: newHeight, elements: $0) }
  }

  /// This picture with a border of `color` on each side.
  public func padded(left: Int, top: Int, right: Int, bottom: Int, color: Color) -> RGBImage {
    precondition(min(left, top, right, bottom) >= 0, "padding is not negative")
    let newWidth = left + width + right
    var result = RGBImage(width: newWidth, height: top + height + bottom, color: color)
    for row in 0..<height {
      let start = ((top + row) * newWidth + left) * 3
      result.pixels.replaceSubrange(
        start..<start + width * 3, with: pixels[row * width * 3..<(row + 1) * width * 3])
    }
    return result
  }
}
