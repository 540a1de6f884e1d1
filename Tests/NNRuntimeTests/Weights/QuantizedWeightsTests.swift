import FileFormats
import NNRuntime
import TestSupport
import Testing

@Suite("Weights of 8 bits in a file")
struct QuantizedWeightsTests {
  private let weights = Tensor(
    shape: [8, 16],
    floats: SeededInput.uniform(count: 128).enumerated().map { ($1 - 0.5) * Float(1 + $0 / 16) })

  /// A file of one tensor, whose scales `edit` may change.
  private func write(
    _ folder: TemporaryDirectory, checked: Bool = true, _ edit: (inout [Float]) -> Void = { _ in }
  ) throws -> (path: String, rounded: QuantizedTensor) {
    let rounded = try #require(QuantizedTensor(weights))
    var scales = rounded.scales
    edit(&scales)
    let path = folder.file("w8.safetensors")
    try SafetensorsWriter.write(
      [
        "a.weight": rounded.integers,
        "a.weight_scale": Tensor(shape: [scales.count], floats: scales),
      ],
      metadata: checked
        ? [QuantizedWeights.checksumKey: QuantizedWeights.checksum(["a.weight": rounded.scales])] : [:],
      to: path, overwrite: true)
    return (path, rounded)
  }

  @Test("a network takes the numbers that the integers stand for, each within half a step of the weights")
  func roundTrip() throws {
    let folder = try TemporaryDirectory()
    let (path, rounded) = try write(folder)
    let store = try WeightStore(path: path)
    #expect(store.names == ["a.weight"])
    #expect(store.storedType(of: "a.weight") == .int8)
    let taken = try store.weight(named: "a.weight", shape: [8, 16])
    #expect(taken.floats() == rounded.floats.floats())
    try store.verifyAllUsed()
    for (index, (found, wanted)) in zip(taken.floats(), weights.floats()).enumerated() {
      let most = 127 * rounded.scales[index / 16]
      #expect(abs(found - min(max(wanted, -most), most)) <= rounded.scales[index / 16] * 0.5001)
    }
    // Rounding what is rounded changes nothing but the last digits of scales.
    let again = try #require(QuantizedTensor(taken))
    #expect(again.integers.floats() == rounded.integers.floats())
  }

  @Test("scales that were edited, and those that are no scales, are refused with what to do")
  func editedScales() throws {
    let folder = try TemporaryDirectory()
    func kind(checked: Bool = true, _ edit: (inout [Float]) -> Void) throws -> WeightError.Kind? {
      let path = try write(folder, checked: checked, edit).path
      do {
        _ = try WeightStore(path: path)
        return nil
      } catch { return error.kind }
    }
    #expect(try kind { $0[3] *= 2 } == .changedScales)
    #expect(try kind(checked: false) { $0[3] *= 2 } == nil)
    #expect(try kind { $0[3] = 0 } == .badScale(channel: 3))
    #expect(try kind { $0[2] = .nan } == .badScale(channel: 2))
    #expect(try kind { $0.removeLast() } == .wrongScales(found: [7], expected: 8))
    #expect("\(WeightError(.changedScales, file: "w"))".contains("quantize again"))
  }

  @Test("integers without scales are no weights, and small tensors stay floats")
  func others() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("w.safetensors")
    let rounded = try #require(QuantizedTensor(weights))
    try SafetensorsWriter.write(["a": rounded.integers], to: path, overwrite: true)
    let store = try WeightStore(path: path)
    #expect(throws: WeightError(.notFloat(.int8), tensor: "a", file: path)) {
      try store.weight(named: "a", shape: [8, 16])
    }
    for shape in [[128], [4, 32], [16, 8]] {
      #expect(QuantizedTensor(Tensor(shape: shape, floats: weights.floats())) == nil)
    }
  }

  @Test("a channel of zeros stays zeros")
  func zeros() throws {
    let rounded = try #require(
      QuantizedTensor(Tensor(shape: [8, 16], floats: [Float](repeating: 0, count: 128))))
    #expect(rounded.floats.floats().allSatisfy { $0 == 0 })
    #expect(rounded.scales.allSatisfy { $0 > 0 })
  }
}
