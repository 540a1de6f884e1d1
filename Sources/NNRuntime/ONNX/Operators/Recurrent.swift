import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  private static let common = [
    "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout",
  ]

  /// Networks that read a sequence step by step.
  static let recurrent: [Operator] = [
    Operator(
      "RNN", common + ["output_sequence"], inputs: 3...6, outputs: 1...2,
      tensors: { try Recurrence($0, gates: 1).plain() }),
    Operator(
      "GRU", common + ["linear_before_reset", "output_sequence"], inputs: 3...6, outputs: 1...2,
      tensors: { try Recurrence($0, gates: 3).gated() }),
    Operator(
      "LSTM", common + ["input_forget", "output_sequence"], inputs: 3...8, outputs: 1...3,
      tensors: { try Recurrence($0, gates: 4).longShort() }),
  ]
}

/// The common part of the three: steps, directions, and the products of input and state with their weights.
private struct Recurrence {
  private typealias Function = (Double) -> Double

  private let call: Call
  private let type: ElementType
  private let steps: Int
  private let batch: Int
  private let width: Int
  private let hidden: Int
  private let gates: Int
  private let isBatchFirst: Bool
  private let directions: [Bool]
  private let lengths: [Int]
  private let input: [Double]
  private let weights: (input: [Double], state: [Double], bias: [Double])
  private let functions: [Function]
  private let clip: Double

  init(_ call: Call, gates: Int) throws {
    self.call = call
    self.gates = gates
    isBatchFirst = try call.flag("layout")
    let given = try call.tensor(0)
    guard given.rank == 3, given.type == .float || given.type == .double else {
      throw unsupported(given.type)
    }
    let sequence = isBatchFirst ? given.transposed([1, 0, 2]) : given
    (steps, batch, width, type) = (sequence.shape[0], sequence.shape[1], sequence.shape[2], given.type)
    input = sequence.doubles()
    let direction = try call.choice("direction", ["forward", "reverse", "bidirectional"])
    directions = direction == "bidirectional" ? [false, true] : [direction == "reverse"]
    let (w, r) = (try call.tensor(1), try call.tensor(2))
    guard r.rank == 3, w.shape == [directions.count, gates * r.shape[2], width],
      r.shape == [directions.count, gates * r.shape[2], r.shape[2]]
    else { throw ONNXError.malformed("weights of shapes \(Shape.text(w.shape)) and \(Shape.text(r.shape))") }
    let size = r.shape[2]
    hidden = size
    guard try call.int("hidden_size") ?? size == size else {
      throw ONNXError.malformed("hidden_size is not the weights'")
    }
    let bias =
      try call.optional(3)?.doubles()
      ?? [Double](repeating: 0, count: try Shape.count([directions.count, 2, gates, size], bits: 64))
    guard bias.count == directions.count * 2 * gates * size else {
      throw ONNXError.malformed("a bias of \(bias.count)")
    }
    weights = (w.doubles(), r.doubles(), bias)
    let most = steps
    lengths = try call.integers(4) ?? [Int](repeating: most, count: batch)
    guard lengths.count == batch, lengths.allSatisfy({ (0...most).contains($0) }) else {
      throw ONNXError.malformed("sequence lengths \(lengths)")
    }
    clip = try call.float("clip", default: .infinity)
    let blank = gates == 1 ? ["Tanh"] : gates == 3 ? ["Sigmoid", "Tanh"] : ["Sigmoid", "Tanh", "Tanh"]
    let names = try call.strings("activations") ?? directions.flatMap { _ in blank }
    guard names.count == blank.count * directions.count else {
      throw ONNXError.malformed("activations \(names)")
    }
    var (alphas, betas) = (
      try call.floats("activation_alpha") ?? [], try call.floats("activation_beta") ?? []
    )
    functions = try names.map { try Self.function($0, &alphas, &betas) }
  }

  private static func function(_ name: String, _ alphas: inout [Double], _ betas: inout [Double]) throws
    -> Function
  {
    func next(_ values: inout [Double], _ blank: Double) -> Double {
      values.isEmpty ? blank : values.removeFirst()
    }
    switch name.lowercased() {
    case "sigmoid": return sigmoid
    case "tanh": return tanh
    case "relu": return { max(0, $0) }
    case "softsign": return { $0 / (1 + abs($0)) }
    case "softplus": return { log1p(exp($0)) }
    case "affine":
      let (a, b) = (next(&alphas, 1), next(&betas, 0))
      return { a * $0 + b }
    case "leakyrelu":
      let a = next(&alphas, 0.01)
      return { $0 < 0 ? a * $0 : $0 }
    case "thresholdedrelu":
      let a = next(&alphas, 1)
      return { $0 > a ? $0 : 0 }
    case "scaledtanh":
      let (a, b) = (next(&alphas, 1), next(&betas, 1))
      return { a * tanh(b * $0) }
    case "hardsigmoid":
      let (a, b) = (next(&alphas, 0.2), next(&betas, 0.5))
      return { max(0, min(1, a * $0 + b)) }
    case "elu":
      let a = next(&alphas, 1)
      return { $0 < 0 ? a * (exp($0) - 1) : $0 }
    default: throw ONNXError.unsupported("activation \"\(name)\"")
    }
  }

  private func bounded(_ value: Double) -> Double { min(max(value, -clip), clip) }

