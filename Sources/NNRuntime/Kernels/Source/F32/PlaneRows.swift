// The input rows of a convolution whose three channels lie in planes: pixel after pixel, with zeros around them, in a ring of
// as many rows as the windows of a block of output pixels reach over.

import NNKernelInterface

/// A ring of rows.
struct PlaneRows {
  private let task: UnsafePointer<ConvolutionTask>
  private let memory: UnsafeMutablePointer<Float>
  private let layout: Layout
  /// The row to make next, counted from the padding's first.
  private var next: Int

  /// Rows in `memory`, from those of output row `y` on.
  @inline(__always)
  init(_ task: UnsafePointer<ConvolutionTask>, from y: Int, in memory: UnsafeMutablePointer<Float>) {
    self.task = task
    self.memory = memory
    layout = Layout(task.pointee.shape)
    next = y &* task.pointee.shape.stride
  }

  /// Floats of a ring; none for other numbers of channels.
  @inline(__always)
  static func count(_ shape: ConvolutionShape) -> Int {
    let layout = Layout(shape)
    return shape.inChannels == 3 && !layout.isPixel ? layout.rows &* layout.row &+ 16 : 0
  }

  /// Fills the pointers to the windows of `run` output pixels of row y from x on, a kernel row after another.
  @inline(never)
  mutating func point(_ y: Int, _ x: Int, _ run: Int, _ rows: UnsafeMutablePointer<UnsafePointer<Float>>) {
    let shape = task.pointee.shape
    let top = y &* shape.stride
    while next < top &+ shape.kernelHeight {
      make(next)
      next &+= 1
    }
    let step = 3 &* shape.stride
    for kernelRow in 0..<shape.kernelHeight {
      var window = UnsafePointer(row(top &+ kernelRow) + x &* step)
      let slots = rows + kernelRow &* InstructionSet.tileRows
      for i in 0..<run {
        slots[i] = window
        window += step
      }
    }
  }

  @inline(__always)
  private func row(_ index: Int) -> UnsafeMutablePointer<Float> {
    memory + index % layout.rows &* layout.row
  }

  private func make(_ index: Int) {
    let shape = task.pointee.shape
    let target = row(index)
    let y = index &- shape.padding
    guard y >= 0, y < shape.inHeight else { return clear(target, layout.row) }
    let pixels = target + 3 &* shape.padding
    PlaneRow(task.pointee.input, y).interleave(shape.inWidth, into: pixels, as: Float32Element())
    clear(target, 3 &* shape.padding)
    let used = 3 &* (shape.padding &+ shape.inWidth)
    clear(target + used, layout.row &- used)
  }

  @inline(__always)
  private func clear(_ target: UnsafeMutablePointer<Float>, _ count: Int) {
    let zero = Vector(repeating: 0)
    forEachVector(count) { Float32Element().storeSome(zero, target + $0, $1) }
  }
}

/// Rows of a ring, and floats of each.
private struct Layout {
  var rows, row: Int
  var isPixel: Bool

  @inline(__always)
  init(_ shape: ConvolutionShape) {
    isPixel = shape.kernelHeight == 1 && shape.kernelWidth == 1
    // A block of pixels may begin at the end of a row.
    let spanned = (InstructionSet.tileRows &+ shape.outWidth &- 2) / shape.outWidth &+ 1
    rows = (spanned &- 1) &* shape.stride &+ shape.kernelHeight
    let pixels = max(
      shape.padding &+ shape.inWidth, (shape.outWidth &- 1) &* shape.stride &+ shape.kernelWidth)
    row = 3 &* pixels &+ PlaneRow.slack
  }
}
