import Geometry
import Models
import NNRuntime
import Testing

@Suite("YOLO11 blocks against Ultralytics")
struct YOLOBlockTests {
  /// Single precision through at most some ten layers.
  private static let tolerance = 2e-5

  @Test(
    "a block's output is the reference's, fused and not",
    arguments: [
      "conv-3x3", "conv-3x3-stride2", "conv-1x1", "conv-depthwise", "conv-linear", "conv-folded",
      "bottleneck",
      "c3k", "c3k2-bottleneck", "c3k2-quarter", "c3k2-c3k", "attention", "sppf", "proto", "c2f", "c2f-plain",
      "c3k2-attention", "sppf-linear", "classify",
    ])
  func block(name: String) throws {
    let store = try Golden.store("yolo-\(name)")
    let input = ReferenceMap(try store.tensor(named: "input"))
    let expected = ReferenceMap(try store.tensor(named: "output"))
    let block = try Self.block(name, store.root)
    for fuse in [true, false] {
      let found = try run([input], options: PlanOptions(fuse: fuse)) { _, inputs in [block(inputs[0])] }
      #expect(relativeError(found[0], expected.elements) < Self.tolerance, "fuse \(fuse)")
    }
    try store.verifyAllUsed()
  }

  @Test("prototypes of three levels are the reference's, fused and not")
  func prototypes() throws {
    let store = try Golden.store("yolo-proto26")
    let levels = try (0..<3).map { ReferenceMap(try store.tensor(named: "input.\($0)")) }
    let expected = ReferenceMap(try store.tensor(named: "output"))
    let block = try Proto26(store.root, channels: [16, 24, 32], hidden: 16, prototypes: 8, classes: 3)
    for fuse in [true, false] {
      let found = try run(levels, options: PlanOptions(fuse: fuse)) { _, inputs in [block(inputs)] }
      #expect(relativeError(found[0], expected.elements) < Self.tolerance, "fuse \(fuse)")
    }
    try store.verifyAllUsed()
  }

  private static func block(_ name: String, _ weights: WeightScope) throws -> (Value) -> Value {
    switch name {
    case "conv-3x3", "conv-folded": try ConvBlock(weights, 16, 24, kernel: 3).callAsFunction
    case "conv-3x3-stride2": try ConvBlock(weights, 3, 16, kernel: 3, stride: 2).callAsFunction
    case "conv-1x1": try ConvBlock(weights, 24, 40).callAsFunction
    case "conv-depthwise": try ConvBlock(weights, 24, 24, kernel: 3, groups: 24).callAsFunction
    case "conv-linear": try ConvBlock(weights, 24, 16, activated: false).callAsFunction
    case "bottleneck": try Bottleneck(weights, 16, hidden: 8).callAsFunction
    case "c3k": try C3k(weights, 16).callAsFunction
    case "c3k2-bottleneck": try C3k2(weights, 24, 32, repeats: 2, c3k: false).callAsFunction
    case "c3k2-quarter":
      try C3k2(weights, 24, 32, repeats: 1, c3k: false, expansion: 0.25).callAsFunction
    case "c3k2-c3k": try C3k2(weights, 24, 32, repeats: 2, c3k: true).callAsFunction
    case "attention": try PSAAttention(weights, 128).callAsFunction
    case "sppf": try SPPF(weights, 32, 48).callAsFunction
    case "c2f": try C2f(weights, 24, 32, repeats: 2, shortcut: true).callAsFunction
    case "c2f-plain": try C2f(weights, 24, 32, repeats: 1, shortcut: false).callAsFunction
    case "c3k2-attention": try C3k2(attending: weights, 24, 32, repeats: 1).callAsFunction
    case "sppf-linear": try SPPF(weights, 32, 32, isPlain: false).callAsFunction
    case "classify": try ClassifyHead(weights, 24, classes: 7).callAsFunction
    case "proto": try Proto(weights, 24, hidden: 16, prototypes: 32).callAsFunction
    default: preconditionFailure("no block \(name)")
    }
  }

  @Test("the decoded output is the reference's")
  func decoding() throws {
    let store = try Golden.store("yolo-decoding")
    let expected = try store.tensor(named: "output").floats()
    let levels = PyramidLevel.pyramid(inputHeight: 96, inputWidth: 128)
    let decoder = AnchorDecoder(YOLOArchitecture(.n, classCount: 3))
    var output = [Float](repeating: 0, count: expected.count)
    for (index, level) in levels.enumerated() {
      let box = ReferenceMap(try store.tensor(named: "box.\(index)"))
      let classes = ReferenceMap(try store.tensor(named: "cls.\(index)"))
      let coefficients = ReferenceMap(try store.tensor(named: "coef.\(index)"))
      for cell in 0..<level.count {
        let column = decoder.column(
          of: cell, level: level, boxes: box.elements.span, classes: classes.elements.span,
          extras: coefficients.elements.span)
        for (row, value) in column.enumerated() { output[row * 252 + level.firstAnchor + cell] = value }
      }
      // Candidates are the same boxes by their corners.
      let candidates = HeadDecoding.candidates(
        level: level, boxes: box.elements.span, classes: classes.elements.span, classCount: 3,
        confidence: 0.25)
      #expect(!candidates.isEmpty)
      for candidate in candidates {
        let width = Double(expected[2 * 252 + candidate.anchor])
        #expect(abs(candidate.box.center.x - Double(expected[candidate.anchor])) < 1e-3)
        #expect(abs(candidate.box.width - width) < 1e-3)
        #expect(abs(candidate.score - expected[(4 + candidate.classIndex) * 252 + candidate.anchor]) < 1e-6)
      }
    }
    #expect(relativeError(output, expected) < Self.tolerance)
  }
}
