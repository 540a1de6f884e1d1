#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Losses of training.
  static let losses: [Operator] = [
    Operator("NegativeLogLikelihoodLoss", ["ignore_index", "reduction"], inputs: 2...3) { call in
      let tensor = try call.tensor(0)
      return try likelihood(call, tensor.doubles(), tensor, call.tensor(1), call.optional(2))
    },
    Operator("SoftmaxCrossEntropyLoss", ["ignore_index", "reduction"], inputs: 2...3, outputs: 1...2) {
      (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      guard tensor.rank >= 2 else { throw ONNXError.malformed("the scores have no classes") }
      let (outer, classes, inner) = Shape.around(1, of: tensor.shape)
      var values = tensor.doubles()
      for row in 0..<outer {
        for column in 0..<inner {
          let places = (0..<classes).map { (row * classes + $0) * inner + column }
          let greatest = places.map { values[$0] }.max() ?? 0
          let total = log(places.reduce(0) { $0 + exp(values[$1] - greatest) })
          for place in places { values[place] -= greatest + total }
        }
      }
      return [
        try likelihood(call, values, tensor, call.tensor(1), call.optional(2)),
        Tensor(tensor.type, tensor.shape, doubles: values),
      ]
    },
  ]

  /// The negative of each target's value, weighted by its class.
  private static func likelihood(
    _ call: Call, _ values: [Double], _ tensor: Tensor, _ target: Tensor, _ weight: Tensor?
  ) throws -> Tensor {
    guard tensor.rank >= 2, target.shape == [tensor.shape[0]] + tensor.shape[2...] else {
      throw ONNXError.malformed("the targets do not fit the scores")
    }
    let (_, classes, inner) = Shape.around(1, of: tensor.shape)
    let (ignored, weights) = (try call.exactInt("ignore_index"), weight?.doubles())
    guard weights.map({ $0.count == classes }) ?? true else {
      throw ONNXError.malformed("the weights do not fit the classes")
    }
    var (losses, total) = ([Double](), 0.0)
    for (place, given) in target.integers().enumerated() {
      if given == ignored {
        losses.append(0)
        continue
      }
      guard given >= -classes, given < classes else { throw ONNXError.input("class \(given) of \(classes)") }
      let index = given < 0 ? given + classes : given
      let factor = weights?[index] ?? 1
      total += factor
      losses.append(-values[(place / inner * classes + index) * inner + place % inner] * factor)
    }
    let sum = losses.reduce(0, +)
    switch try call.choice("reduction", ["mean", "sum", "none"]) {
    case "none": return Tensor(tensor.type, target.shape, doubles: losses)
    case "sum": return Tensor(tensor.type, [], doubles: [sum])
    default: return Tensor(tensor.type, [], doubles: [sum / total])
    }
  }
}
