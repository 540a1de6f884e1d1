import FileFormats
import TestSupport
import Testing

import ONNX

/// Models of hand-made bytes: what is sound is read, and what lies is refused.
@Suite struct ReadingTests {
  private func model(_ bytes: [UInt8], path: String = "model.onnx") throws -> ONNXModel {
    try ONNXModel(FileBytes(bytes), path: path)
  }

  private func isMalformed(_ bytes: [UInt8], path: String = "model.onnx") -> Bool {
    do {
      _ = try model(bytes, path: path)
      return false
    } catch let error as ONNXError {
      if case .malformed = error.innermost { return true }
      return false
    } catch {
      return false
    }
  }

  @Test("a sum of an input and a constant")
  func addition() throws {
    let model = try model(Proto.addition)
    #expect(model.inputs.map(\.name) == ["x"] && model.defect == nil)
    let made = try model.run(["x": .tensor(Tensor([2], [Float(1), 2]))])
    #expect(try made[0].tensor("y").floats() == [11, 22])
  }

  @Test("no prefix of a model is taken for one with the same nodes, and none ends the process")
  func truncation() throws {
    let whole = Proto.addition
    for count in 0..<whole.count {
      guard let read = try? model(Array(whole[..<count])) else { continue }
      // What is cut between fields may be a message still, of fewer parts.
      #expect(read.program.steps.count < 1 || read.outputs.count < 1, "\(count)")
    }
  }

  @Test("no flipped bit ends the process")
  func flips() throws {
    for bit in 0..<8 * Proto.addition.count {
      var bytes = Proto.addition
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if let read = try? model(bytes) { _ = try? read.run(["x": .tensor(Tensor([2], [Float(1), 2]))]) }
    }
  }

  @Test("a length beyond the file, a number of eleven bytes, an unknown wire type")
  func lies() {
    #expect(isMalformed([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f]))
    #expect(isMalformed([0x08] + [UInt8](repeating: 0xff, count: 11)))
    #expect(isMalformed([0x0b]))
    #expect(isMalformed([]))
  }

  @Test("ten thousand nested messages")
  func nesting() {
    // A node, its attribute and the attribute's graph are three.
    var graph = Proto.graph([])
    for _ in 0..<3_400 {
      graph = Proto.graph([
        .message(1, Proto.node("If", [], [], [Proto.attribute("then_branch", graph: graph)]))
      ])
    }
    #expect(isMalformed(Proto.model(graph)))
  }

