/// Products of matrices that are both computed: out[batch] = a[batch] b[batch], of (rows, depth) and (depth, columns).
///
/// Each matrix lies where its start says, its rows and columns any number of elements apart.
public struct MatrixTask {
  /// One of the two operands.
  public struct Operand {
    /// The first element of the map.
    public var base: UnsafePointer<Float>
    /// Elements from there to each batch's matrix.
    public var starts: UnsafePointer<Int>
    /// Elements from one row, and from one column, to the next.
    public var rowStride, columnStride: Int

    /// An operand in the given memory.
    public init(base: UnsafePointer<Float>, starts: UnsafePointer<Int>, rowStride: Int, columnStride: Int) {
      self.base = base
      self.starts = starts
      self.rowStride = rowStride
      self.columnStride = columnStride
    }
  }

  /// How many products, and their sizes.
  public var batches, rows, depth, columns: Int
  /// The factors.
  public var a, b: Operand
  /// The map that is made, columns next to each other.
  public var output: UnsafeMutablePointer<Float>
  /// Elements from one batch, and from one row, to the next in `output`.
  public var outputBatchStride, outputRowStride: Int

  /// Products on the given memory.
  public init(
    batches: Int, rows: Int, depth: Int, columns: Int, a: Operand, b: Operand,
    output: UnsafeMutablePointer<Float>, outputBatchStride: Int, outputRowStride: Int
  ) {
    self.batches = batches
    self.rows = rows
    self.depth = depth
    self.columns = columns
    self.a = a
    self.b = b
    self.output = output
    self.outputBatchStride = outputBatchStride
    self.outputRowStride = outputRowStride
  }

  /// Rows of an item; an item is so many rows of 16 columns of a batch, columns by columns.
  public static var itemRows: Int { 192 }
  /// Columns of an item.
  public static var itemColumns: Int { 16 }
  /// Blocks of columns, and of rows.
  public var columnBlocks: Int { (columns + Self.itemColumns - 1) / Self.itemColumns }
  /// Blocks of rows.
  public var rowBlocks: Int { (rows + Self.itemRows - 1) / Self.itemRows }
  /// All items.
  public var items: Int { batches * columnBlocks * rowBlocks }
}
