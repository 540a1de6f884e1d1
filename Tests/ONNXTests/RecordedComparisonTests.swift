import FileFormats
import Testing

import ONNX

/// Verdicts of a model beside recorded values.
@Suite struct RecordedComparisonTests {
  private func model(_ nodes: [Message], constant: [Float], outputs: [Message]) throws -> ONNXModel {
    let count = Int64(constant.count)
    let graph = Proto.graph(
      nodes.map { .message(1, $0) } + [
        .message(5, Proto.tensor("c", shape: [count], raw: Proto.floats(constant))),
        .message(11, Proto.value("x", shape: [count])),
      ] + outputs.map { .message(12, $0) })
    return try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
  }

  private func floats(_ values: [Float]) -> Tensor {
    Tensor(.float, [values.count], doubles: values.map(Double.init))
  }

  private func comparison(
    _ model: ONNXModel, _ recorded: NameTable<Tensor>
  ) throws -> (isolated: RecordedComparison, cumulative: RecordedComparison) {
    let names = Array(recorded.keys)
    func read(_ name: String) throws -> Tensor { try #require(recorded[name]) }
    let isolated = try RecordedComparison(model, mode: .isolated, names: names, read: read)
    var cumulative = try RecordedComparison(model, mode: .cumulative, names: names, read: read)
    try cumulative.judge(model, isolated: isolated, names: names, read: read)
    return (isolated, cumulative)
  }

  /// The difference of two almost equal values: what a rounding leaves of it is as large as itself.
  private func cancelling(_ error: Float, wrong: Float = 0) throws -> (
    isolated: RecordedComparison, cumulative: RecordedComparison
  ) {
    let x: [Float] = (0..<16).map { 1 + Float($0) / 64 }
    let model = try model(
      [Proto.node("Mul", ["x", "x"], ["a"]), Proto.node("Sub", ["a", "c"], ["y"])],
      constant: x.map { $0 * $0 - 0.01 }, outputs: [Proto.value("y", shape: [16])])
    let product = x.map { $0 * $0 * (1 + error) }
    let difference = zip(product, x).map { $0 - ($1 * $1 - 0.01) + wrong }
    return try comparison(
      model, NameTable([("x", floats(x)), ("a", floats(product)), ("y", floats(difference))]))
  }

  @Test("what is enlarged by a node that is right is sensitive")
  func enlarged() throws {
    let found = try cancelling(5e-5)
    #expect(found.isolated.firstDivergence == nil && found.cumulative.firstDivergence == nil)
    #expect(found.cumulative.layers.map(\.verdict) == [.equal, .sensitive])
    #expect(found.cumulative.layers[1].message != nil && found.cumulative.layers[1].sensitivity > 0)
  }

  @Test("a node that is wrong differs, however it enlarges errors")
  func wrong() throws {
    let found = try cancelling(5e-5, wrong: 1e-4)
    #expect(found.isolated.firstDivergence?.name == "y" && found.cumulative.firstDivergence?.name == "y")
    // What no rounding makes is no sensitivity's.
    #expect(try cancelling(0, wrong: 1e-3).cumulative.firstDivergence?.name == "y")
    #expect(try cancelling(1e-2).cumulative.firstDivergence?.name == "a")
  }

  @Test("what does not depend on the inputs is not disturbed")
  func constants() throws {
    let x: [Float] = (0..<16).map { 1 + Float($0) / 64 }
    let graph = Proto.graph([
      .message(1, Proto.node("Identity", ["two"], ["scales"])),
      .message(1, Proto.node("Mul", ["x", "x"], ["a"])),
      .message(1, Proto.node("Resize", ["a", "", "scales"], ["b"])),
      .message(1, Proto.node("Sub", ["b", "c"], ["y"])),
      .message(5, Proto.tensor("two", shape: [1], raw: Proto.floats([2]))),
      .message(5, Proto.tensor("c", shape: [32], raw: Proto.floats(twice(x.map { $0 * $0 - 0.01 })))),
      .message(11, Proto.value("x", shape: [16])), .message(12, Proto.value("y", shape: [32])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
    let product = x.map { $0 * $0 * (1 + 5e-5) }
    let recorded = NameTable([
      ("x", floats(x)), ("scales", floats([2])), ("a", floats(product)), ("b", floats(twice(product))),
      ("y", floats(twice(zip(product, x).map { $0 - ($1 * $1 - 0.01) }))),
    ])
    let found = try comparison(model, recorded)
    #expect(found.cumulative.layers.map(\.verdict) == [.equal, .equal, .equal, .sensitive])
  }

  @Test("what single precision holds of a half is as exact as a half")
  func halves() throws {
    let graph = Proto.graph([
      .message(1, Proto.node("Cast", ["x"], ["h"], [Proto.attribute("to", int: 10)])),
      .message(1, Proto.node("Cast", ["h"], ["y"], [Proto.attribute("to", int: 1)])),
      .message(1, Proto.node("Neg", ["y"], ["z"])),
      .message(11, Proto.value("x", shape: [4])), .message(12, Proto.value("z", shape: [4])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
    let x: [Float] = [1.0001, 2.0003, -3.0007, 4.0009]
    let exact = NameTable([
      ("x", floats(x)), ("h", floats(x)), ("y", floats(x)), ("z", floats(x.map { -$0 })),
    ])
    let isolated = try comparison(model, exact).isolated
    #expect(isolated.layers.map(\.verdict) == [.equal, .equal, .equal])
    let wrong = NameTable(
      exact.keys.map { ($0, $0 == "z" ? floats(x.map { -1.001 * $0 }) : exact[$0] ?? floats(x)) })
    #expect(try comparison(model, wrong).isolated.firstDivergence?.name == "z")
  }

  @Test(
    "an input with a default may be recorded; a value of another shape is named, and nothing after it reads it"
  )
  func inputs() throws {
    let graph = Proto.graph([
      .message(1, Proto.node("Add", ["x", "c"], ["a"])), .message(1, Proto.node("Add", ["a", "c"], ["y"])),
      .message(5, Proto.tensor("c", shape: [2], raw: Proto.floats([1, 2]))),
      .message(11, Proto.value("x", shape: [2])), .message(11, Proto.value("c", shape: [2])),
      .message(12, Proto.value("y", shape: [2])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
    let recorded = [("x", floats([1, 1])), ("a", floats([2, 3])), ("y", floats([3, 5]))]
    let usual = try comparison(model, NameTable(recorded + [("c", floats([1, 2]))])).isolated
    #expect(usual.firstDivergence == nil && usual.leftOut.isEmpty)
    // Given, it counts.
    let given = NameTable([
      ("x", floats([1, 1])), ("c", floats([2, 2])), ("a", floats([3, 3])), ("y", floats([5, 5])),
    ])
    #expect(try comparison(model, given).isolated.firstDivergence == nil)
    let other = NameTable([recorded[0], ("a", floats([1, 2, 3, 4, 5])), recorded[2]])
    let isolated = try comparison(model, other).isolated
    #expect(isolated.layers.map(\.verdict) == [.differs, .equal])
  }

  private func twice(_ values: [Float]) -> [Float] { values.flatMap { [$0, $0] } }

  @Test(
    "what TopK chooses is a set",
    arguments: [([1, 2, 0], true), ([2, 1, 0], true), ([2, 2, 0], false), ([0, 1, 2], true)]
      as [([Int], Bool)])
  func chosen(order: [Int], isEqual: Bool) throws {
    let x: [Float] = [1, 2, 3, 0]
    let graph = Proto.graph([
      .message(1, Proto.node("TopK", ["x", "k"], ["y", "i"])),
      .message(5, Proto.tensor("k", type: 7, shape: [1], raw: [3, 0, 0, 0, 0, 0, 0, 0])),
      .message(11, Proto.value("x", shape: [4])), .message(12, Proto.value("y", shape: [3])),
      .message(12, Proto.value("i", type: 7, shape: [3])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
    let found = try comparison(
      model,
      NameTable([
        ("x", floats(x)), ("y", floats(order.map { x[$0] })), ("i", Tensor(integers: order)),
      ]))
    #expect((found.isolated.firstDivergence == nil) == isEqual)
    #expect((found.cumulative.firstDivergence == nil) == isEqual)
  }

  @Test(
    "what NonMaxSuppression chooses is a set",
    arguments: [([0, 1], true), ([1, 0], true), ([1, 1], false)])
  func suppressed(order: [Int], isEqual: Bool) throws {
    let boxes: [Float] = [0, 0, 1, 1, 2, 2, 3, 3]
    let graph = Proto.graph([
      .message(1, Proto.node("NonMaxSuppression", ["b", "s", "most"], ["i"])),
      .message(5, Proto.tensor("most", type: 7, shape: [1], raw: [5, 0, 0, 0, 0, 0, 0, 0])),
      .message(11, Proto.value("b", shape: [1, 2, 4])), .message(11, Proto.value("s", shape: [1, 1, 2])),
      .message(12, Proto.value("i", type: 7, shape: [2, 3])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "m.onnx", keepsAll: true)
    let rows: [Double] = order.flatMap { (row: Int) -> [Double] in [0, 0, Double(row)] }
    let found = try comparison(
      model,
      NameTable([
        ("b", Tensor(.float, [1, 2, 4], doubles: boxes.map(Double.init))),
        ("s", Tensor(.float, [1, 1, 2], doubles: [0.9, 0.8])), ("i", Tensor(.int64, [2, 3], doubles: rows)),
      ]))
    #expect((found.isolated.firstDivergence == nil) == isEqual)
    #expect((found.cumulative.firstDivergence == nil) == isEqual)
  }
}
