/// Finds the tensors of a checkpoint: a table of names, or the tree of modules of a pickled network.
struct TorchModules {
  static let maximumDepth = 64
  static let maximumModules = 20_000
  /// Attributes that are looked through; modules may share a table, and each looks through it again.
  static let maximumAttributes = 10_000_000
  static let maximumTensors = 20_000
  /// Bytes of a tensor's name, which is put together from those of its modules.
  static let maximumNameBytes = 1000

  let heap: PickleHeap
  private(set) var tensors: [String: PickleTensor] = [:]
  /// The modules by their names, the outermost by an empty one; none of a table of tensors.
  private(set) var modules: [String: PickledModule] = [:]
  /// Epsilons of normalizations with running statistics, at most two different ones.
  private(set) var epsilons: Set<Double> = []
  private var attributes = 0

  init(_ heap: PickleHeap) throws(CheckpointErrorAt) {
    self.heap = heap
    var seen: Set<Int> = []
    guard let weights = Self.weights(in: heap.root, heap, &seen) else { throw CheckpointErrorAt(.noTensors) }
    if Self.isModule(weights, heap) {
      try collect(weights, path: "", depth: 0)
    } else {
      for (key, value) in heap.members(weights) ?? [] {
        guard case .text(let name) = key, let tensor = heap.tensor(value) else { continue }
        try add(tensor, name)
      }
    }
  }

  /// A module or a table of tensors: the value itself, or where training scripts put it; averaged weights (`ema`) are
  /// what Ultralytics itself takes.
  private static func weights(
    in value: PickleValue, _ heap: PickleHeap, _ seen: inout Set<Int>
  ) -> PickleValue? {
    guard case .compound(let index) = value, seen.count < maximumDepth, seen.insert(index).inserted else {
      return nil
    }
    if isModule(value, heap) { return value }
    let names = [
      "ema", "model_ema", "ema_model", "ema_state_dict", "params_ema", "model", "module", "net", "network",
      "state_dict", "model_state_dict", "params", "weights",
    ]
    let table = heap.attributes(of: value) ?? value
    for name in names {
      if let member = heap.member(name, of: table), let found = weights(in: member, heap, &seen) {
        return found
      }
    }
    return heap.members(value)?.contains { heap.tensor($0.value) != nil } == true ? value : nil
  }

  private static func isModule(_ value: PickleValue, _ heap: PickleHeap) -> Bool {
    heap.attributes(of: value).map { heap.member("_modules", of: $0) != nil } ?? false
  }

  private mutating func add(_ tensor: PickleTensor, _ name: String) throws(CheckpointErrorAt) {
    guard name.utf8.count <= Self.maximumNameBytes else {
      throw CheckpointErrorAt(.nameTooLong(limit: Self.maximumNameBytes), name)
    }
    guard tensors.count < Self.maximumTensors else {
      throw CheckpointErrorAt(.tooManyTensors(limit: Self.maximumTensors))
    }
    guard tensors.updateValue(tensor, forKey: name) == nil else {
      throw CheckpointErrorAt(.duplicateName, name)
    }
  }

  /// The members of a table of a module's, counted as looked through.
  private mutating func table(_ name: String, of state: PickleValue) throws(CheckpointErrorAt)
    -> [(key: PickleValue, value: PickleValue)]
  {
    try count(state)
    guard let table = heap.member(name, of: state) else { return [] }
    try count(table)
    return heap.members(table) ?? []
  }

  private mutating func count(_ value: PickleValue) throws(CheckpointErrorAt) {
    attributes += heap.node(value)?.values.count ?? 0
    guard attributes <= Self.maximumAttributes else {
      throw CheckpointErrorAt(.tooManyAttributes(limit: Self.maximumAttributes))
    }
  }

  private mutating func collect(
    _ module: PickleValue, path: String, depth: Int
  ) throws(CheckpointErrorAt) {
    guard depth <= Self.maximumDepth else { throw CheckpointErrorAt(.tooDeep(limit: Self.maximumDepth)) }
    guard modules.count < Self.maximumModules else {
      throw CheckpointErrorAt(.tooManyModules(limit: Self.maximumModules))
    }
    guard path.utf8.count <= Self.maximumNameBytes else {
      throw CheckpointErrorAt(.nameTooLong(limit: Self.maximumNameBytes), path)
    }
    guard let state = heap.attributes(of: module), case .record(let name)? = heap.node(module)?.kind else {
      return
    }
    let prefix = path.isEmpty ? "" : "\(path)."
    try count(state)
    let transient =
      heap.member("_non_persistent_buffers_set", of: state).flatMap { heap.node($0)?.values } ?? []
    for kind in ["_parameters", "_buffers"] {
      for (key, value) in try table(kind, of: state) {
        guard case .text(let name) = key, let tensor = heap.tensor(value) else { continue }
        if kind == "_buffers", !transient.isEmpty {
          attributes += transient.count
          if transient.contains(key) { continue }
        }
        try add(tensor, prefix + name)
      }
    }
    if let epsilon = heap.member("eps", of: state).flatMap(Self.number), epsilons.count < 2,
      heap.member("_buffers", of: state).flatMap({ heap.member("running_var", of: $0) }) != nil
    {
      epsilons.insert(epsilon)
    }
    let children = try table("_modules", of: state)
    var names: [String] = []
    for case (.text(let name), let value) in children where heap.attributes(of: value) != nil {
      names.append(name)
    }
    guard modules.updateValue(PickledModule(name: name, state: state, children: names), forKey: path) == nil
    else { throw CheckpointErrorAt(.duplicateName, path) }
    for case (.text(let name), let value) in children {
      try collect(value, path: prefix + name, depth: depth + 1)
    }
  }

  private static func number(_ value: PickleValue) -> Double? {
    switch value {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// An attribute of the network, or of what is around it, at the innermost module that has it; else what the
  /// checkpoint says beside its weights.
  ///
  /// - `path`: The network's.
  func attribute(_ name: String, at path: String) -> PickleValue? {
    var parts = path.split(separator: ".")
    while true {
      if let module = modules[parts.joined(separator: ".")],
        let value = heap.member(name, of: module.state), value != .none
      {
        return value
      }
      guard !parts.isEmpty else { break }
      parts.removeLast()
    }
    return heap.member(name, of: heap.root).flatMap { $0 == .none ? nil : $0 }
  }
}

/// A module of a pickled network.
struct PickledModule {
  /// Its class with the module that it comes from.
  let name: String
  /// The table of its attributes.
  let state: PickleValue
  /// Its parts, in order.
  let children: [String]
}

extension PickleHeap {
  /// The table of an object's attributes; nil of plain values.
  func attributes(of value: PickleValue) -> PickleValue? {
    guard let node = node(value), case .record = node.kind else { return nil }
    // An object with slots has a pair: its attributes, and its slots.
    return elements(node.state)?.first ?? node.state
  }

  /// The value under a text key of a dictionary, or an attribute of an object.
  func entry(_ key: String, of value: PickleValue) -> PickleValue? {
    member(key, of: attributes(of: value) ?? value)
  }
}

/// A defect and the tensor it is about, before the file's name is known.
package struct CheckpointErrorAt: Error {
  package let kind: CheckpointError.Kind
  package let tensor: String?

  init(_ kind: CheckpointError.Kind, _ tensor: String? = nil) {
    self.kind = kind
    self.tensor = tensor
  }
}
