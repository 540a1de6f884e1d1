// 1x1 convolutions and linear layers by one level of Strassen's algorithm in Winograd's form: seven products of a
// quarter's size where the definition has eight (Strassen, "Gaussian Elimination is not Optimal", 1969; Higham,
// "Accuracy and Stability of Numerical Algorithms", chapter 23, for the form and its errors).
//
// The rows (pixels) of a pair of blocks, the input channels and the output channels are each cut in two:
//
//   | C11 C12 |   | A11 A12 | | B11 B12 |     upper and lower rows; left and right output channels
//   | C21 C22 | = | A21 A22 | | B21 B22 |
//
//   S1 = A21 + A22    T1 = B12 - B11          P = A11 B11                          C11 = P + A12 B21
//   S2 = S1 - A11     T2 = B22 - T1           U = P + S2 T2     V = U + S3 T3      C21 = V - A22 T4
//   S3 = A11 - A21    T3 = B22 - B12          W = S1 T1                            C22 = V + W
//   S4 = A12 - S2     T4 = T2 - B21                                                C12 = U + W + S4 B22
//
// The sums T are made when weights are packed, the sums S once a pair of blocks; P, U, V and W are register tiles that
// never leave the first-level cache. Each product starts from the sums of the one before.
//
// Packed weights: a panel of left output channels, then the panel of right channels at the same offset. Each
// panel has the seven matrices (input channel of a half, output channel) in the order in which they are
// multiplied: B11, B21, T2, T3, -T4, T1, B22.

import CKernelShims
import NNKernelInterface

/// The products of a pair of blocks with a panel.
@inline(__always) private var products: Int { 7 }

/// Output channels of a half: like the input channels of a half, a multiple of 16.
@inline(__always)
private func halfColumns(_ shape: ConvolutionShape) -> Int { shape.outChannels / 2 }

func packedStrassenCount(_ shape: ConvolutionShape) -> Int {
  products * (shape.inChannels / 2) * paddedChannels(halfColumns(shape))
}

func packStrassen(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>
) {
  let (depth, half) = (shape.inChannels / 2, halfColumns(shape))
  var target = packed
  var first = 0
  while first < half {
    let columns = panelColumns(half, first)
    let step = depth * columns
    for channel in 0..<depth {
      for column in 0..<columns {
        let (left, right) = (first + column, half + first + column)
        let (leftScale, rightScale) = (scale?[left] ?? 1, scale?[right] ?? 1)
        let (leftRow, rightRow) = (weights + left * shape.inChannels, weights + right * shape.inChannels)
        let (b11, b21) = (leftRow[channel] * leftScale, leftRow[depth + channel] * leftScale)
        let (b12, b22) = (rightRow[channel] * rightScale, rightRow[depth + channel] * rightScale)
        let t1 = b12 - b11
        let t2 = b22 - t1
        let out = target + (channel * columns + column)
        out[0] = b11
        out[step] = b21
        out[2 * step] = t2
        out[3 * step] = b22 - b12
        out[4 * step] = b21 - t2
        out[5 * step] = t1
        out[6 * step] = b22
      }
    }
    target += products * step
    first += InstructionSet.panelWidth
  }
}

/// The memory of one pair of blocks.
private struct PairMemory {
  /// The rows of each product's left matrix, `tileRows` a product.
  let rows: UnsafeMutablePointer<UnsafePointer<Float>>
  /// Where upper and lower rows go, `tileRows` each, and what is added to them.
  let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let added: UnsafeMutablePointer<UnsafePointer<Float>>
  /// S1 to S4, (matrix, row, input channel of a half).
  let sums: UnsafeMutablePointer<Float>
  /// The pair's input where it is normalized before, (row, input channel).
  let normals: UnsafeMutablePointer<Float>

  @inline(__always) static var pointers: Int { (products + 4) * InstructionSet.tileRows }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    4 * InstructionSet.tileRows * shape.inChannels + (2 * pointers + 15) / 16 * 16
  }

  @inline(__always)
  init(_ memory: UnsafeMutablePointer<Float>, _ shape: ConvolutionShape) {
    let capacity = InstructionSet.tileRows
    sums = memory
    normals = sums + 2 * capacity * shape.inChannels
    rows = UnsafeMutableRawPointer(normals + 2 * capacity * shape.inChannels)
      .assumingMemoryBound(to: UnsafePointer<Float>.self)
    added = rows + products * capacity
    outputs = UnsafeMutableRawPointer(added + 2 * capacity)
      .assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
  }
}

