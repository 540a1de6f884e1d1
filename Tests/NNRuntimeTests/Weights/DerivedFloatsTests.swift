import FileFormats
import NNRuntime
import Testing

@Suite("Weights that are computed whenever they are read")
struct DerivedFloatsTests {
  /// (rows, columns) that blocks do not divide.
  private let shape = [37, 18]
  private let values = SeededInput.uniform(count: 37 * 18)

  private var transposed: [Float] {
    (0..<shape[1]).flatMap { column in (0..<shape[0]).map { values[$0 * shape[1] + column] } }
  }

  /// The matrix where it may lie: in memory, and in a file, where floats are aligned to nothing.
  private var stored: [Tensor] {
    let bytes = FileBytes([0] + rawBytes(of: values))
    let storage = TensorStorage(bytes.slice(1..<bytes.count))
    return [
      Tensor(shape: shape, floats: values), Tensor(shape: shape, dtype: .float32, storage: storage),
    ]
  }

  @Test("a transpose has the elements in the other order, and keeps none of a file's in memory")
  func transpose() {
    for (matrix, held) in zip(stored, [4 * values.count, 0]) {
      let turned = matrix.transposed()
      #expect(turned.shape == [18, 37])
      #expect(turned.floats() == transposed)
      #expect(turned[3, 5] == matrix[5, 3])
      #expect(turned.transposed().floats() == values)
      #expect(turned.reshaped([1, 18, 37]).floats() == transposed)
      #expect(turned.heldBytes == held)
    }
  }

  @Test("a transpose of half precision is exact")
  func half() {
    let half = Tensor(shape: shape, roundingToHalf: values)
    let single = Tensor(shape: shape, floats: half.floats())
    #expect(half.transposed().floats() == single.transposed().floats())
  }

  @Test("a matrix without elements has a transpose without elements")
  func empty() {
    #expect(Tensor(shape: [0, 3], floats: []).transposed().floats() == [])
  }

  @Test("an infinity is found where it is read")
  func nonFinite() {
    var broken = values
    broken[7 * 18 + 2] = .infinity
    #expect(Tensor(shape: shape, floats: broken).transposed().firstNonFinite == 2 * 37 + 7)
  }

  @Test("8-bit weights of a file keep no floats in memory")
  func quantized() throws {
    let rounded = try #require(QuantizedTensor(Tensor(shape: [18, 37], floats: transposed)))
    let steps = zip(0..., rounded.integers.floats()).map { rounded.scales[$0 / 37] * $1 }
    #expect(rounded.floats.floats() == steps)
    #expect(rounded.floats.heldBytes == rounded.integers.heldBytes)
  }
}
