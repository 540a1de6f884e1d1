/// Elementwise function of `a`, and where the case says so of `b`, `scale`, `shift`.
public enum ElementwiseOperation: UInt8, Sendable, CaseIterable {
  /// activation(a)
  case unary
  /// activation(a + b)
  case add
  /// activation(a * scale[channel] + shift[channel])
  case affine
  /// activation(a - b)
  case subtract
  /// activation(a * b)
  case multiply
  /// activation(a / b)
  case divide
  /// activation of the greater, or of NaN where either is NaN
  case maximum
  /// activation of the less, or of NaN where either is NaN
  case minimum
}

/// An elementwise step over `pixels` (row-major, `width` a row) of `channels` each.
public struct ElementwiseTask {
  /// The computation.
  public var operation: ElementwiseOperation
  /// Applied to the sum before it is stored.
  public var activation: Activation
  /// Pixels a row, channels a pixel.
  public var width, channels: Int
  /// The first operand.
  public var a: MapPointer
  /// The second operand, where the operation has one.
  public var b: MapPointer?
  /// One per channel, where the operation has them.
  public var scale, shift: UnsafePointer<Float>?
  /// May be `a` or `b` itself.
  public var output: MutableMapPointer

  /// An elementwise step on the given memory.
  public init(
    operation: ElementwiseOperation, activation: Activation, width: Int, channels: Int, a: MapPointer,
    b: MapPointer?, scale: UnsafePointer<Float>?, shift: UnsafePointer<Float>?, output: MutableMapPointer
  ) {
    self.operation = operation
    self.activation = activation
    self.width = width
    self.channels = channels
    self.a = a
    self.b = b
    self.scale = scale
    self.shift = shift
    self.output = output
  }
}

/// A softmax over the channels of every pixel, in groups.
public struct SoftmaxTask {
  /// Pixels a row, channels of a group, and groups of a pixel, one after the other.
  public var width, channels, groups: Int
  /// The map that is read.
  public var input: MapPointer
  /// The map that is made; may be the input itself.
  public var output: MutableMapPointer

  /// A softmax on the given memory.
  public init(
    width: Int, channels: Int, groups: Int = 1, input: MapPointer, output: MutableMapPointer
  ) {
    self.width = width
    self.channels = channels
    self.groups = groups
    self.input = input
    self.output = output
  }
}
