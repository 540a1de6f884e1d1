extension Operators {
  private static let domain = "ai.onnx.ml"

  /// Small operators of classical learning.
  static let classical: [Operator] = [
    Operator("Binarizer", domain: domain, ["threshold"], inputs: 1...1) { call in
      let (tensor, limit) = (try call.tensor(0), try call.float("threshold", default: 0))
      return Tensor(tensor.type, tensor.shape, doubles: tensor.doubles().map { $0 > limit ? 1 : 0 })
    },
    Operator("ArrayFeatureExtractor", domain: domain, inputs: 2...2) { call in
      let (tensor, indices) = (try call.tensor(0), try call.tensor(1))
      guard let size = tensor.shape.last else { throw ONNXError.malformed("a single value has no features") }
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      positions[tensor.rank - 1] = try indexed(indices, within: size)
      let picked = try tensor.selecting(positions)
      return tensor.rank == 1 ? picked.reshaped([1, indices.count]) : picked
    },
    Operator(
      "LabelEncoder", domain: domain,
      [
        "default_float", "default_int64", "default_string", "default_tensor", "keys_floats", "keys_int64s",
        "keys_strings", "keys_tensor", "values_floats", "values_int64s", "values_strings", "values_tensor",
      ], inputs: 1...1, evaluate: encoded),
    Operator(
      "TreeEnsemble", domain: domain,
      [
        "aggregate_function", "leaf_targetids", "leaf_weights", "membership_values", "n_targets",
        "nodes_falseleafs",
        "nodes_falsenodeids", "nodes_featureids", "nodes_missing_value_tracks_true", "nodes_modes",
        "nodes_splits",
        "nodes_trueleafs", "nodes_truenodeids", "post_transform", "tree_roots",
      ], inputs: 1...1, evaluate: ensemble),
  ]

  private static func list(_ call: Call, _ stem: String) throws -> Tensor? {
    if let tensor = try call.tensorAttribute(stem + "_tensor") { return tensor.reshaped([tensor.count]) }
    if let values = try call.floats(stem + "_floats") {
      return Tensor(.float, [values.count], doubles: values)
    }
    if let values = try call.exactInts(stem + "_int64s") { return Tensor(integers: values) }
    return try call.strings(stem + "_strings").map { Tensor([$0.count], $0) }
  }

  @Sendable private static func encoded(_ call: Call) throws -> Tensor {
    let tensor = try call.tensor(0)
    guard let keys = try list(call, "keys"), let values = try list(call, "values"),
      keys.count == values.count,
      keys.type == tensor.type
    else { throw ONNXError.malformed("keys and values do not fit each other or the input") }
    let missing: Tensor
    switch values.type {
    case .string: missing = Tensor([1], [try call.string("default_string", default: "_Unused")])
    case .int64:
      missing =
        try call.tensorAttribute("default_tensor")
        ?? Tensor(integers: [call.exactInt("default_int64") ?? -1])
    default:
      missing =
        try call.tensorAttribute("default_tensor")
        ?? Tensor(values.type, [1], doubles: [call.float("default_float", default: 0)])
    }
    guard missing.type == values.type, missing.count == 1 else {
      throw ONNXError.malformed("the default is of another type")
    }
    let choices = Tensor.joined([values, missing.reshaped([1])], axis: 0)
    func found<T: Element>(_: T.Type) -> Tensor {
      let known = keys.array(of: T.self)
      return choices.picking(
        tensor.array(of: T.self).map { value in
          known.firstIndex { $0 == value || $0 != $0 && value != value } ?? values.count
        }, shape: tensor.shape)
    }
    return found(tensor.type.storage)
  }

  @Sendable private static func ensemble(_ call: Call) throws -> Tensor {
    let tensor = try call.tensor(0)
    func integers(_ name: String) throws -> [Int] { try call.exactInts(name) ?? [] }
    func numbers(_ name: String) throws -> [Double] { try call.tensorAttribute(name)?.doubles() ?? [] }
    let (features, modes, splits) = (
      try integers("nodes_featureids"), try numbers("nodes_modes"), try numbers("nodes_splits")
    )
    let (trues, falses) = (try integers("nodes_truenodeids"), try integers("nodes_falsenodeids"))
    let (trueLeafs, falseLeafs) = (try integers("nodes_trueleafs"), try integers("nodes_falseleafs"))
    let (targets, weights, roots) = (
      try integers("leaf_targetids"), try numbers("leaf_weights"), try integers("tree_roots")
    )
    let (count, missing) = (
      try call.int("n_targets", default: 1), try call.ints("nodes_missing_value_tracks_true")
    )
    let aggregate = try call.int("aggregate_function", default: 1)
    guard try call.int("post_transform", default: 0) == 0 else {
      throw ONNXError.unsupported("post_transform")
    }
    let nodes = features.count
    guard tensor.rank == 2,
      [modes.count, splits.count, trues.count, falses.count, trueLeafs.count, falseLeafs.count]
        .allSatisfy({ $0 == nodes }), targets.count == weights.count, (1...1 << 20).contains(count),
      (0...3).contains(aggregate),
      targets.allSatisfy({ (0..<count).contains($0) }),
      features.allSatisfy({ (0..<tensor.shape[1]).contains($0) }),
      roots.allSatisfy({ (0..<nodes).contains($0) }), missing.map({ $0.count == nodes }) ?? true
    else { throw ONNXError.malformed("the lists of nodes and leaves do not fit") }
    // The members of each set node, in the order in which the trees are built: the true branch first.
    var rest = try numbers("membership_values")[...]
    var members = [[Double]](repeating: [], count: nodes)
    var visited = 0
    func collect(_ node: Int) throws {
      visited += 1
      guard (0..<nodes).contains(node), visited <= nodes else {
        throw ONNXError.malformed("the nodes form no trees")
      }
      if modes[node] == 6 {
        members[node] = Array(rest.prefix { !$0.isNaN })
        rest = rest.dropFirst(members[node].count + 1)
      }
      if trueLeafs[node] == 0 { try collect(trues[node]) }
      if falseLeafs[node] == 0 { try collect(falses[node]) }
    }
    for root in roots { try collect(root) }
    func goesTrue(_ node: Int, _ value: Double) -> Bool {
      if value.isNaN, missing?[node] == 1 { return true }
      switch modes[node] {
      case 0: return value <= splits[node]
      case 1: return value < splits[node]
      case 2: return value >= splits[node]
      case 3: return value > splits[node]
      case 4: return value == splits[node]
      case 5: return value != splits[node]
      default: return members[node].contains(value)
      }
    }
    let blank = aggregate == 2 ? Double.infinity : aggregate == 3 ? -Double.infinity : 0
    var made = [Double](repeating: blank, count: try Shape.count([tensor.shape[0], count], bits: 64))
    let values = tensor.doubles()
    for row in 0..<tensor.shape[0] {
      for root in roots {
        var (node, isLeaf) = (root, false)
        while !isLeaf {
          let isTrue = goesTrue(node, values[row * tensor.shape[1] + features[node]])
          (node, isLeaf) =
            isTrue ? (trues[node], trueLeafs[node] != 0) : (falses[node], falseLeafs[node] != 0)
        }
        guard weights.indices.contains(node) else {
          throw ONNXError.malformed("leaf \(node) of \(weights.count)")
        }
        let place = row * count + targets[node]
        switch aggregate {
        case 0: made[place] += weights[node] / Double(roots.count)
        case 1: made[place] += weights[node]
        case 2: made[place] = min(made[place], weights[node])
        default: made[place] = max(made[place], weights[node])
        }
      }
    }
    return Tensor(tensor.type, [tensor.shape[0], count], doubles: made)
  }
}
