import FileFormats
import NNRuntime
import ONNX
import ONNXEngine
import Testing

/// A network of ONNX nodes with drawn weights, which is run both ways.
struct DrawnNetwork {
  private var random: SplitMix64
  private var parts: [[UInt8]] = []
  private var count = 0
  private(set) var input: [Int]
  let opset: Int

  /// A network whose only input, `x`, has this shape.
  init(seed: Int, input: [Int], opset: Int = 18) {
    random = SplitMix64(seed: UInt64(seed))
    self.input = input
    self.opset = opset
    parts.append(Self.field(11, Self.value("x", input)))
  }

  // MARK: Numbers

  /// A whole number of a range.
  mutating func draw(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// Numbers between -1 and 1.
  mutating func floats(_ count: Int, _ range: ClosedRange<Float> = -1...1) -> [Float] {
    (0..<count).map { _ in
      let unit = Float(draw(0...1 << 20)) / Float(1 << 20)
      return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }
  }

  // MARK: Nodes

  /// A known tensor of drawn numbers.
  mutating func weights(_ shape: [Int], _ range: ClosedRange<Float> = -1...1) -> String {
    constant(shape, floats(shape.reduce(1, *), range))
  }

  /// A known tensor.
  mutating func constant(_ shape: [Int], _ values: [Float]) -> String {
    tensor(shape, type: 1, values.flatMap { Self.bytes($0.bitPattern) })
  }

  /// A known list of whole numbers.
  mutating func integers(_ values: [Int]) -> String {
    tensor([values.count], type: 7, values.flatMap { Self.bytes(UInt64(bitPattern: Int64($0))) })
  }

  /// A known tensor of drawn whole numbers of 8 bits.
  mutating func bytes(_ shape: [Int]) -> String {
    tensor(shape, type: 3, (0..<shape.reduce(1, *)).map { _ in UInt8(draw(0...255)) })
  }

  private mutating func tensor(_ shape: [Int], type: Int, _ raw: [UInt8]) -> String {
    count += 1
    let name = "c\(count)"
    let message =
      shape.flatMap { Self.number(1, $0) } + Self.number(2, type) + Self.text(8, name) + Self.field(9, raw)
    parts.append(Self.field(5, message))
    return name
  }

  /// An attribute: whole numbers, a list of them, a number or a text.
  enum Attribute {
    case int(Int), ints([Int]), float(Float), text(String)
  }

  /// A node with one output, whose name is returned.
  mutating func node(_ type: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]) -> String {
    nodes(type, inputs, outputs: 1, attributes)[0]
  }

  /// A node with several outputs.
  mutating func nodes(
    _ type: String, _ inputs: [String], outputs: Int, _ attributes: [String: Attribute] = [:]
  ) -> [String] {
    let names = (0..<outputs).map { index -> String in
      count += 1
      return "v\(count).\(index)"
    }
    var message =
      inputs.flatMap { Self.text(1, $0) } + names.flatMap { Self.text(2, $0) } + Self.text(4, type)
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      var attribute = Self.text(1, name)
      switch value {
      case .int(let value): attribute += Self.number(3, value) + Self.number(20, 2)
      case .float(let value): attribute += Self.tag(2, 5) + Self.bytes(value.bitPattern) + Self.number(20, 1)
      case .text(let text): attribute += Self.text(4, text) + Self.number(20, 3)
      case .ints(let list): attribute += list.flatMap { Self.number(8, $0) } + Self.number(20, 7)
      }
      message += Self.field(5, attribute)
    }
    parts.append(Self.field(1, message))
    return names
  }

  // MARK: Runs

  /// The model with this output.
  func model(output: String) throws -> ONNXModel {
    let graph = parts.flatMap(\.self) + Self.field(12, Self.text(1, output))
    let bytes =
      Self.number(1, 8) + Self.field(8, Self.number(2, opset)) + Self.field(7, graph)
    return try ONNXModel(FileBytes(bytes), path: "model.onnx")
  }

  /// Largest difference that counts as none, of the largest element.
  static let tolerance: Float = 1e-4

  /// Runs the network by the engine and by definition, and compares; `plain` are the operators that the engine leaves,
  /// `tolerance` another than the usual.
  mutating func check(
    _ output: String, plain: [String] = [], tolerance: Float = Self.tolerance, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let model = try model(output: output)
    let values: NameTable<ONNX.Value> = ["x": .tensor(ONNX.Tensor(input, floats(input.reduce(1, *), -2...2)))]
    let lowered = LoweredModel(model, pool: ThreadPool(threads: 2))
    let network = try lowered.network(for: values)
    let left = network.partition.nodes.filter { $0.island == nil }.flatMap(\.operators)
    #expect(left == plain, "\(comment)", sourceLocation: sourceLocation)
    let expected = try model.run(values)[0].tensor("the output")
    let found = try lowered.run(values)[0].tensor("the output")
    #expect(found.shape == expected.shape, "\(comment)", sourceLocation: sourceLocation)
    let (a, b) = (found.floats(), expected.floats())
    let scale = b.map { abs($0) }.max() ?? 0
    let worst = zip(a, b).map { abs($0 - $1) }.max() ?? 0
    #expect(
      a.count == b.count && worst <= tolerance * max(scale, 1e-3),
      "\(worst) of \(scale), \(comment)", sourceLocation: sourceLocation)
  }

  /// The network for drawn values, and these.
  mutating func lowered(_ output: String) throws -> (network: LoweredNetwork, values: NameTable<ONNX.Value>) {
    let values: NameTable<ONNX.Value> = ["x": .tensor(ONNX.Tensor(input, floats(input.reduce(1, *), -2...2)))]
    let model = LoweredModel(try model(output: output), pool: ThreadPool(threads: 2))
    return (try model.network(for: values), values)
  }

  /// Whether both ways refuse the network when it is run, neither crashing.
  mutating func isRefused(_ output: String) throws -> Bool {
    let (network, values) = try lowered(output)
    let model = try model(output: output)
    return (try? model.run(values)) == nil && (try? network.run(values)) == nil
  }

  // MARK: Wire format

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
  private static func tag(_ field: Int, _ kind: Int) -> [UInt8] { varint(UInt64(field << 3 | kind)) }
  private static func number(_ field: Int, _ value: Int) -> [UInt8] {
    tag(field, 0) + varint(UInt64(bitPattern: Int64(value)))
  }
  private static func field(_ field: Int, _ bytes: [UInt8]) -> [UInt8] {
    tag(field, 2) + varint(UInt64(bytes.count)) + bytes
  }
  private static func text(_ number: Int, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  private static func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private static func value(_ name: String, _ shape: [Int]) -> [UInt8] {
    let axes = shape.flatMap { field(1, number(1, $0)) }
    return text(1, name) + field(2, field(1, number(1, 1) + field(2, axes)))
  }
}
