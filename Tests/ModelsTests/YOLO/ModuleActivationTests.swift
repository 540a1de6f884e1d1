import Foundation
import Models
import NNRuntime
import TestSupport
import Testing

/// Activations that the metadata of weight files give to single modules.
@Suite struct ModuleActivationTests {
  private func store(_ name: String, _ activations: String) throws -> WeightStore {
    let golden = try Golden.store(name)
    var tensors: [String: Tensor] = [:]
    for name in golden.names { tensors[name] = try golden.tensor(named: name) }
    return WeightStore(tensors: tensors, metadata: ["activations": activations])
  }

  /// The reference's `SPPF` without an activation after `cv1`, which is an older design's with that told.
  @Test func theMissingActivationIsTheReferences() throws {
    let weights = try store("yolo-sppf-linear", "{\"cv1\":\"none\"}")
    let input = ReferenceMap(try weights.tensor(named: "input"))
    let expected = ReferenceMap(try weights.tensor(named: "output"))
    // The newer design has a shortcut besides.
    let block = try SPPF(weights.root, 32, 32, isPlain: true)
    for fuse in [true, false] {
      let found = try run([input], options: PlanOptions(fuse: fuse)) { _, inputs in
        [block(inputs[0]).adding(inputs[0], name: "shortcut")]
      }
      #expect(relativeError(found[0], expected.elements) < 2e-5, "fuse \(fuse)")
    }
  }

  @Test(arguments: [true, false]) func activationsAreComputed(fuse: Bool) throws {
    func output(_ name: String) throws -> [Float] {
      let weights = try store("yolo-conv-3x3", "{\"\":\"\(name)\"}")
      let input = ReferenceMap(try weights.tensor(named: "input"))
      let block = try ConvBlock(weights.root, 16, 24, kernel: 3)
      return try run([input], options: PlanOptions(fuse: fuse)) { _, inputs in [block(inputs[0])] }[0]
    }
    let plain = try output("none")
    #expect(plain.contains { $0 < -0.1 } && plain.contains { $0 > 0.1 })
    #expect(relativeError(try output("relu"), plain.map { max($0, 0) }) < 1e-6)
    #expect(relativeError(try output("leakyrelu 0.125"), plain.map { $0 > 0 ? $0 : 0.125 * $0 }) < 1e-6)
    #expect(relativeError(try output("silu"), plain.map { $0 / (1 + Foundation.exp(-$0)) }) < 1e-5)
  }
}
