import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// A network of an ONNX file, run by the planned engine or node by node.
struct ONNXRunner {
  private let model: ONNXModel
  private let lowered: LoweredModel?

  init(_ model: ONNXModel, _ compute: ComputeSettings, plain: Bool) throws {
    self.model = model
    lowered =
      plain
      ? nil : LoweredModel(model, options: try compute.planOptions(), pool: compute.makePool())
  }

  /// Runs it on values by the names of its inputs.
  func run(_ values: NameTable<ONNX.Value>) throws -> [ONNX.Value] {
    try lowered?.run(values) ?? model.run(values)
  }
}

extension ONNXRunner {
  /// The network of a file on inputs that are drawn, to be profiled.
  ///
  /// - `sizes`: of free axes by their names.
  static func recorder(
    _ file: String, sizes: NameTable<Int>, options: PlanOptions, pool: ThreadPool
  ) throws -> LoweredRecorder {
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let inputs = try model.drawnInputs(sizes)
    return try InFile.naming(file) {
      try model.check(inputs)
      let network = try LoweredModel(model, options: options, pool: pool).network(for: inputs)
      return LoweredRecorder(
        network, values: inputs, name: lastComponent(file), threads: pool.threads)
    }
  }
}

extension ONNXModel {
  /// Most elements of an input that is drawn.
  private static let mostDrawn = 1 << 28

  /// Inputs of the declared shapes.
  ///
  /// Elements of floating-point types are uniform in [0, 1), the same in each call; those of other types are zero, which
  /// every index may be.
  ///
  /// - `sizes`: of free axes by their names; by `INPUT.AXIS`, counted from 0, of those without a name.
  func drawnInputs(_ sizes: NameTable<Int>) throws -> NameTable<ONNX.Value> {
    try requireSizes(sizes)
    var values = NameTable<ONNX.Value>()
    var random = SplitMix64(seed: 1)
    for input in inputs {
      let name = "\"\(printableName(input.name))\""
      guard case .tensor(let number, let axes?)? = input.type,
        let type = ONNX.ElementType(rawValue: number)
      else {
        throw CommandError.input(
          "\(path): the input \(name) has no declared shape; give values to ardf infer or ardf trace: --input NAME=FILE"
        )
      }
      let shape = axes.enumerated().map { index, axis in
        if case .size(let size) = axis {
          size
        } else {
          axis.freeName(index, of: input.name).flatMap { sizes[$0] } ?? 1
        }
      }
      guard let count = Self.count(shape) else {
        throw CommandError.input(
          "\(path): the input \(name) of shape \(shape) cannot be drawn: sizes from 0 on, and at "
            + "most \(Self.mostDrawn) elements, are; give --input \(shellWord(input.name + "=FILE"))")
      }
      guard type.isFloating else {
        values[input.name] = .tensor(ONNX.Tensor.blank(type, shape))
        continue
      }
      let elements = (0..<count).map { _ in random.unit() }
      values[input.name] = .tensor(
        type == .float
          ? ONNX.Tensor(shape, elements) : ONNX.Tensor(type, shape, doubles: elements.map(Double.init)))
    }
    return values
  }

  /// The elements of a shape; nil where a size is negative or they are too many.
  private static func count(_ shape: [Int]) -> Int? {
    var count = 1
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow, product <= mostDrawn else { return nil }
      count = product
    }
    return count
  }

  /// Throws where sizes of free axes are missing, naming all of them, or where a given name is not a free axis.
  private func requireSizes(_ sizes: NameTable<Int>) throws {
    var free: [String] = []
    for input in inputs {
      guard case .tensor(_, let axes?)? = input.type else { continue }
      for (index, axis) in axes.enumerated() {
        guard let name = axis.freeName(index, of: input.name) else { continue }
        if !free.contains(where: { $0.isSameName(as: name) }) { free.append(name) }
      }
    }
    if let other = sizes.keys.first(where: { name in !free.contains { $0.isSameName(as: name) } }) {
      throw CommandError.usage(
        "\(path): no axis \(printableName(other)) is free; "
          + (free.isEmpty ? "none is" : "free are \(free.map { printableName($0) }.joined(separator: ", "))"))
    }
    let missing = free.filter { sizes[$0] == nil }
    guard missing.isEmpty else {
      throw CommandError.usage(
        "\(path): leaves axes free; give their sizes: "
          + missing.map { "--axis \(printableName($0))=SIZE" }.joined(separator: " "))
    }
  }
}

extension AxisMessage {
  /// The name by which the size of a free axis is given: its own, or the input's and its index; nil of an axis that is
  /// not free.
  func freeName(_ index: Int, of input: String) -> String? {
    switch self {
    case .size: nil
    case .named(let name) where !name.isEmpty: name
    case .named, .free: "\(input).\(index)"
    }
  }
}
