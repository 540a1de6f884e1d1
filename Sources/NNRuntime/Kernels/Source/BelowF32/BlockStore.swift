// Processing of a block's sums before they are stored: scale, bias, activation, residual.

import CKernelShims
import NNKernelInterface

/// The pixels that the slots of a block become: runs of them in a row of the map.
private struct PixelRuns {
  /// The slot at hand; a map one pixel wide is one run from top to bottom.
  private var y, x: Int
  private let width, slots: Int
  private let isColumn: Bool

  /// Starts at slot `slot`, counted from row `begin`, with `slots` slots a row.
  @inline(__always)
  init(_ shape: ConvolutionShape, begin: Int, slot: Int, slots: Int) {
    isColumn = slots == 1
    self.slots = isColumn ? .max : slots
    width = isColumn ? .max : shape.outWidth
    (y, x) = isColumn ? (0, begin &+ slot) : (begin &+ slot / slots, slot % slots)
  }

  /// The pixel at hand, counted row by row.
  @inline(__always) var pixel: Int { isColumn ? x : y &* width &+ x }

  /// How many of the next `count` slots are in this row, and become pixels.
  @inline(__always)
  func run(_ count: Int) -> (slots: Int, pixels: Int) {
    (min(count, slots &- x), max(0, min(count, width &- x)))
  }

  /// Moves to the next row.
  @inline(__always)
  mutating func end() { (y, x) = (y &+ 1, 0) }

  /// Where channel `first` of the pixel at hand is, and how many bytes from there to that of the next.
  @inline(__always)
  func place(_ map: MapPointer, _ first: Int) -> (start: UnsafeRawPointer, step: Int) {
    let step = isColumn ? map.rowStride : map.pixelStride
    return (map.address(y &* map.rowStride &+ x &* step &+ first), step &* map.element.asked.size)
  }

  /// Where channel `first` of the pixel at hand is, and how many bytes from there to that of the next.
  @inline(__always)
  func place(_ map: MutableMapPointer, _ first: Int) -> (start: UnsafeMutableRawPointer, step: Int) {
    let step = isColumn ? map.rowStride : map.pixelStride
    return (map.address(y &* map.rowStride &+ x &* step &+ first), step &* map.element.asked.size)
  }
}

/// Prefetches the cache lines that a block will be stored to while its product is computed: a store that
/// misses the cache delays all stores after it.
@inline(never)
func prefetchOutput(
  _ task: UnsafePointer<ConvolutionTask>, begin: Int, slot: Int, count: Int, slots: Int, first: Int
) {
  var runs = PixelRuns(task.pointee.shape, begin: begin, slot: slot, slots: slots)
  var rest = count
  while rest > 0 {
    let run = runs.run(rest)
    if let residual = task.pointee.residual {
      var (source, step) = runs.place(residual, first)
      for _ in 0..<run.pixels {
        ardf_prefetch_to_read(source)
        if residual.element == .float32 { ardf_prefetch_to_read(source + 64) }
        source += step
      }
    }
    var (target, step) = runs.place(task.pointee.output, first)
    let isFloat = task.pointee.output.element == .float32
    for _ in 0..<run.pixels {
      ardf_prefetch_to_write(target)
      if isFloat { ardf_prefetch_to_write(target + 64) }
      target += step
    }
    rest &-= run.slots
    runs.end()
  }
}

/// Sums of slots `slot..<slot + count`, `slots` in a row of the rows from `begin` on, that become output channels
/// `first...`.
typealias StoredBlock = (
  task: UnsafePointer<ConvolutionTask>, sums: UnsafePointer<Float>, begin: Int, slot: Int, count: Int,
  slots: Int, first: Int
)

/// out = activation(sums + bias) + residual, or activation(sums + bias + residual or addend).
@inline(__always)
func storeBlock(_ block: StoredBlock) { storeBlock(block, as: WholeSums()) }