  @Test("a cycle, a doubled name, an output that nothing makes")
  func graphs() {
    #expect(
      isMalformed(
        Proto.model(
          Proto.graph([
            .message(1, Proto.node("Relu", ["b"], ["a"])), .message(1, Proto.node("Relu", ["a"], ["b"])),
            .message(12, Proto.value("b", shape: [1])),
          ]))))
    #expect(
      isMalformed(
        Proto.model(
          Proto.graph([
            .message(11, Proto.value("x", shape: [1])), .message(1, Proto.node("Relu", ["x"], ["a"])),
            .message(1, Proto.node("Abs", ["x"], ["a"])), .message(12, Proto.value("a", shape: [1])),
          ]))))
    #expect(isMalformed(Proto.model(Proto.graph([.message(12, Proto.value("y", shape: [1]))]))))
  }

  @Test("nodes that converters append are put in order")
  func order() throws {
    let graph = Proto.graph([
      .message(11, Proto.value("x", shape: [1])), .message(1, Proto.node("Neg", ["a"], ["y"])),
      .message(1, Proto.node("Relu", ["x"], ["a"])), .message(12, Proto.value("y", shape: [1])),
    ])
    let made = try model(Proto.model(graph)).run(["x": .tensor(Tensor([1], [Float(3)]))])
    #expect(try made[0].tensor("y").floats() == [-3])
  }

  @Test("an input with an initializer may be left out, read or not")
  func defaults() throws {
    let graph = Proto.graph([
      .message(5, Proto.tensor("c", shape: [1], raw: Proto.floats([2]))),
      .message(5, Proto.tensor("unread", shape: [1], raw: Proto.floats([9]))),
      .message(11, Proto.value("x", shape: [1])), .message(11, Proto.value("c", shape: [1])),
      .message(11, Proto.value("unread", shape: [1])), .message(1, Proto.node("Mul", ["x", "c"], ["y"])),
      .message(12, Proto.value("y", shape: [1])),
    ])
    let model = try model(Proto.model(graph))
    #expect(model.inputs.map(\.name) == ["x"])
    let x = Value.tensor(Tensor([1], [Float(3)]))
    #expect(try model.run(["x": x])[0].tensor("y").floats() == [6])
    // What is given takes the initializer's place, also where constants were folded.
    #expect(try model.run(["x": x, "c": .tensor(Tensor([1], [Float(5)]))])[0].tensor("y").floats() == [15])
  }

  @Test("two gigabytes declared in a hundred bytes, and bytes that do not fit the shape")
  func sizes() {
    func constant(_ shape: [Int64], _ raw: [UInt8]) -> [UInt8] {
      Proto.model(
        Proto.graph([
          .message(5, Proto.tensor("c", shape: shape, raw: raw)), .message(12, Proto.value("c", shape: [1])),
        ]))
    }
    #expect(isMalformed(constant([1 << 29], [0, 0, 0, 0])))
    #expect(isMalformed(constant([1 << 40, 1 << 40], [])))
    #expect(isMalformed(constant([-1], [])))
    #expect(isMalformed(constant([3], Proto.floats([1, 2]))))
    #expect(!isMalformed(constant([0], [])))
  }

  @Test("a function that calls itself")
  func recursion() {
    let body = Proto.node("F", ["a"], ["b"]).bytes + Message.text(7, "own").bytes
    let function = Message(
      .text(1, "F"), .text(4, "a"), .text(5, "b"), .bytes(7, body),
      .message(9, Message(.text(1, "own"), .int(2, 1))),
      .text(10, "own"))
    let graph = Proto.graph([
      .bytes(1, body), .message(11, Proto.value("a", shape: [1])), .message(12, Proto.value("b", shape: [1])),
    ])
    #expect(isMalformed(Proto.model(graph, .message(25, function))))
  }

  @Test("external data: within the folder only, and within its file")
  func externalData() throws {
    let place = try TemporaryDirectory()
    try AtomicFile.write(Proto.floats([10, 20]), to: place.file("weights.bin"), overwrite: false)
    func bytes(_ location: String, offset: String = "0", length: String = "8") -> [UInt8] {
      func entry(_ key: String, _ value: String) -> Message {
        .message(13, Message(.text(1, key), .text(2, value)))
      }
      let tensor = Message(
        .int(1, 2), .int(2, 1), .text(8, "c"), entry("location", location), entry("offset", offset),
        entry("length", length), .int(14, 1))
      return Proto.model(
        Proto.graph([
          .message(5, tensor), .message(11, Proto.value("x", shape: [2])),
          .message(1, Proto.node("Add", ["x", "c"], ["y"])),
          .message(12, Proto.value("y", shape: [2])),
        ]))
    }
    let path = place.file("model.onnx")
    let made = try model(bytes("weights.bin"), path: path).run(["x": .tensor(Tensor([2], [Float(1), 2]))])
    #expect(try made[0].tensor("y").floats() == [11, 22])
    #expect(isMalformed(bytes("weights.bin", offset: "4"), path: path))
    #expect(isMalformed(bytes("weights.bin", offset: "9223372036854775807"), path: path))
    #expect(isMalformed(bytes("weights.bin", length: "-1"), path: path))
    #expect(isMalformed(bytes("../weights.bin"), path: path))
    #expect(isMalformed(bytes("/etc/hostname"), path: path))
    #expect(throws: ONNXError.self) { try model(bytes("absent.bin"), path: path) }
  }
}
