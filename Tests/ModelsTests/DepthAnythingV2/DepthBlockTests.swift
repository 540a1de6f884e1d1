import Models
import NNRuntime
import Testing

@Suite("Depth Anything V2 blocks against the reference")
struct DepthBlockTests {
  /// Single precision through a few layers.
  private static let tolerance = 2e-5

  @Test("patches become tokens in rows")
  func patchEmbed() throws {
    let store = try Golden.store("depth-patch-embed")
    let block = try PatchEmbed(store.root, width: 24)
    try expect(store, outputs: ["output"]) { _, inputs in [block(inputs[0])] }
    try store.verifyAllUsed()
  }

  @Test("a transformer block")
  func transformerBlock() throws {
    let store = try Golden.store("depth-block")
    let block = try TransformerBlock(store.root, width: 32, heads: 2, hidden: 128)
    try expect(store, outputs: ["output"]) { _, inputs in [block(inputs[0])] }
    try store.verifyAllUsed()
  }

  @Test("a residual unit adds what came, not what its first ReLU left")
  func residualConvUnit() throws {
    let store = try Golden.store("depth-rcu")
    let unit = try ResidualConvUnit(store.root, 16)
    try expect(store, outputs: ["output"]) { _, inputs in [unit(inputs[0])] }
    try store.verifyAllUsed()
  }

  @Test("a fusion block with and without skip")
  func fusion() throws {
    let store = try Golden.store("depth-fusion")
    let block = try FeatureFusionBlock(store.root, 16, hasSkip: true)
    for (output, size, hasSkip) in [
      ("output.sized", (9, 13), true), ("output.doubled", (10, 14), true), ("output.alone", (9, 13), false),
    ] {
      try expect(store, inputs: ["input.0", "input.1"], outputs: [output]) { _, inputs in
        [block(inputs[0], skip: hasSkip ? inputs[1] : nil, height: size.0, width: size.1)]
      }
    }
    try store.verifyAllUsed(ignoring: ["output.sized", "output.doubled", "output.alone"])
  }

  @Test(
    "positions are resampled with the scale that has a tenth of a patch added",
    arguments: [(28, 37), (37, 49), (16, 16), (3, 5)])
  func positions(rows: Int, columns: Int) throws {
    let store = try Golden.store("depth-positions")
    let positions = try PositionEmbedding(store.root, grid: 37, width: 8)
    let expected = try store.tensor(named: "output.\(rows)x\(columns)").floats()
    #expect(relativeError(positions.resampled(rows: rows, columns: columns).floats(), expected) < 1e-6)
  }

  @Test("the trained grid itself is not resampled")
  func identity() throws {
    let store = try Golden.store("depth-positions")
    let positions = try PositionEmbedding(store.root, grid: 37, width: 8)
    let table = try store.tensor(named: "pos_embed").floats()
    #expect(positions.resampled(rows: 37, columns: 37).floats() == table)
  }

  private func expect(
    _ store: WeightStore, inputs: [String] = ["input"], outputs: [String],
    module: (GraphBuilder, [Value]) -> [Value]
  ) throws {
    let maps = try inputs.map { ReferenceMap(try store.tensor(named: $0)) }
    for fuse in [true, false] {
      let found = try run(maps, options: PlanOptions(fuse: fuse), module: module)
      for (elements, name) in zip(found, outputs) {
        let expected = ReferenceMap(try store.tensor(named: name)).elements
        #expect(relativeError(elements, expected) < Self.tolerance, "\(name), fuse \(fuse)")
      }
    }
  }
}