/// The same for sums of integers, which `scaling` makes sums.
@inline(__always)
func storeBlock<Scaling: SumScaling>(_ block: StoredBlock, as scaling: Scaling) {
  block.task.pointee.activation.run(BlockStore<Scaling>.self, (block, scaling))
}

/// Conversion of accumulated products to sums with their bias.
///
/// A type, so that a loop is compiled for each.
protocol SumScaling {
  /// The sum of sixteen channels of a block's row: the first sixteen of the panel, or the second.
  func sum(_ products: Vector, row: Int, isSecond: Bool, bias: Vector) -> Vector
}

/// Sums as they are.
struct WholeSums: SumScaling {
  @inline(__always) func sum(_ products: Vector, row: Int, isSecond: Bool, bias: Vector) -> Vector {
    products + bias
  }
}

private enum BlockStore<Scaling: SumScaling>: ActivatedLoop {
  typealias Functions = RoughFunctions
  typealias Operands = (block: StoredBlock, scaling: Scaling)

  @inline(__always)
  static func run<Function: ActivationFunction>(_ function: Function, _ operands: Operands) {
    let (block, scaling) = operands
    if let addend = block.task.pointee.addend {
      storeBlock(function, scaling, GivenPart(addend: addend, first: block.first), block)
    } else {
      storeBlock(function, scaling, NoPart(), block)
    }
  }
}

/// A part of the sums of a pixel that was computed before.
///
/// A type, so that a loop without one is not slowed by asking.
private protocol SumPart {
  /// `sum` of `count` channels from `channel` on with what is given of a pixel.
  func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector
}

private struct NoPart: SumPart {
  @inline(__always) func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector { sum }
}

private struct GivenPart: SumPart {
  let addend: Addend
  let first: Int
  @inline(__always) func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector {
    sum + Float32Element().loadSome(addend.sums(ofPixel: pixel) + (first &+ channel), count)
  }
}

@inline(never)
private func storeBlock<Function: ActivationFunction, Scaling: SumScaling, Part: SumPart>(
  _ function: Function, _ scaling: Scaling, _ part: Part, _ block: StoredBlock
) {
  let task = block.task
  let output = task.pointee.output
  let residual = task.pointee.residual
  let columns = min(panelWidth, task.pointee.shape.outChannels &- block.first)
  let bias = task.pointee.bias + block.first
  var runs = PixelRuns(task.pointee.shape, begin: block.begin, slot: block.slot, slots: block.slots)
  var row = 0
  while row < block.count {
    let run = runs.run(block.count &- row)
    var source = block.sums + row &* panelWidth
    var (target, step) = runs.place(output, block.first)
    if columns == panelWidth, residual == nil {
      output.element.run(
        WholePixels<Function, Scaling, Part>.self,
        (
          function: function, scaling: scaling, part: part, row: row, pixel: runs.pixel, pixels: run.pixels,
          sums: source, bias: bias, target: target, step: step
        ))
    } else if columns == panelWidth, let residual, residual.element == output.element {
      output.element.run(
        ResidualPixels<Function, Scaling>.self,
        (
          function: function, scaling: scaling, row: row, pixels: run.pixels, sums: source, bias: bias,
          residual: runs.place(residual, block.first), joinsSums: task.pointee.joinsSums, target: target,
          step: step
        ))
    } else {
      var (other, otherStep) = residual.map { runs.place($0, block.first) } ?? (UnsafeRawPointer(target), 0)
      for offset in 0..<run.pixels {
        storePixel(
          function, scaling, part,
          (
            task: task, row: row &+ offset, sums: source, target: target, bias: bias,
            pixel: runs.pixel &+ offset, residual: other, columns: columns
          ))
        source += panelWidth
        target += step
        other += otherStep
      }
    }
    row &+= run.slots
    runs.end()
  }
}

