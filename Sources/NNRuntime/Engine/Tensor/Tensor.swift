import FileFormats

/// A dense row-major array of one element type, immutable.
public struct Tensor: Sendable {
  /// The extents, outermost first; empty for a single value.
  public let shape: [Int]
  /// The type of the stored elements.
  public let dtype: DType
  /// The elements' bytes, `count` times `dtype.size` of them.
  package let storage: TensorStorage

  /// A tensor over existing bytes, whose number must be what `shape` and `dtype` need.
  package init(shape: [Int], dtype: DType, storage: TensorStorage) {
    precondition(
      dtype.byteCount(shape: shape) == storage.count, "shape \(shape) of \(dtype) in \(storage.count) bytes")
    self.shape = shape
    self.dtype = dtype
    self.storage = storage
  }

  /// A single-precision tensor of row-major values.
  public init(shape: [Int], floats: [Float]) {
    self.init(shape: shape, dtype: .float32, storage: TensorStorage(floats))
  }

  /// A half-precision tensor of row-major values, each rounded to the nearest.
  public init(shape: [Int], roundingToHalf floats: [Float]) {
    self.init(
      shape: shape, dtype: .float16,
      storage: TensorStorage(copying: floats.map { HalfPrecision.binary16(from: $0) }))
  }

  /// The number of elements.
  public var count: Int { storage.count / dtype.size }

  /// All elements as single-precision numbers: exact for 16-bit and single floats, rounded otherwise.
  public func floats() -> [Float] { storage.floats(dtype) }

  /// One element as a single-precision number; the index must lie within the shape.
  public subscript(index: Int...) -> Float {
    precondition(index.count == shape.count, "an index of \(index.count) for \(shape.count) dimensions")
    var flat = 0
    for (position, extent) in zip(index, shape) {
      precondition((0..<extent).contains(position), "index \(index) outside \(shape)")
      flat = flat * extent + position
    }
    let element = storage.withBytes { bytes in
      (0..<dtype.size).map { bytes[flat * dtype.size + $0] }
    }
    return TensorStorage(copying: element).floats(dtype)[0]
  }

  /// The same elements under another shape with the same product.
  public func reshaped(_ shape: [Int]) -> Tensor { Tensor(shape: shape, dtype: dtype, storage: storage) }

  /// The transpose (columns, rows) of a matrix (rows, columns), in single precision.
  ///
  /// The elements stay where they are; they change places whenever they are read.
  package func transposed() -> Tensor {
    precondition(shape.count == 2, "\(shape) is not a matrix")
    return Tensor(
      shape: [shape[1], shape[0]], dtype: .float32, storage: TensorStorage(.transposed(self)))
  }

  /// Bytes that it keeps in memory, those of a file left out.
  package var heldBytes: Int { storage.heldBytes }

  /// The flat index of the first infinity or NaN, nil when all elements are finite.
  public var firstNonFinite: Int? { storage.firstNonFinite(dtype) }
}
