import FileFormats

/// Elements of one type in a shape, row-major: what goes into a network of an ONNX file, and what comes out of it.
public struct ONNXTensor: Sendable {
  package let tensor: Tensor

  init(_ tensor: Tensor) { self.tensor = tensor }

  /// A tensor of single precision.
  ///
  /// - Parameters:
  ///   - shape: Its sides, the outermost first.
  ///   - floats: Its elements, row-major.
  /// - Throws: `ONNXError.input` for another number of elements than the shape has.
  public init(shape: [Int], floats: [Float]) throws(ONNXError) {
    try Self.check(shape, floats.count)
    tensor = Tensor(shape, floats)
  }

  /// A tensor of integers of 64 bits.
  ///
  /// - Parameters:
  ///   - shape: Its sides, the outermost first.
  ///   - integers: Its elements, row-major.
  /// - Throws: `ONNXError.input` for another number of elements than the shape has.
  public init(shape: [Int], integers: [Int64]) throws(ONNXError) {
    try Self.check(shape, integers.count)
    tensor = Tensor(shape, integers)
  }

  /// A tensor of truth values.
  ///
  /// - Parameters:
  ///   - shape: Its sides, the outermost first.
  ///   - bools: Its elements, row-major.
  /// - Throws: `ONNXError.input` for another number of elements than the shape has.
  public init(shape: [Int], bools: [Bool]) throws(ONNXError) {
    try Self.check(shape, bools.count)
    tensor = Tensor(shape, bools)
  }

  /// A tensor of any type of numbers.
  ///
  /// - Parameters:
  ///   - type: The type of its elements; not text.
  ///   - shape: Its sides, the outermost first.
  ///   - numbers: Its elements, row-major, which are rounded to the type.
  /// - Throws: `ONNXError.input` for texts, and for another number of elements than the shape has.
  public init(type: ElementType, shape: [Int], numbers: [Double]) throws(ONNXError) {
    try Self.check(shape, numbers.count)
    guard type != .string else { throw .input("texts are not made of numbers") }
    tensor = Tensor(type, shape, doubles: numbers)
  }

  /// The type of the elements.
  public var type: ElementType { tensor.type }
  /// The sides, the outermost first; empty of a single value.
  public var shape: [Int] { tensor.shape }
  /// The elements in single precision, rounded where they need more digits; empty of texts.
  public var floats: [Float] { tensor.type == .string ? [] : tensor.floats() }
  /// The elements in double precision; empty of texts.
  public var doubles: [Double] { tensor.doubles() }
  /// The elements as integers, fractions cut off; empty of texts.
  public var integers: [Int] { tensor.type == .string ? [] : tensor.integers() }

  private static func check(_ shape: [Int], _ count: Int) throws(ONNXError) {
    do {
      guard try Shape.count(shape) != count else { return }
    } catch {
      throw .input("\(error)")
    }
    throw .input("\(counted(count, "element")) for shape \(Shape.text(shape))")
  }
}