/// Whole panels of some pixels of a row, without a residual.
private enum WholePixels<Function: ActivationFunction, Scaling: SumScaling, Part: SumPart>: ElementLoop {
  typealias Operands = (
    function: Function, scaling: Scaling, part: Part, row: Int, pixel: Int, pixels: Int,
    sums: UnsafePointer<Float>, bias: UnsafePointer<Float>, target: UnsafeMutableRawPointer, step: Int
  )

  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ stored: Operands) {
    var (source, target) = (stored.sums, stored.target)
    let low = load(stored.bias)
    let high = panelWidth > 16 ? load(stored.bias + 16) : low
    for offset in 0..<stored.pixels {
      let left = finished(source, low, offset, isSecond: false)
      if panelWidth > 16 {
        element.storeTwo(left, finished(source + 16, high, offset, isSecond: true), target)
      } else {
        element.store(left, target)
      }
      source += panelWidth
      target += stored.step
    }

    @inline(__always)
    func finished(_ sums: UnsafePointer<Float>, _ bias: Vector, _ offset: Int, isSecond: Bool) -> Vector {
      let sum = stored.scaling.sum(load(sums), row: stored.row &+ offset, isSecond: isSecond, bias: bias)
      return stored.function.of(stored.part.added(to: sum, stored.pixel &+ offset, isSecond ? 16 : 0, 16))
    }
  }
}

/// Whole panels of some pixels of a row, with a residual in the output's element type.
private enum ResidualPixels<Function: ActivationFunction, Scaling: SumScaling>: ElementLoop {
  typealias Operands = (
    function: Function, scaling: Scaling, row: Int, pixels: Int, sums: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, residual: (start: UnsafeRawPointer, step: Int), joinsSums: Bool,
    target: UnsafeMutableRawPointer, step: Int
  )

  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ stored: Operands) {
    if stored.joinsSums {
      store(element, stored) { stored.function.of($0 + $1) }
    } else {
      store(element, stored) { stored.function.of($0) + $1 }
    }
  }

  @inline(__always)
  private static func store<Element: MapElement>(
    _ element: Element, _ stored: Operands, _ finished: (_ sum: Vector, _ residual: Vector) -> Vector
  ) {
    var (source, target, other) = (stored.sums, stored.target, stored.residual.start)
    for offset in 0..<stored.pixels {
      for half in 0..<panelWidth / 16 {
        let sum = stored.scaling.sum(
          load(source + 16 &* half), row: stored.row &+ offset, isSecond: half == 1,
          bias: load(stored.bias + 16 &* half))
        let place = 16 &* half &* element.size
        element.store(finished(sum, element.load(other + place)), target + place)
      }
      source += panelWidth
      target += stored.step
      other += stored.residual.step
    }
  }
}

/// Sums that become `columns` channels of the output pixel that is `pixel` row by row, and `row` of its block; `residual` is
/// added to them, where the task has one.
private typealias StoredPixel = (
  task: UnsafePointer<ConvolutionTask>, row: Int, sums: UnsafePointer<Float>, target: UnsafeMutableRawPointer,
  bias: UnsafePointer<Float>, pixel: Int, residual: UnsafeRawPointer, columns: Int
)

/// A pixel's channels, with a residual, or fewer than a panel of them.
@inline(__always)
private func storePixel<Function: ActivationFunction, Scaling: SumScaling, Part: SumPart>(
  _ function: Function, _ scaling: Scaling, _ part: Part, _ stored: StoredPixel
) {
  let element = stored.task.pointee.output.element.asked
  var channel = 0
  while channel < stored.columns {
    let count = min(16, stored.columns &- channel)
    let sum = scaling.sum(
      load(stored.sums + channel), row: stored.row, isSecond: channel > 0, bias: load(stored.bias + channel))
    let whole = part.added(to: sum, stored.pixel, channel, count)
    let value: Vector
    if let residual = stored.task.pointee.residual {
      let asked = residual.element.asked
      let other = asked.loadSome(stored.residual + channel &* asked.size, count)
      value = stored.task.pointee.joinsSums ? function.of(whole + other) : function.of(whole) + other
    } else {
      value = function.of(whole)
    }
    element.storeSome(value, stored.target + channel &* element.size, count)
    channel &+= 16
  }
}
