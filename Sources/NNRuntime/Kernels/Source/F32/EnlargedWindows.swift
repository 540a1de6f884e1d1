// Windows of a map that is enlarged as it is read: interpolated from the smaller map, which unlike the larger one stays in
// the caches.

import CKernelShims
import NNKernelInterface

/// The square window of `edge` pixels at (top, left) of the enlarged input, with zeros beyond its edges, made in `memory`
/// (row, column, channel).
@inline(never)
func enlargedWindow(
  _ task: ConvolutionTask, _ enlargement: Resampling, _ top: Int, _ left: Int, _ edge: Int,
  _ memory: UnsafeMutablePointer<Float>
) -> MapPointer {
  let (shape, channels) = (task.shape, task.shape.inChannels)
  let pixelStride = task.input.pixelStride
  let rowFloats = edge &* channels
  let columns = max(0, -left)..<max(min(edge, shape.inWidth &- left), max(0, -left))
  for row in 0..<edge {
    let target = memory + row &* rowFloats
    let y = top &+ row
    if y < 0 || y >= shape.inHeight {
      clear(target, rowFloats)
      continue
    }
    clear(target, columns.lowerBound &* channels)
    clear(target + columns.upperBound &* channels, (edge &- columns.upperBound) &* channels)
    let upper = task.input.base + Int(enlargement.rowIndices[2 &* y]) &* task.input.rowStride
    let lower = task.input.base + Int(enlargement.rowIndices[2 &* y &+ 1]) &* task.input.rowStride
    let above = Vector(repeating: enlargement.rowWeights[2 &* y])
    let below = Vector(repeating: enlargement.rowWeights[2 &* y &+ 1])
    for column in columns {
      let x = left &+ column
      let first = Int(enlargement.columnIndices[2 &* x]) &* pixelStride
      let second = Int(enlargement.columnIndices[2 &* x &+ 1]) &* pixelStride
      let near = Vector(repeating: enlargement.columnWeights[2 &* x])
      let far = Vector(repeating: enlargement.columnWeights[2 &* x &+ 1])
      let pixel = target + column &* channels
      for c in stride(from: 0, to: channels, by: 16) {
        let start = multiplyAdd(below, load(lower + first + c), above * load(upper + first + c))
        let end = multiplyAdd(below, load(lower + second + c), above * load(upper + second + c))
        store(multiplyAdd(far, end, near * start), pixel + c)
      }
    }
  }
  return MapPointer(base: UnsafePointer(memory), pixelStride: channels, rowStride: rowFloats)
}

/// Zeros, sixteen at a time.
@inline(__always)
private func clear(_ target: UnsafeMutablePointer<Float>, _ count: Int) {
  for c in stride(from: 0, to: count, by: 16) { store(Vector(repeating: 0), target + c) }
}
