// The register tile: R rows of A times one panel of B, accumulated in registers.
//
// Rows are composed by type (`Stack`), so every row count is its own straight-line inner loop: no array of
// accumulators that could end up in memory. `objdump -d` shows one broadcast and `Columns` multiply-adds a
// row and step.

/// What one tile multiplies: C (rows x columns) = sum over segments s and k of A[s, row, k] * B[s * depth + k].
struct TileProduct {
  /// Pieces of the inner dimension that are contiguous in A, and their length.
  var segments: Int
  var depth: Int
  /// (segments, rowCapacity): where each row of each segment starts.
  var rows: UnsafePointer<UnsafePointer<Float>>
  var rowCapacity: Int
  /// B, `columnStride` floats from one k to the next.
  var columns: UnsafePointer<Float>
  var columnStride: Int
  /// C, `outputStride` floats from one row to the next.
  var output: UnsafeMutablePointer<Float>
  var outputStride: Int
}

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Vector {
  UnsafeRawPointer(pointer).loadUnaligned(as: Vector.self)
}

@inline(__always)
func store(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: Vector.self)
}

/// The columns of B that one step multiplies.
protocol TileColumns {
  init(at pointer: UnsafePointer<Float>)
}

struct OneVector: TileColumns {
  let first: Vector
  @inline(__always) init(at pointer: UnsafePointer<Float>) { first = load(pointer) }
}

struct TwoVectors: TileColumns {
  let first, second: Vector
  @inline(__always) init(at pointer: UnsafePointer<Float>) {
    first = load(pointer)
    second = load(pointer + 16)
  }
}

/// Some rows of accumulators.
protocol RowGroup {
  associatedtype Columns: TileColumns
  static var count: Int { get }
  init()
  mutating func step(_ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: Columns)
  func store(to output: UnsafeMutablePointer<Float>, stride: Int)
}

/// One row, sixteen columns.
struct NarrowRow: RowGroup {
  var sum = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: OneVector
  ) {
    sum = multiplyAdd(Vector(repeating: rows[0][k]), columns.first, sum)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    UnsafeMutableRawPointer(output).storeBytes(of: sum, as: Vector.self)
  }
}

/// One row, thirty-two columns.
struct WideRow: RowGroup {
  var low = Vector(repeating: 0)
  var high = Vector(repeating: 0)
  @inline(__always) static var count: Int { 1 }
  @inline(__always) init() {}
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: TwoVectors
  ) {
    let x = Vector(repeating: rows[0][k])
    low = multiplyAdd(x, columns.first, low)
    high = multiplyAdd(x, columns.second, high)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    UnsafeMutableRawPointer(output).storeBytes(of: low, as: Vector.self)
    UnsafeMutableRawPointer(output + 16).storeBytes(of: high, as: Vector.self)
  }
}

/// Two groups, one above the other.
struct Stack<Upper: RowGroup, Lower: RowGroup>: RowGroup where Upper.Columns == Lower.Columns {
  var upper = Upper()
  var lower = Lower()
  @inline(__always) static var count: Int { Upper.count + Lower.count }
  @inline(__always) init() {}
  @inline(__always) mutating func step(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ k: Int, _ columns: Upper.Columns
  ) {
    upper.step(rows, k, columns)
    lower.step(rows + Upper.count, k, columns)
  }
  @inline(__always) func store(to output: UnsafeMutablePointer<Float>, stride: Int) {
    upper.store(to: output, stride: stride)
    lower.store(to: output + Upper.count * stride, stride: stride)
  }
}

typealias Rows2<Row: RowGroup> = Stack<Row, Row>
typealias Rows3<Row: RowGroup> = Stack<Rows2<Row>, Row>
typealias Rows4<Row: RowGroup> = Stack<Rows2<Row>, Rows2<Row>>
typealias Rows5<Row: RowGroup> = Stack<Rows4<Row>, Row>
typealias Rows6<Row: RowGroup> = Stack<Rows4<Row>, Rows2<Row>>
typealias Rows7<Row: RowGroup> = Stack<Rows4<Row>, Rows3<Row>>
typealias Rows8<Row: RowGroup> = Stack<Rows4<Row>, Rows4<Row>>
typealias Rows9<Row: RowGroup> = Stack<Rows8<Row>, Row>
typealias Rows10<Row: RowGroup> = Stack<Rows8<Row>, Rows2<Row>>
typealias Rows11<Row: RowGroup> = Stack<Rows8<Row>, Rows3<Row>>
typealias Rows12<Row: RowGroup> = Stack<Rows8<Row>, Rows4<Row>>
typealias Rows13<Row: RowGroup> = Stack<Rows8<Row>, Rows5<Row>>
typealias Rows14<Row: RowGroup> = Stack<Rows8<Row>, Rows6<Row>>

/// The inner loops of one tile.
@inline(__always)
func multiply<Rows: RowGroup>(_: Rows.Type, _ product: TileProduct) {
  var sums = Rows()
  var rows = product.rows
  var columns = product.columns
  for _ in 0..<product.segments {
    for k in 0..<product.depth {
      sums.step(rows, k, Rows.Columns(at: columns))
      columns += product.columnStride
    }
    rows += product.rowCapacity
  }
  sums.store(to: product.output, stride: product.outputStride)
}
