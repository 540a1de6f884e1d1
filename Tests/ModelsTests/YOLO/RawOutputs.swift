import Geometry
import Models
import NNRuntime
import Testing

/// A detector's raw outputs for an input given as it is, and the decoded output that `ardf verify` makes of them.
struct RawOutputs {
  /// Maps by name, for level L = 0, 1, 2: `box.L`, `cls.L` and what else there is of an object; and `proto`.
  let maps: [String: (shape: MapShape, elements: [Float])]
  /// The numbers of all anchors: (4 + classes + extras, anchors), row-major.
  let output0: [Float]

  /// - `input`: (height, width, 3), row-major, in [0, 1].
  init(of detector: YOLODetector, for input: [Float], size: PixelSize) throws {
    let session = try detector.session(for: size)
    let ports = session.plan.outputs
    let found = try session.run(
      prepare: { target in try target.fill(target.input("input"), with: input) },
      read: { outputs in ports.map { outputs.elements(of: $0) } })
    let named = zip(ports, found).map { ($0.name, (shape: $0.shape, elements: $1)) }
    maps = Dictionary(uniqueKeysWithValues: named)
    let decoded = detector.decoding.tensors(
      of: maps.mapValues(\.elements), input: try session.plan.input("input").shape)
    output0 = try #require(decoded.first { $0.names.contains("output0") }).elements
  }
}
