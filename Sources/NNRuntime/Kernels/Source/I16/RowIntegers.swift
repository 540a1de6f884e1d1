// Rows of integer products: with dynamic quantization each row gets its own integers and scale, computed while the row is
// read; no range is calibrated beforehand, and no number is clipped. Static quantization is that of `SteppedBytes`.

import CKernelShims
import NNKernelInterface

/// Integers of a width, of rows (an input's pixels) and of columns (an output channel's weights).
protocol RowIntegers: SendableMetatype {
  associatedtype Words: IntegerArithmetic
  associatedtype Scaling: SumScaling
  /// Bytes of an integer.
  static var bytes: Int { get }
  /// Floats that a row is described by; those of one kind are `stride` apart.
  static var rowFloats: Int { get }
  /// Floats that a column is described by.
  static var columnFloats: Int { get }

  /// Bytes of a rounded map from which rows are made, for a share of so many output rows; 0 where each row is rounded.
  static func mapBytes(_ shape: ConvolutionShape, rows: Int) -> Int
  /// Rounds that map, before the first block of a share.
  static func roundMap<Element: MapElement>(
    _ element: Element, _ task: UnsafePointer<ConvolutionTask>, _ items: Range<Int>,
    _ scratch: RowScratch<Self>)
  /// Makes the rows of a block.
  static func makeRows(_ block: RowBlock<Self>)
  /// The divisor of `count` floats of a column, which are the layer's weights times `factor`.
  static func columnScale(_ column: UnsafePointer<Float>, _ count: Int, factor: Float) -> Float
  /// Rounds sixteen floats of a column times `factor`; returns the sum of what is written, for 8 bits.
  static func roundColumn(_ column: Vector, _ factor: Float, _ target: UnsafeMutableRawPointer) -> Float
  /// The scaling of a panel of columns described at `columns`; floats of the next kind are `stride` further
  /// on.
  static func scaling(
    rows: UnsafePointer<Float>, stride: Int, columns: UnsafePointer<Float>, stride columnStride: Int,
    isWide: Bool
  ) -> Scaling
}

extension RowIntegers {
  /// Words that `count` integers fill.
  @inline(__always) static func words(_ count: Int) -> Int {
    let granule = max(Words.granule, 4)
    return (count &* bytes &+ granule &- 1) / granule &* granule / 4
  }
}

/// Dynamic quantization: pixels are rows, whose scales are found while they are read.
protocol DynamicIntegers: RowIntegers {
  /// Rounds `count` elements, and fills up sixteen with zeros.
  static func roundRow<Element: MapElement>(
    _ element: Element, _ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer,
    _ described: UnsafeMutablePointer<Float>, stride: Int)
}

extension DynamicIntegers {
  @inline(__always) static func mapBytes(_ shape: ConvolutionShape, rows: Int) -> Int { 0 }

  @inline(__always)
  static func roundMap<Element: MapElement>(
    _ element: Element, _ task: UnsafePointer<ConvolutionTask>, _ items: Range<Int>,
    _ scratch: RowScratch<Self>
  ) {}

  @inline(__always)
  static func makeRows(_ block: RowBlock<Self>) {
    block.task.pointee.input.element.run(RoundedRows<Self>.self, block)
  }

  /// Rounds the rows of a block.
  @inline(__always)
  fileprivate static func roundRows<Element: MapElement>(_ element: Element, _ block: RowBlock<Self>) {
    let (shape, input) = (block.task.pointee.shape, block.task.pointee.input)
    let scratch = block.scratch
    for row in 0..<block.count {
      let (y, x) = (block.slot &+ row).quotientAndRemainder(dividingBy: shape.outWidth)
      let source =
        UnsafeRawPointer(input.base)
        + ((block.begin &+ y) &* input.rowStride &+ x &* input.pixelStride) &* element.size
      roundRow(
        element, source, shape.inChannels,
        scratch.integers + Words.offset(ofRow: row, scratch.rowBytes),
        scratch.described + row, stride: RowScratch<Self>.stride)
    }
  }
}

private enum RoundedRows<Numbers: DynamicIntegers>: ElementLoop {
  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ block: RowBlock<Numbers>) {
    rounded(Numbers.self, element, block)
  }
}

@inline(never)
private func rounded<Numbers: DynamicIntegers, Element: MapElement>(
  _: Numbers.Type, _ element: Element, _ block: RowBlock<Numbers>
) {
  Numbers.roundRows(element, block)
}

/// Integers of 16 bits: a row x becomes round(x / scale), its Euclidean norm `leftNorm`.
enum SixteenBits: DynamicIntegers {
  typealias Words = ScaledWords
  @inline(__always) static var bytes: Int { 2 }
  @inline(__always) static var rowFloats: Int { 1 }
  @inline(__always) static var columnFloats: Int { 1 }

  /// Rounds a row to integers of 16 bits; one with a NaN keeps it in its scale.
  ///
  /// Squares must fit a float.
  @inline(__always)
  static func roundRow<Element: MapElement>(
    _ element: Element, _ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer,
    _ described: UnsafeMutablePointer<Float>, stride: Int
  ) {
    var (even, odd) = (Vector(repeating: 0), Vector(repeating: 0))
    var index = 0
    while index &+ 32 <= count {
      let (x, y) = (
        element.load(source + index &* element.size), element.load(source + (index &+ 16) &* element.size)
      )
      even = multiplyAdd(x, x, even)
      odd = multiplyAdd(y, y, odd)
      index &+= 32
    }
    while index < count {
      let x = element.loadSome(source + index &* element.size, min(16, count &- index))
      even = multiplyAdd(x, x, even)
      index &+= 16
    }
    let norm = (sum(even + odd) + 1e-30).squareRoot()
    described.pointee = norm * (1 / ScaledWords.leftNorm)
    let factor = Vector(repeating: ScaledWords.leftNorm / norm)
    forEachVector(count) {
      ScaledWords.store(element.loadSome(source + $0 &* element.size, $1) * factor, target + 2 &* $0)
    }
  }

  @inline(__always)
  static func columnScale(_ column: UnsafePointer<Float>, _ count: Int, factor: Float) -> Float {
    var (squares, largest) = (Vector(repeating: 0), Vector(repeating: 0))
    for index in stride(from: 0, to: count, by: 16) {
      let x = load(column + index)
      squares = multiplyAdd(x, x, squares)
      largest = larger(largest, larger(x, Vector(repeating: 0) - x))
    }
    return max(
      sum(squares).squareRoot() * (1 / ScaledWords.rightNorm), maximum(largest) * (1 / ScaledWords.largest),
      .leastNormalMagnitude)
  }

  @inline(__always)
  static func roundColumn(_ column: Vector, _ factor: Float, _ target: UnsafeMutableRawPointer) -> Float {
    ScaledWords.store(column * Vector(repeating: factor), target)
    return 0
  }

  @inline(__always)
  static func scaling(
    rows: UnsafePointer<Float>, stride: Int, columns: UnsafePointer<Float>, stride columnStride: Int,
    isWide: Bool
  ) -> ScaledSums {
    ScaledSums(rows: rows, low: load(columns), high: isWide ? load(columns + 16) : load(columns))
  }
}

/// Sums of products of integers with a scale a row and a column.
struct ScaledSums: SumScaling {
  let rows: UnsafePointer<Float>
  let low, high: Vector

  @inline(__always) func sum(_ products: Vector, row: Int, isSecond: Bool, bias: Vector) -> Vector {
    multiplyAdd(products * Vector(repeating: rows[row]), isSecond ? high : low, bias)
  }
}
