#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  private static let domain = "ai.onnx.preview.training"

  /// Steps of training.
  static let optimizers: [Operator] = [
    Operator(
      "Momentum", domain: domain, ["alpha", "beta", "mode", "norm_coefficient"], inputs: 3...Int(Int32.max),
      outputs: 1...Int(Int32.max)
    ) {
      (call: Call) throws -> [Tensor?] in
      let (alpha, beta) = (try call.float("alpha", default: 0), try call.float("beta", default: 0))
      let (norm, isNesterov) = (
        try call.float("norm_coefficient", default: 0),
        try call.choice("mode", ["standard", "nesterov"]) == "nesterov"
      )
      return try stepped(call, states: 1) { rate, time, x, g, states in
        let gradient = norm * x + g
        states[0] = alpha * states[0] + (time > 0 ? beta : 1) * gradient
        return x - rate * (isNesterov ? gradient + alpha * states[0] : states[0])
      }
    },
    Operator(
      "Adagrad", domain: domain, ["decay_factor", "epsilon", "norm_coefficient"], inputs: 3...Int(Int32.max),
      outputs: 1...Int(Int32.max)
    ) {
      (call: Call) throws -> [Tensor?] in
      let (decay, epsilon) = (
        try call.float("decay_factor", default: 0), try call.float("epsilon", default: 1e-6)
      )
      let norm = try call.float("norm_coefficient", default: 0)
      return try stepped(call, states: 1) { rate, time, x, g, states in
        let gradient = norm * x + g
        states[0] += gradient * gradient
        return x - rate / (1 + time * decay) * gradient / (states[0].squareRoot() + epsilon)
      }
    },
    Operator(
      "Adam", domain: domain, ["alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"],
      inputs: 3...Int(Int32.max), outputs: 1...Int(Int32.max)
    ) { (call: Call) throws -> [Tensor?] in
      let (alpha, beta) = (try call.float("alpha", default: 0.9), try call.float("beta", default: 0.999))
      let (norm, post) = (
        try call.float("norm_coefficient", default: 0), try call.float("norm_coefficient_post", default: 0)
      )
      let epsilon = try call.float("epsilon", default: 1e-6)
      return try stepped(call, states: 2) { rate, time, x, g, states in
        let gradient = norm * x + g
        states[0] = alpha * states[0] + (1 - alpha) * gradient
        states[1] = beta * states[1] + (1 - beta) * gradient * gradient
        let adjusted = time > 0 ? rate * (1 - pow(beta, time)).squareRoot() / (1 - pow(alpha, time)) : rate
        return (1 - post) * (x - adjusted * states[0] / (states[1].squareRoot() + epsilon))
      }
    },
  ]

  /// One step for each of several tensors: rate, time, all tensors, all gradients, all first states, and so on.
  private static func stepped(
    _ call: Call, states: Int,
    _ body: (_ rate: Double, _ time: Double, _ x: Double, _ g: Double, _ states: inout [Double]) -> Double
  ) throws -> [Tensor?] {
    let count = (call.inputs.count - 2) / (2 + states)
    guard let rate = try call.scalar(0), let time = try call.scalar(1),
      call.inputs.count == 2 + count * (2 + states)
    else { throw ONNXError.malformed("inputs that are not \(2 + states) to each tensor") }
    var results = [[Tensor]](repeating: [], count: 1 + states)
    for index in 0..<count {
      let tensors = try (0..<2 + states).map { try call.tensor(2 + $0 * count + index) }
      guard tensors.allSatisfy({ $0.shape == tensors[0].shape }) else {
        throw ONNXError.malformed("shapes differ")
      }
      var columns = tensors.map { $0.doubles() }
      for place in columns[0].indices {
        var state = columns[2...].map { $0[place] }
        columns[0][place] = body(rate, time, columns[0][place], columns[1][place], &state)
        for (number, value) in state.enumerated() { columns[2 + number][place] = value }
      }
      results[0].append(Tensor(tensors[0].type, tensors[0].shape, doubles: columns[0]))
      for number in 0..<states {
        results[1 + number].append(
          Tensor(tensors[2 + number].type, tensors[0].shape, doubles: columns[2 + number]))
      }
    }
    return results.flatMap(\.self)
  }
}
