extension Plane where Element == Float {
  /// This plane at another size, bilinear, in the arithmetic of `torch.nn.functional.interpolate`;
  /// no antialiasing.
  public func resizedBilinear(
    width newWidth: Int, height newHeight: Int, alignment: ResamplingAlignment = .halfPixel
  ) -> Plane<Float> {
    precondition(newWidth > 0 && newHeight > 0, "a plane has at least one cell")
    return resampled(
      horizontal: .bilinear(from: width, to: newWidth, alignment),
      vertical: .bilinear(from: height, to: newHeight, alignment))
  }

  /// This plane at another size, bicubic with A = -0.75 on half-pixel centers and a replicated
  /// border, as `cv2.resize(..., INTER_CUBIC)` on floats; no antialiasing.
  public func resizedBicubic(width newWidth: Int, height newHeight: Int) -> Plane<Float> {
    precondition(newWidth > 0 && newHeight > 0, "a plane has at least one cell")
    return resampled(
      horizontal: .bicubic(from: width, to: newWidth), vertical: .bicubic(from: height, to: newHeight))
  }

  private func resampled(horizontal: ResamplingTaps, vertical: ResamplingTaps) -> Plane<Float> {
    checkCount()
    let (newWidth, newHeight) = (horizontal.starts.count, vertical.starts.count)
    let resized = unsafe [Float](unsafeUninitializedCapacity: newWidth * newHeight) { target, count in
      unsafe elements.withUnsafeBufferPointer { source in
        unsafe ResamplingKernels.resample(
          source, (width, height), horizontal: horizontal, vertical: vertical, into: target)
      }
      count = newWidth * newHeight
    }
    return Plane(width: newWidth, height: newHeight, elements: resized)
  }
}

extension Plane {
  /// This plane at another size, each cell taking the source cell that its center falls into.
  @inlinable
  public func resizedNearest(width newWidth: Int, height newHeight: Int) -> Plane {
    precondition(newWidth > 0 && newHeight > 0, "a plane has at least one cell")
    // Center of output i on the source grid: (2 i + 1) * in / (2 * out), exact in integers.
    let columns = (0..<newWidth).map { ($0 * 2 + 1) * width / (newWidth * 2) }
    var resized = [Element]()
    resized.reserveCapacity(newWidth * newHeight)
    for y in 0..<newHeight {
      let row = (y * 2 + 1) * height / (newHeight * 2) * width
      for column in columns { resized.append(elements[row + column]) }
    }
    return Plane(width: newWidth, height: newHeight, elements: resized)
  }
}