  /// The row of a gate, times a vector.
  private func product(_ matrix: [Double], _ direction: Int, _ row: Int, _ vector: ArraySlice<Double>)
    -> Double
  {
    let start = (direction * gates * hidden + row) * vector.count
    var sum = 0.0
    for (k, value) in vector.enumerated() { sum += matrix[start + k] * value }
    return sum
  }

  private func bias(_ direction: Int, _ row: Int, ofState: Bool) -> Double {
    weights.bias[(direction * 2 + (ofState ? 1 : 0)) * gates * hidden + row]
  }

  /// Output of a gate for input and state.
  private func gate(_ direction: Int, _ row: Int, _ x: ArraySlice<Double>, _ h: ArraySlice<Double>) -> Double
  {
    product(weights.input, direction, row, x) + product(weights.state, direction, row, h)
      + bias(direction, row, ofState: false) + bias(direction, row, ofState: true)
  }

  /// A state before the first step, directions first.
  private func initial(_ index: Int) throws -> [Double] {
    guard let given = try call.optional(index) else {
      return [Double](repeating: 0, count: try Shape.count([directions.count, batch, hidden], bits: 64))
    }
    guard given.count == directions.count * batch * hidden, given.rank == 3 else {
      throw ONNXError.malformed("a state of shape \(Shape.text(given.shape))")
    }
    return (isBatchFirst ? given.transposed([1, 0, 2]) : given).doubles()
  }

  /// Runs all steps; `step` changes the states of one image in place, the first of which is the output.
  private func run(
    states: Int, _ step: (_ direction: Int, _ x: ArraySlice<Double>, _ state: inout [[Double]]) -> Void
  ) throws -> [Tensor?] {
    let first = try (0..<states).map { try initial(5 + $0) }
    var last = first
    let size = try Shape.count([steps, directions.count, batch, hidden], bits: 64)
    var outputs = [Double](repeating: 0, count: size)
    for (direction, isReverse) in directions.enumerated() {
      for image in 0..<batch {
        let place = (direction * batch + image) * hidden
        var state = first.map { Array($0[place..<place + hidden]) }
        for time in 0..<lengths[image] {
          let position = isReverse ? lengths[image] - 1 - time : time
          let start = (position * batch + image) * width
          step(direction, input[start..<start + width], &state)
          let target = ((position * directions.count + direction) * batch + image) * hidden
          outputs.replaceSubrange(target..<target + hidden, with: state[0])
        }
        for index in 0..<states { last[index].replaceSubrange(place..<place + hidden, with: state[index]) }
      }
    }
    let all = Tensor(type, [steps, directions.count, batch, hidden], doubles: outputs)
    let ends = last.map { Tensor(type, [directions.count, batch, hidden], doubles: $0) }
    return [isBatchFirst ? all.transposed([2, 0, 1, 3]) : all]
      + ends.map { isBatchFirst ? $0.transposed([1, 0, 2]) : $0 }
  }

  func plain() throws -> [Tensor?] {
    try run(states: 1) { direction, x, state in
      let h = state[0]
      for row in 0..<hidden { state[0][row] = functions[direction](bounded(gate(direction, row, x, h[...]))) }
    }
  }

  func gated() throws -> [Tensor?] {
    let isLinear = try call.flag("linear_before_reset")
    return try run(states: 1) { direction, x, state in
      let (f, g) = (functions[2 * direction], functions[2 * direction + 1])
      let h = state[0]
      let update = (0..<hidden).map { f(bounded(gate(direction, $0, x, h[...]))) }
      let reset = (0..<hidden).map { f(bounded(gate(direction, hidden + $0, x, h[...]))) }
      let kept = zip(reset, h).map(*)
      for row in 0..<hidden {
        let line = 2 * hidden + row
        let fromInput = product(weights.input, direction, line, x) + bias(direction, line, ofState: false)
        let fromState =
          isLinear
          ? reset[row]
            * (product(weights.state, direction, line, h[...]) + bias(direction, line, ofState: true))
          : product(weights.state, direction, line, kept[...]) + bias(direction, line, ofState: true)
        state[0][row] = (1 - update[row]) * g(bounded(fromInput + fromState)) + update[row] * h[row]
      }
    }
  }

  func longShort() throws -> [Tensor?] {
    let isCoupled = try call.flag("input_forget")
    let peepholes =
      try call.optional(7)?.doubles()
      ?? [Double](repeating: 0, count: try Shape.count([directions.count, 3, hidden], bits: 64))
    guard peepholes.count == directions.count * 3 * hidden else {
      throw ONNXError.malformed(counted(peepholes.count, "peephole"))
    }
    return try run(states: 2) { direction, x, state in
      let (f, g, e) = (functions[3 * direction], functions[3 * direction + 1], functions[3 * direction + 2])
      let h = state[0]
      for row in 0..<hidden {
        let cell = state[1][row]
        func peephole(_ index: Int) -> Double { peepholes[(direction * 3 + index) * hidden + row] }
        let taken = f(bounded(gate(direction, row, x, h[...]) + peephole(0) * cell))
        let forgotten =
          isCoupled
          ? 1 - taken : f(bounded(gate(direction, 2 * hidden + row, x, h[...]) + peephole(2) * cell))
        let new = forgotten * cell + taken * g(bounded(gate(direction, 3 * hidden + row, x, h[...])))
        let shown = f(bounded(gate(direction, hidden + row, x, h[...]) + peephole(1) * new))
        state[1][row] = new
        state[0][row] = shown * e(new)
      }
    }
  }
}
