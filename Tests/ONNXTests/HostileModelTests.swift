import FileFormats
import FoundationEssentials
import TestSupport
import Testing

import ONNX

/// Models that are well-formed and ask for what no machine has.
@Suite struct HostileModelTests {
  private func refusal(_ graph: Message, _ inputs: NameTable<Value> = [:]) -> ONNXError? {
    do {
      let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "model.onnx")
      _ = try model.run(inputs)
      return nil
    } catch {
      return (error as? ONNXError)?.innermost
    }
  }

  private func integers(_ name: String, _ values: [Int64]) -> Message {
    .message(5, Proto.tensor(name, type: 7, shape: [Int64(values.count)], raw: rawBytes(of: values)))
  }

  /// One node whose inputs are all constants, of a file of a few hundred bytes.
  private func constant(_ type: String, _ inputs: [String], _ constants: [Message]) -> Message {
    Proto.graph(
      constants + [
        .message(1, Proto.node(type, inputs, ["y"])), .message(12, Proto.value("y", type: 0, shape: [])),
      ])
  }

  @Test("a few bytes that ask for a terabyte are refused when they are run, and before anything is made")
  func hugeOutputs() {
    let one = Message.message(5, Proto.tensor("x", shape: [1], raw: Proto.floats([1])))
    let map = Message.message(5, Proto.tensor("x", shape: [1, 1, 1, 1], raw: Proto.floats([1])))
    let scales = Message.message(5, Proto.tensor("s", shape: [4], raw: Proto.floats([1, 1, 1e6, 1e6])))
    func single(_ name: String, _ value: Int64) -> Message {
      .message(5, Proto.tensor(name, type: 7, shape: [], raw: rawBytes(of: [value])))
    }
    let graphs = [
      constant("ConstantOfShape", ["s"], [integers("s", [1 << 20, 1 << 20])]),
      constant("Expand", ["x", "s"], [one, integers("s", [1 << 20, 1 << 20])]),
      constant("Tile", ["x", "s"], [one, integers("s", [1 << 40])]),
      constant("Resize", ["x", "", "s"], [map, scales]),
      constant("Resize", ["x", "", "", "s"], [map, integers("s", [1, 1, 1 << 20, 1 << 20])]),
      constant("Range", ["a", "b", "c"], [single("a", 0), single("b", .max), single("c", 1)]),
      constant("Pad", ["x", "s"], [one, integers("s", [1 << 40, 0])]),
      constant(
        "OneHot", ["i", "d", "v"],
        [
          integers("i", [0]), single("d", 1 << 40),
          .message(5, Proto.tensor("v", shape: [2], raw: Proto.floats([0, 1]))),
        ]),
    ]
    for (index, graph) in graphs.enumerated() {
      guard case .malformed = refusal(graph) else {
        Issue.record("\(index): \(String(describing: refusal(graph)))")
        continue
      }
    }
  }

  @Test("a loop without end is ended")
  func endless() throws {
    let body = Proto.graph([
      .message(11, Proto.value("i", type: 7, shape: [])), .message(11, Proto.value("go", type: 9, shape: [])),
      .message(11, Proto.value("v", shape: [1])),
      .message(1, Proto.node("Identity", ["go"], ["on"])), .message(1, Proto.node("Neg", ["v"], ["w"])),
      .message(12, Proto.value("on", type: 9, shape: [])), .message(12, Proto.value("w", shape: [1])),
    ])
    let graph = Proto.graph([
      .message(11, Proto.value("x", shape: [1])),
      .message(1, Proto.node("Loop", ["", "", "x"], ["y"], [Proto.attribute("body", graph: body)])),
      .message(12, Proto.value("y", shape: [1])),
    ])
    let model = try ONNXModel(FileBytes(Proto.model(graph)), path: "model.onnx")
    #expect(throws: ONNXError.self) { try model.tryOut(elements: 16, steps: 10_000) }
  }

  @Test("external data by a link that leads out of the folder")
  func links() throws {
    let (place, elsewhere) = (try TemporaryDirectory(), try TemporaryDirectory())
    try AtomicFile.write(Proto.floats([1, 2]), to: elsewhere.file("w.bin"), overwrite: false)
    try FileManager.default.createSymbolicLink(
      atPath: place.file("w.bin"), withDestinationPath: elsewhere.file("w.bin"))
    let entry = { (key: String, value: String) in Message.message(13, Message(.text(1, key), .text(2, value)))
    }
    let tensor = Message(.int(1, 2), .int(2, 1), .text(8, "c"), entry("location", "w.bin"), .int(14, 1))
    let graph = Proto.graph([.message(5, tensor), .message(12, Proto.value("c", shape: [2]))])
    do {
      _ = try ONNXModel(FileBytes(Proto.model(graph)), path: place.file("model.onnx"))
      Issue.record("it was read")
    } catch let error as ONNXError {
      guard case .malformed = error.innermost else { return Issue.record("\(error)") }
    }
  }
}