/// Pairs of blocks that share what the weights cost to fetch, while their rows and sums stay in the second-level cache.
@inline(__always)
private func pairsTogether(_ shape: ConvolutionShape) -> Int {
  let cacheFloats = 64 * 1024
  return min(max(cacheFloats / (4 * InstructionSet.tileRows * shape.inChannels), 1), 4)
}

func strassenScratch(_ shape: ConvolutionShape) -> Int {
  3 * tileFloats + pairsTogether(shape) * PairMemory.floats(shape)
}

func strassen(_ taskPointer: UnsafePointer<ConvolutionTask>, _ share: Share) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let (firstPanel, lastPanel) = (share.panels.lowerBound, share.panels.upperBound)
  let scratch = share.scratch
  let task = taskPointer.pointee
  let shape = task.shape
  let depth = shape.inChannels / 2
  let together = pairsTogether(shape)
  /// The pixels of some pairs, and the memory of one of them.
  func pixels(_ pairs: Range<Int>) -> Range<Int> { shape.pixels(ofPairs: pairs, InstructionSet.tileRows) }
  func memory(_ index: Int) -> PairMemory {
    PairMemory(scratch + (3 * tileFloats + index * PairMemory.floats(shape)), shape)
  }

  var group = begin..<begin
  while group.upperBound < end {
    // The first rows of a long range wait for memory: as few as can be.
    let isFirst = group.isEmpty && end - begin > 2 * together
    group = group.upperBound..<min(group.upperBound + (isFirst ? 1 : together), end)
    for (index, pair) in group.enumerated() {
      prepare(task, pixels(pair..<pair + 1), memory(index), asks: group.lowerBound == begin)
    }
    let following = group.upperBound..<min(group.upperBound + together, end)
    var next = NextRows(
      task, pixels(following), steps: group.count * (lastPanel - firstPanel) * products)
    for panel in firstPanel..<lastPanel {
      let first = panel * InstructionSet.panelWidth
      for (index, pair) in group.enumerated() {
        multiplyPair(
          task, memory(index), count: pixels(pair..<pair + 1).count, first: first,
          columns: panelColumns(halfColumns(shape), first), weights: task.weights + products * depth * first,
          streams: index == 0, &next, scratch)
      }
    }
  }
}

/// The rows of the pairs of blocks that follow, prefetched a few at a time while those before are multiplied.
private struct NextRows {
  private let input: MapPointer
  private let width, channels: Int
  private var pixels: Range<Int>
  /// The next pixel comes when as many pixels as there are steps have been counted.
  private let count, steps: Int
  private var counted = 0

  @inline(__always)
  init(_ task: ConvolutionTask, _ pixels: Range<Int>, steps: Int) {
    input = task.input
    (width, channels) = (task.shape.outWidth, task.shape.inChannels)
    self.pixels = pixels
    count = pixels.count
    self.steps = steps
  }

  /// Some of the `steps`.
  @inline(__always)
  mutating func prefetch(steps passed: Int) {
    counted &+= count &* passed
    while counted >= steps {
      counted &-= steps
      let (y, x) = pixels.lowerBound.quotientAndRemainder(dividingBy: width)
      let row = input.base + (y &* input.rowStride &+ x &* input.pixelStride)
      for channel in stride(from: 0, to: channels, by: 16) { ardf_prefetch_to_read(row + channel) }
      pixels = pixels.lowerBound &+ 1..<pixels.upperBound
    }
  }
}

/// Rows that wait for memory while one is prepared.
@inline(__always) private var rowsAhead: Int { 3 }

