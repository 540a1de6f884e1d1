/// Writes three planes as pixels of three channels.
///
/// `planar`: (3, pixels); `target`: (pixels, 3).
func interleave(_ planar: ArraySlice<Float>, into target: inout MutableSpan<Float>) {
  let pixels = target.count / 3
  precondition(planar.count == 3 * pixels && target.count == 3 * pixels, "three channels per pixel")
  let first = planar.startIndex
  for pixel in 0..<pixels {
    target[3 * pixel] = planar[first + pixel]
    target[3 * pixel + 1] = planar[first + pixels + pixel]
    target[3 * pixel + 2] = planar[first + 2 * pixels + pixel]
  }
}

/// Pixels of several channels as planes: (channels, pixels).
///
/// `pixelStride`: floats from one pixel to the next.
func planes(_ elements: Span<Float>, channels: Int, pixels: Int, pixelStride: Int) -> [Float] {
  var result = [Float](repeating: 0, count: channels * pixels)
  var target = result.mutableSpan
  // A block of pixels stays in the cache while its channels are written one after another.
  let block = 64
  for start in stride(from: 0, to: pixels, by: block) {
    let end = min(start + block, pixels)
    for channel in 0..<channels {
      for pixel in start..<end { target[channel * pixels + pixel] = elements[pixel * pixelStride + channel] }
    }
  }
  return result
}
