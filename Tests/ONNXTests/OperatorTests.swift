import FileFormats
import Testing

import ONNX

/// Edges of operators that ONNX's own cases leave out.
@Suite struct OperatorTests {
  /// Runs one operator on tensors.
  private func run(
    _ type: String, _ inputs: [Tensor], _ attributes: [Message] = [], outputs: Int = 1, opset: Int64 = 18
  ) throws -> [Tensor] {
    let names = inputs.indices.map { "x\($0)" }
    let made = (0..<outputs).map { "y\($0)" }
    let values = zip(names, inputs).map { name, tensor in
      Message.message(
        11, Proto.value(name, type: Int64(tensor.type.rawValue), shape: tensor.shape.map { Int64($0) }))
    }
    let graph = Proto.graph(
      values + [.message(1, Proto.node(type, names, made, attributes))]
        + made.map { .message(12, Proto.value($0, type: 0, shape: [])) })
    let model = try ONNXModel(FileBytes(Proto.model(graph, opset: opset)), path: "model.onnx")
    return try model.run(NameTable(zip(names, inputs).map { ($0, .tensor($1)) })).map { try $0.tensor("y") }
  }

  private func error(_ body: () throws -> Void) -> ONNXError? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ONNXError)?.innermost
    }
  }

  @Test("an attribute that is not implemented is named, not ignored")
  func attributes() {
    let found = error { _ = try run("Relu", [Tensor([1], [Float(1)])], [Proto.attribute("speed", int: 3)]) }
    #expect(found == .unsupported("attribute \"speed\" is not implemented"))
    #expect(
      error { _ = try run("Unheard", [Tensor([1], [Float(1)])]) }
        == .unsupported("the operator is not implemented"))
    let future = error { _ = try run("Relu", [Tensor([1], [Float(1)])], opset: 99) }
    guard case .unsupported = future else { return #expect(Bool(false), "\(String(describing: future))") }
  }

  @Test("integers: division by zero is refused, the least number by minus one wraps around")
  func division() throws {
    let least = Tensor([1], [Int32.min])
    #expect(try run("Div", [least, Tensor([1], [Int32(-1)])])[0].array(of: Int32.self) == [.min])
    #expect(error { _ = try run("Div", [least, Tensor([1], [Int32(0)])]) } != nil)
    #expect(try run("Mod", [least, Tensor([1], [Int32(-1)])])[0].array(of: Int32.self) == [0])
  }

  @Test("not-a-number passes through Max and Min, and is the first of TopK")
  func notANumber() throws {
    let values = Tensor([3], [Float(1), .nan, 3])
    #expect(try run("Max", [values, Tensor([], [Float(2)])])[0].floats()[1].isNaN)
    #expect(try run("Min", [Tensor([], [Float(2)]), values])[0].floats()[1].isNaN)
    let top = try run("TopK", [values, Tensor([1], [Int64(2)])], outputs: 2)
    #expect(top[1].integers() == [1, 2])
  }

  @Test("slices to the ends of 64 bits, backwards too")
  func slices() throws {
    let tensor = Tensor([4], [Int64(0), 1, 2, 3])
    func slice(_ start: Int64, _ end: Int64, _ step: Int64) throws -> [Int] {
      try run(
        "Slice",
        [tensor, Tensor([1], [start]), Tensor([1], [end]), Tensor([1], [Int64(0)]), Tensor([1], [step])])[0]
        .integers()
    }
    #expect(try slice(1, .max, 1) == [1, 2, 3])
    #expect(try slice(.max, .min, -1) == [3, 2, 1, 0])
    #expect(try slice(-1, .min, -2) == [3, 1])
    #expect(try slice(.min, .max, .max) == [0])
    #expect(try slice(.max, .min, .min) == [3])
  }

  @Test("shapes that no memory holds are refused before they are made")
  func hugeShapes() {
    let size = Tensor([2], [Int64(1) << 40, Int64(1) << 40])
    #expect(error { _ = try run("ConstantOfShape", [size]) } != nil)
    #expect(error { _ = try run("Expand", [Tensor([1], [Float(1)]), size]) } != nil)
    #expect(error { _ = try run("Tile", [Tensor([2, 2], [Float](repeating: 1, count: 4)), size]) } != nil)
    #expect(
      error {
        _ = try run("Range", [Tensor([], [Int64(0)]), Tensor([], [Int64.max]), Tensor([], [Int64(1)])])
      } != nil)
  }

  @Test("half precision is rounded once, to nearest even")
  func halves() throws {
    let one = Tensor(.float16, [1], doubles: [1])
    let tiny = Tensor(.float16, [1], doubles: [0x1p-11])
    #expect(try run("Add", [one, tiny])[0].doubles() == [1])
    #expect(try run("Add", [one, Tensor(.float16, [1], doubles: [0x1.8p-10])])[0].doubles() == [1 + 0x1p-9])
    let large = try run(
      "Mul", [Tensor(.float16, [1], doubles: [60_000]), Tensor(.float16, [1], doubles: [2])])
    #expect(large[0].doubles() == [.infinity])
  }

  @Test("indices count from the end, and are within the axis")
  func indices() throws {
    let tensor = Tensor([3], [Float(1), 2, 3])
    #expect(try run("Gather", [tensor, Tensor([1], [Int64(-1)])])[0].floats() == [3])
    #expect(error { _ = try run("Gather", [tensor, Tensor([1], [Int64(3)])]) } != nil)
    #expect(error { _ = try run("Gather", [tensor, Tensor([1], [Int64.min])]) } != nil)
  }
}
