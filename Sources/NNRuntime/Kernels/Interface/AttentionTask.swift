/// Scaled dot-product attention: out = softmax(q k^T * scale) v, one head after another.
///
/// Token t of head h starts at `query + t * tokenStride + h * queryHeadStride`; keys, values and output alike. A kernel of
/// floats also takes keys of another number, groups of heads, and addends on the products; others take what the
/// initializer sets.
public struct AttentionTask {
  /// Tokens, and heads side by side in each.
  public var tokens, heads: Int
  /// Width of a query or key, and of a value.
  public var keyWidth, valueWidth: Int
  /// Factor on q k^T.
  public var scale: Float
  /// First token of head 0.
  public var query, key, value: UnsafePointer<Float>
  /// Element types there and at `output`; if not floats, only the addresses count.
  public var element = ElementType.float32, outputElement = ElementType.float32
  /// Elements from one token to the next in `query`, `key` and `value`.
  public var tokenStride: Int
  /// Elements from one head to the next.
  public var queryHeadStride, keyHeadStride, valueHeadStride: Int
  /// The map that is made.
  public var output: UnsafeMutablePointer<Float>
  /// Elements from one token, and from one head, to the next in `output`.
  public var outputTokenStride, outputHeadStride: Int
  /// Keys and values of each head, and elements from one to the next.
  public var keyTokens, keyTokenStride, valueTokenStride: Int
  /// Groups of `heads` with tokens of their own, and elements from one group to the next.
  public var groups = 1, queryGroupStride = 0, keyGroupStride = 0, valueGroupStride = 0, outputGroupStride = 0
  /// Addends of the scaled products: for each head, all queries of a key next to each other.
  public var addends: UnsafePointer<Float>?
  /// Elements from one group, head and key to the next in `addends`.
  public var addendGroupStride = 0, addendHeadStride = 0, addendKeyStride = 0

  /// An attention on the given memory.
  public init(
    tokens: Int, heads: Int, keyWidth: Int, valueWidth: Int, scale: Float, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, tokenStride: Int, queryHeadStride: Int,
    keyHeadStride: Int, valueHeadStride: Int, output: UnsafeMutablePointer<Float>, outputTokenStride: Int,
    outputHeadStride: Int
  ) {
    self.tokens = tokens
    self.heads = heads
    self.keyWidth = keyWidth
    self.valueWidth = valueWidth
    self.scale = scale
    self.query = query
    self.key = key
    self.value = value
    self.tokenStride = tokenStride
    self.queryHeadStride = queryHeadStride
    self.keyHeadStride = keyHeadStride
    self.valueHeadStride = valueHeadStride
    self.output = output
    self.outputTokenStride = outputTokenStride
    self.outputHeadStride = outputHeadStride
    (keyTokens, keyTokenStride, valueTokenStride) = (tokens, tokenStride, tokenStride)
  }
}
