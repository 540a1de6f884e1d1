// The register tile of attention's second product: rows of C are sums of the rows of B, weighted by the
// columns of A. The weights of all rows at one k are contiguous, unlike in `TileProduct`, where each row of A
// is contiguous along k.

/// The weighted sum of one tile: C[row] = C[row] * factors[row] + sum over k of weights[k, row] * B[k].
///
/// `depth` counts the rows of B. `weights` is A at the tile's first row, `weightStride` floats from one k to the
/// next; `columns` is B, `columnStride` floats from one k to the next; `factors` has one per row of the tile;
/// `output` is C, `outputStride` floats from one row to the next. A tuple, since the value witnesses of a struct
/// would be functions that other modules share by name.
typealias WeightedSum = (
  depth: Int, weights: UnsafePointer<Float>, weightStride: Int, columns: UnsafePointer<Float>,
  columnStride: Int,
  factors: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>, outputStride: Int
)

/// Some rows of accumulators.
private protocol WeightedRows {
  static var count: Int { get }
  init()
  mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>)
  func merge(into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>)
}

/// One row, sixteen columns.
private struct NarrowWeightedRow: WeightedRows {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>) {
    sum = multiplyAdd(InstructionSet.repeated(weights), load(columns), sum)
  }
  @inline(__always) mutating func add(_ weight: Float, _ columns: UnsafePointer<Float>) {
    sum = multiplyAdd(Vector(repeating: weight), load(columns), sum)
  }
  @inline(__always) func merge(
    into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>
  ) {
    store(multiplyAdd(load(output), Vector(repeating: factors[0]), sum), output)
  }
}

/// Four rows, sixteen columns, whose weights are elements of one register.
private struct FourWeightedRows: WeightedRows {
  var rows = Four<NarrowWeightedRow>()
  @inline(__always) static var count: Int { 4 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>) {
    let elements = UnsafeRawPointer(weights).loadUnaligned(as: SIMD4<Float>.self)
    rows.upper.upper.add(elements[0], columns)
    rows.upper.lower.add(elements[1], columns)
    rows.lower.upper.add(elements[2], columns)
    rows.lower.lower.add(elements[3], columns)
  }
  @inline(__always) func merge(
    into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>
  ) {
    rows.merge(into: output, stride: stride, factors: factors)
  }
}

/// Two of them.
private struct TwoWeightedRows: WeightedRows {
  var rows = Two<NarrowWeightedRow>()
  @inline(__always) static var count: Int { 2 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>) {
    let elements = UnsafeRawPointer(weights).loadUnaligned(as: SIMD2<Float>.self)
    rows.upper.add(elements[0], columns)
    rows.lower.add(elements[1], columns)
  }
  @inline(__always) func merge(
    into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>
  ) {
    rows.merge(into: output, stride: stride, factors: factors)
  }
}

/// One row, thirty-two columns.
private struct WideWeightedRow: WeightedRows {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>) {
    let weight = InstructionSet.repeated(weights)
    low = multiplyAdd(weight, load(columns), low)
    high = multiplyAdd(weight, load(columns + 16), high)
  }
  @inline(__always) func merge(
    into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>
  ) {
    let factor = Vector(repeating: factors[0])
    store(multiplyAdd(load(output), factor, low), output)
    store(multiplyAdd(load(output + 16), factor, high), output + 16)
  }
}

/// Two groups, one above the other.
private struct WeightedStack<Upper: WeightedRows, Lower: WeightedRows>: WeightedRows {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count + Lower.count }
  @inline(__always) init() {}
  @inline(__always) mutating func step(_ weights: UnsafePointer<Float>, _ columns: UnsafePointer<Float>) {
    upper.step(weights, columns)
    lower.step(weights + Upper.count, columns)
  }
  @inline(__always) func merge(
    into output: UnsafeMutablePointer<Float>, stride: Int, factors: UnsafePointer<Float>
  ) {
    upper.merge(into: output, stride: stride, factors: factors)
    lower.merge(into: output + Upper.count * stride, stride: stride, factors: factors + Upper.count)
  }
}

private typealias Two<Row: WeightedRows> = WeightedStack<Row, Row>
private typealias Four<Row: WeightedRows> = WeightedStack<Two<Row>, Two<Row>>
private typealias Five<Row: WeightedRows> = WeightedStack<Four<Row>, Row>
private typealias Six<Row: WeightedRows> = WeightedStack<Four<Row>, Two<Row>>
private typealias Eight<Row: WeightedRows> = WeightedStack<Four<Row>, Four<Row>>
private typealias Ten<Row: WeightedRows> = WeightedStack<Eight<Row>, Two<Row>>
private typealias Eleven<Row: WeightedRows> = WeightedStack<Ten<Row>, Row>

@inline(__always)
private func add<Rows: WeightedRows>(_: Rows.Type, _ sum: WeightedSum) {
  var sums = Rows()
  var weights = sum.weights
  var columns = sum.columns
  for _ in 0..<sum.depth {
    sums.step(weights, columns)
    weights += sum.weightStride
    columns += sum.columnStride
  }
  sums.merge(into: sum.output, stride: sum.outputStride, factors: sum.factors)
}

/// Rows that one call of `addWeightedRows` takes, of `remaining` that are left: shares of sixteen or
/// thirty-two rows that differ by one at most and fit in registers.
@inline(__always)
func weightedTileRows(remaining: Int) -> Int {
  if InstructionSet.tileRows >= 14 {
    remaining > 16 ? 11 : remaining == 10 ? 10 : 8
  } else if InstructionSet.tileRows >= 6 {
    remaining > 11 ? 6 : 5
  } else {
    2
  }
}

/// Adds up `rows` rows (one of the counts that `weightedTileRows` returns), 32 or 16 columns.
@inline(never)
func addWeightedRows(_ sum: WeightedSum, rows: Int, columns: Int) {
  if InstructionSet.multipliesElements {
    if rows == 6 {
      add(WeightedStack<FourWeightedRows, TwoWeightedRows>.self, sum)
    } else {
      add(WeightedStack<FourWeightedRows, NarrowWeightedRow>.self, sum)
    }
  } else if InstructionSet.panelWidth > 16, columns > 16 {
    addRows(WideWeightedRow.self, sum, rows)
  } else {
    addRows(NarrowWeightedRow.self, sum, rows)
  }
}

@inline(__always)
private func addRows<Row: WeightedRows>(_: Row.Type, _ sum: WeightedSum, _ rows: Int) {
  if InstructionSet.tileRows >= 14 {
    switch rows {
    case 11: add(Eleven<Row>.self, sum)
    case 10: add(Ten<Row>.self, sum)
    default: add(Eight<Row>.self, sum)
    }
  } else if InstructionSet.tileRows >= 6 {
    switch rows {
    case 6: add(Six<Row>.self, sum)
    default: add(Five<Row>.self, sum)
    }
  } else {
    add(Two<Row>.self, sum)
  }
}