/// Points at the rows of a pair of blocks, normalized where that is asked for, and makes their sums.
@inline(never)
private func prepare(
  _ task: ConvolutionTask, _ pixels: Range<Int>, _ memory: PairMemory, asks: Bool
) {
  let shape = task.shape
  let depth = shape.inChannels / 2
  let capacity = InstructionSet.tileRows
  let (from, count) = (pixels.lowerBound, pixels.count)
  let upper = (count + 1) / 2
  let residual = task.residual ?? MapPointer(base: task.zeros, pixelStride: 0, rowStride: 0)
  /// Where row `i` of the pair lies in the input.
  @inline(__always) func row(_ i: Int) -> UnsafePointer<Float> {
    let (y, x) = (from + i).quotientAndRemainder(dividingBy: shape.outWidth)
    return task.input.base + (y * task.input.rowStride + x * task.input.pixelStride)
  }
  /// Row `i` as it is multiplied; meanwhile a later one is prefetched.
  @inline(__always) func input(_ i: Int) -> UnsafePointer<Float> {
    if asks {
      let later = row(min(i + rowsAhead, count - 1))
      for channel in stride(from: 0, to: shape.inChannels, by: 16) { ardf_prefetch_to_read(later + channel) }
    }
    let row = row(i)
    guard let normalization = task.normalization else { return row }
    let normal = memory.normals + i * shape.inChannels
    normalize(
      normalization, TokenRow(element: Float32Element(), base: row, channels: shape.inChannels), into: normal,
      as: Float32Element())
    return UnsafePointer(normal)
  }
  for i in 0..<count {
    let (y, x) = (from + i).quotientAndRemainder(dividingBy: shape.outWidth)
    let slot = i < upper ? i : i - upper + capacity
    memory.outputs[slot] = task.output.base + (y * task.output.rowStride + x * task.output.pixelStride)
    memory.added[slot] =
      task.addend?.sums(ofPixel: from + i)
      ?? residual.base + (y * residual.rowStride + x * residual.pixelStride)
  }
  for i in 0..<upper {
    let a1 = input(i)
    // The lower block of an odd number of rows ends in a row of zeros whose sums are not stored.
    let a2 = upper + i < count ? input(upper + i) : task.zeros
    let s = memory.sums + i * depth
    let step = capacity * depth
    let rows = memory.rows + i
    rows[0] = a1
    rows[capacity] = a1 + depth
    rows[2 * capacity] = UnsafePointer(s + step)
    rows[3 * capacity] = UnsafePointer(s + 2 * step)
    rows[4 * capacity] = a2 + depth
    rows[5 * capacity] = UnsafePointer(s)
    rows[6 * capacity] = UnsafePointer(s + 3 * step)
    for c in stride(from: 0, to: depth, by: 16) {
      let (a11, a12) = (load(a1 + c), load(a1 + depth + c))
      let (a21, a22) = (load(a2 + c), load(a2 + depth + c))
      let s1 = a21 + a22
      let s2 = s1 - a11
      store(s1, s + c)
      store(s2, s + step + c)
      store(a11 - a21, s + 2 * step + c)
      store(a12 - s2, s + 3 * step + c)
    }
  }
}

/// The seven products of a pair of blocks with one panel of each half.
@inline(__always)
private func multiplyPair(
  _ task: ConvolutionTask, _ memory: PairMemory, count: Int, first: Int, columns: Int,
  weights: UnsafePointer<Float>, streams: Bool, _ next: inout NextRows,
  _ tiles: UnsafeMutablePointer<Float>
) {
  if count == 0 { return }
  let depth = task.shape.inChannels / 2
  let capacity = InstructionSet.tileRows
  let (upper, lower) = ((count + 1) / 2, count / 2)
  let (u, v, w) = (tiles, tiles + tileFloats, tiles + 2 * tileFloats)
  let isAdded = task.residual != nil || task.addend != nil
  /// Products one after the other, the sums up to each stored in the tiles from `output` on.
  @inline(__always)
  func multiply(
    _ part: Range<Int>, from initial: UnsafePointer<Float>?, to output: UnsafeMutablePointer<Float>
  ) {
    next.prefetch(steps: part.count)
    multiplyRunningTile(
      (
        segments: part.count, depth: depth,
        rows: UnsafePointer(memory.rows + part.lowerBound * capacity),
        rowCapacity: capacity, columns: weights + part.lowerBound * depth * columns,
        columnStride: columns,
        output: output, outputStride: InstructionSet.panelWidth, ahead: 0, streamsColumns: streams
      ), from: initial, rows: upper, columns: columns)
  }
  @inline(__always)
  func finish(_ sums: UnsafePointer<Float>, isLower: Bool, isRight: Bool) {
    let side = isLower ? capacity : 0
    storeTile(
      (
        sums: sums, rows: isLower ? lower : upper, first: isRight ? halfColumns(task.shape) + first : first,
        columns: columns, bias: task.bias,
        added: isAdded ? UnsafePointer(memory.added + side) : nil, joinsSums: task.joinsSums,
        outputs: UnsafePointer(memory.outputs + side)
      ), task.activation)
  }
  multiply(0..<2, from: nil, to: u)
  finish(v, isLower: false, isRight: false)
  multiply(2..<5, from: u, to: u)
  finish(w, isLower: true, isRight: false)
  multiply(5..<6, from: nil, to: w)
  for c in stride(from: 0, to: upper * InstructionSet.panelWidth, by: 16) {
    let product = load(w + c)
    store(load(u + c) + product, u + c)
    store(load(v + c) + product, v + c)
  }
  finish(v, isLower: true, isRight: true)
  multiply(6..<7, from: u, to: w)
  finish(w, isLower: false, isRight: true)
}
