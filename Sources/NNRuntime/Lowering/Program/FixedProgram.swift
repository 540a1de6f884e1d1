import FileFormats
import ONNX

/// Element type and shape of a tensor, known before a run.
package struct TensorKind: Hashable, Sendable {
  package var type: ONNX.ElementType
  package var shape: [Int]

  package init(type: ONNX.ElementType, shape: [Int]) {
    self.type = type
    self.shape = shape
  }

  var count: Int { shape.reduce(1, *) }
}

/// Kind of an input, known before a run.
package enum InputKind: Hashable, Sendable {
  case tensor(TensorKind)
  /// A sequence, or an optional.
  case other

  /// Kind of a value.
  package init(_ value: ONNX.Value) {
    if case .tensor(let tensor) = value { self = .tensor(tensor.kind) } else { self = .other }
  }

  var tensor: TensorKind? { if case .tensor(let kind) = self { kind } else { nil } }
}

/// A program for inputs of known shapes: every shape that does not depend on data, and what follows of them.
///
/// Most nodes of an export compute shapes; they are run here, by the operators themselves, and are gone.
struct FixedProgram {
  /// Bytes that a value which is computed beforehand may take.
  private static let mostFolded = 1 << 26

  /// The steps that are left, in running order.
  private(set) var steps: [ONNXStep] = []
  /// Values that are known, by number.
  private(set) var known: [Int: ONNXValue]
  /// Types and shapes of the others, where they are known.
  private(set) var kinds: [Int: TensorKind]
  /// The readers of each value: indices of steps, and `steps.count` for the program's outputs.
  private(set) var readers: [Int: [Int]] = [:]
  /// The step that makes each value.
  private(set) var makers: [Int: Int] = [:]
  let program: Program

  /// The program for inputs of these kinds, by the values' numbers; nil: what is not a tensor.
  init(_ program: Program, inputs: [Int: TensorKind?]) {
    self.program = program
    known = program.knownValues
    kinds = inputs.compactMapValues(\.self)
    for slot in inputs.keys { known[slot] = nil }
    for (slot, value) in known { if case .tensor(let tensor) = value { kinds[slot] = tensor.kind } }
    var rest: [ONNXStep] = []
    let scratch = StepScratch(program.valueCount)
    for step in program.steps where !fold(step, scratch) {
      rest.append(step)
      infer(step, scratch)
    }
    var needed = Set(program.outputSlots)
    for step in rest.reversed() where step.outputSlots.contains(where: { $0.map(needed.contains) ?? false }) {
      needed.formUnion(step.readSlots)
      steps.append(step)
    }
    steps.reverse()
    for (index, step) in steps.enumerated() {
      for slot in Set(step.readSlots) { readers[slot, default: []].append(index) }
      for case let slot? in step.outputSlots { makers[slot] = index }
    }
    for slot in program.outputSlots { readers[slot, default: []].append(steps.count) }
  }

  func kind(_ slot: Int?) -> TensorKind? { slot.flatMap { kinds[$0] } }

  /// A known tensor.
  func constant(_ slot: Int?) -> ONNXTensor? {
    if let slot, case .tensor(let tensor)? = known[slot] { tensor } else { nil }
  }

  /// Computes a step of known values; whether it could.
  private mutating func fold(_ step: ONNXStep, _ scratch: StepScratch) -> Bool {
    guard step.defect == nil, step.isPure else { return false }
    if step.type == "Shape" || step.type == "Size", let slot = step.inputSlots.first ?? nil,
      known[slot] == nil, let kind = kinds[slot]
    {
      return foldShape(step, kind)
    }
    let slots = step.inputSlots.compactMap(\.self)
    let values = slots.compactMap { slot in known[slot].map { (slot, $0) } }
    guard values.count == slots.count, let made = scratch.results(of: step, values),
      made.allSatisfy({ ($0?.bytes ?? 0) <= Self.mostFolded })
    else { return false }
    let inputs = step.inputSlots.map { slot in slot.flatMap { known[$0] } }
    for (slot, value) in zip(step.outputSlots, step.recomputed(made, of: inputs)) { define(slot, value) }
    return true
  }

  private mutating func foldShape(_ step: ONNXStep, _ kind: TensorKind) -> Bool {
    guard step.type == "Shape" else {
      define(step.outputSlots[0], .tensor(ONNXTensor(scalar: Int64(kind.count))))
      return true
    }
    let rank = kind.shape.count
    func place(_ index: Int) -> Int { min(max(index < 0 ? index + rank : index, 0), rank) }
    let (start, end) = (place(step.int("start") ?? 0), place(step.int("end") ?? rank))
    define(
      step.outputSlots[0], .tensor(ONNXTensor(integers: start < end ? Array(kind.shape[start..<end]) : [])))
    return true
  }

  private mutating func define(_ slot: Int?, _ value: ONNXValue?) {
    guard let slot, let value else { return }
    known[slot] = value
    if case .tensor(let tensor) = value { kinds[slot] = tensor.kind }
  }

  private mutating func infer(_ step: ONNXStep, _ scratch: StepScratch) {
    guard step.defect == nil, let found = ShapeRules.kinds(of: step, in: self, scratch) else { return }
    for (slot, kind) in zip(step.outputSlots, found) {
      if let slot, let kind, elementCount(kind.shape) != nil { kinds[slot] = kind }
    }
  }
}

extension ONNX.ElementType {
  /// Whether islands hold such numbers, in single precision, and give them back as what they are.
  var isHeldAsFloat: Bool { self == .float || self == .float16 }
}

extension ONNXTensor {
  var kind: TensorKind { TensorKind(type: type, shape: shape) }
}

extension ONNXValue {
  fileprivate var bytes: Int {
    switch self {
    case .tensor(let tensor): tensor.count * 8
    case .sequence(let values): values.map(\.bytes).reduce(0, +)
    case .optional(let value): value?.bytes ?? 0
    }
  }
}
