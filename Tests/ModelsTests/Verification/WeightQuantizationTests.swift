import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification
import TestSupport
import Testing

@Suite("Weights of 8 bits") struct WeightQuantizationTests {
  /// How a run on one picture ended, and the networks that it made.
  private func run(maxError: Double) throws -> (weights: WeightQuantization.RoundedWeights, networks: Int) {
    let path = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/depth-tiny.safetensors"
    let size = PixelSize(width: 28, height: 28)
    let picture = RGBImage(
      width: 28, height: 28, pixels: (0..<28 * 28 * 3).map { UInt8(truncatingIfNeeded: $0 * 37) })
    var networks = 0
    let quantization = WeightQuantization(try WeightStore(path: path)) { store in
      networks += 1
      let network = try InspectedNetwork(weights: store)
      return CalibratedNetwork(
        name: network.name, sessions: [try network.session(for: size)],
        pictures: [.init(session: 0) { try network.fill($0, with: picture, size: size) }])
    }
    return (try quantization.run(maxError: maxError) { _, _ in }, networks)
  }

  @Test("tensors are tried one by one only where some must stay")
  func ranking() throws {
    let whole = try run(maxError: 0.99)
    let rounded = whole.weights.entries.filter { $0.quantized != nil }.count
    #expect(whole.networks == 2 && rounded > 4)
    #expect(whole.weights.entries.allSatisfy { $0.error == nil })
    let part = try run(maxError: whole.weights.error * 0.7)
    #expect(part.networks > rounded + 2)
    #expect(part.weights.error <= whole.weights.error * 0.7)
    #expect(part.weights.entries.contains { $0.quantized == nil && $0.error != nil })
  }
}
