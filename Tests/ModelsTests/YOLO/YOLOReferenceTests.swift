import Geometry
import Models
import NNRuntime
import TestSupport
import Testing

@Suite(
  "YOLO11 networks of full size against Ultralytics",
  .enabled(if: References.available, "ARDF_REFERENCES names no folder of references"))
struct YOLOReferenceTests {
  /// Largest difference over the largest magnitude.
  private static let tolerance = 1e-4

  @Test("raw outputs of every variant", arguments: ["n", "s", "m", "l", "x"], [(640, 640), (480, 640)])
  func outputs(variant: String, size: (height: Int, width: Int)) throws {
    let store = try References.store("yolo11\(variant)-seg-random")
    let model = try YOLODetector(weights: store)
    #expect(model.architecture.variant?.rawValue == variant)
    let reference = try References.store("yolo11\(variant)-seg-random-\(size.height)x\(size.width).ref")
    let input = ReferenceMap(try reference.tensor(named: "input"))
    let found = try RawOutputs(
      of: model, for: input.elements, size: PixelSize(width: size.width, height: size.height))
    var worst = 0.0
    for (name, map) in found.maps {
      let error = relativeError(map.elements, ReferenceMap(try reference.tensor(named: name)).elements)
      worst = max(worst, error)
      #expect(error < Self.tolerance, "\(name)")
    }
    let error = relativeError(found.output0, try reference.tensor(named: "output0").floats())
    #expect(error < Self.tolerance)
    print("yolo11\(variant)-seg \(size.height)x\(size.width): raw \(worst), decoded \(error)")
  }

  @Test("parameters of every layer", arguments: ["n", "l"])
  func parameters(variant: String) throws {
    let expected = [
      "n": [
        464, 4672, 6640, 36992, 26080, 147712, 87040, 295424, 346112, 164608, 249728, 111296, 32096, 36992,
        86720, 147712, 378880, 717680,
      ],
      "l": [
        1856, 73984, 173824, 590336, 691712, 2_360_320, 2_234_368, 2_360_320, 2_234_368, 656896, 1_455_616,
        2_496_512, 756736, 590336, 2_365_440, 2_360_320, 2_496_512, 3_778_912,
      ],
    ]
    let counts = try Self.parameterCounts(References.store("yolo11\(variant)-seg-random"))
    #expect(counts.map(\.layer) == Array(0...10) + [13, 16, 17, 19, 20, 22, 23])
    #expect(counts.map(\.count) == expected[variant])
  }

  /// Trained numbers of every layer that has any, running statistics and counters excluded.
  private static func parameterCounts(_ store: WeightStore) throws -> [(layer: Int, count: Int)] {
    let statistics = [".running_mean", ".running_var", ".num_batches_tracked"]
    var counts: [Int: Int] = [:]
    for layer in 0..<32 {
      for name in store.root["model"][layer].names where !statistics.contains(where: name.hasSuffix) {
        counts[layer, default: 0] += try store.tensor(named: name).count
      }
    }
    return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
