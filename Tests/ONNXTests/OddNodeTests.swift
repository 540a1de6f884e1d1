import FileFormats
import Testing

import ONNX

/// Nodes as no exporter writes them: whatever their inputs and attributes are, they are computed or refused.
@Suite struct OddNodeTests {
  private static let shapes = [
    [], [1], [2], [3], [0], [2, 2], [2, 3], [3, 1], [2, 0], [1, 2, 3], [2, 2, 2], [1, 2, 4, 4], [1, 1, 3, 3],
    [2, 2, 3, 3], [1, 4, 2, 2], [1, 0, 2, 2], [1, 2, 2, 2, 2],
  ]
  private static let words = [
    "linear", "nearest", "cubic", "SAME_UPPER", "VALID", "NOTSET", "max", "add", "none", "reflect", "wrap",
    "LEFT", "tanh", "ij,jk->ik", "sum", "DCR", "CRD", "bilinear", "half_pixel",
  ]

  /// Numbers of one seed.
  private struct Draws {
    var generator: SplitMix64

    mutating func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
    mutating func of<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    /// Mostly what nodes may have, now and then what overflows.
    mutating func integer() -> Int64 {
      below(12) == 0
        ? of([.max, .min, 1 << 62, 1 << 31, -(1 << 62)]) : of([0, 1, 2, 3, -1, -2, 1, 1])
    }

    mutating func tensor() -> Tensor {
      let (type, shape) = (of([.float, .float, .int64] + ElementType.allCases), of(OddNodeTests.shapes))
      let count = shape.reduce(1, *)
      guard type != .string else { return Tensor(shape, (0..<count).map { "word \($0)" }) }
      return Tensor(type, shape, doubles: (0..<count).map { _ in Double(of([0, 1, 2, 3, -1, 5])) })
    }

    mutating func attribute(_ name: String) -> Message {
      switch below(4) {
      case 0: Proto.attribute(name, text: of(OddNodeTests.words))
      case 1: Proto.attribute(name, ints: (0...below(6)).map { _ in integer() })
      default: Proto.attribute(name, int: integer())
      }
    }
  }

  @Test("no operator ends the process, whatever the types, shapes and attributes are")
  func everyOperator() throws {
    var draws = Draws(generator: SplitMix64(seed: 7))
    var (computed, refused) = (0, 0)
    for listed in Operators.listing where listed.domain.isEmpty {
      for _ in 0..<400 {
        let count =
          listed.inputs.lowerBound
          + draws.below(max(1, min(listed.inputs.upperBound, 6) - listed.inputs.lowerBound + 1))
        let tensors = (0..<count).map { _ in draws.tensor() }
        let names = tensors.indices.map { "x\($0)" }
        let made = (0..<max(1, min(listed.outputs.upperBound, 3))).map { "y\($0)" }
        let attributes = listed.attributes.filter { _ in draws.below(3) == 0 }.map { draws.attribute($0) }
        let values = zip(names, tensors).map { name, tensor in
          Message.message(
            11, Proto.value(name, type: Int64(tensor.type.rawValue), shape: tensor.shape.map { Int64($0) }))
        }
        let graph = Proto.graph(
          values + [.message(1, Proto.node(listed.name, names, made, attributes))]
            + made.map { .message(12, Proto.value($0, type: 0, shape: [])) })
        do {
          let version = min(Int64(listed.versions.upperBound), 23)
          let model = try ONNXModel(FileBytes(Proto.model(graph, opset: version)), path: "model.onnx")
          try Shape.$most.withValue(1 << 12) {
            _ = try model.run(NameTable(zip(names, tensors).map { ($0, .tensor($1)) }))
          }
          computed += 1
        } catch is ONNXError {
          refused += 1
        }
      }
    }
    #expect(computed > 500 && refused > 500, "\(computed) computed, \(refused) refused")
  }
}
