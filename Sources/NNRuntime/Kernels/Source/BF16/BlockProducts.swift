/// Products of bf16 by an instruction set's own instructions: each target that compiles these sources has one `OwnProducts`.
protocol BlockProducts {
  /// Floats of memory that a product works in.
  static var productRoom: Int { get }
  /// Rows of a block that leave nothing over.
  static func wholeBlock(tiles: Bool) -> Int
  /// Prepares for products of a step.
  static func beginProducts(step: Int, tiles: Bool)
  /// Gives back what `beginProducts` took.
  static func endProducts(tiles: Bool)
  /// Multiplies the first `rows` rows, at most `blockRows`, with 16 or 32 columns.
  static func multiplyBlock(
    _ product: BlockProduct, tiles: Bool, rows: Int, columnTiles: Int, _ room: UnsafeMutablePointer<Float>)
  /// Adds the weighted values of 32 channels to the output.
  static func addValues(_ product: BlockProduct, _ room: UnsafeMutablePointer<Float>)
  /// The weights of a block of keys, and their sums, from scores in bf16.
  static func weighBounded(_ panel: QueryPanel, _ keys: KeyBlock, of attention: RoundedAttention)
}
