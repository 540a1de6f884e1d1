/// Finds the tensors of a checkpoint: a table of names, or the tree of modules of a pickled network.
struct TorchModules {
  static let maximumDepth = 64
  static let maximumModules = 100_000
  /// Attributes that are looked through; modules may share a table, and each looks through it again.
  static let maximumAttributes = 10_000_000
  static let maximumTensors = 20_000
  /// Bytes of a tensor's name, which is put together from those of its modules.
  static let maximumNameBytes = 1000

  let heap: PickleHeap
  private(set) var tensors: [String: PickleTensor] = [:]
  /// The record of the network itself, where the checkpoint holds one.
  private(set) var network: PickleValue?
  /// What normalizations with running statistics add to a variance, two different numbers at most.
  private(set) var epsilons: Set<Double> = []
  private var visited = 0
  private var attributes = 0

  init(_ heap: PickleHeap) throws(CheckpointErrorAt) {
    self.heap = heap
    for candidate in Self.candidates(heap) {
      if Self.isModule(candidate, heap) {
        network = candidate
        try collect(candidate, prefix: "", depth: 0)
        return
      }
      if let members = heap.members(candidate), members.contains(where: { heap.tensor($0.value) != nil }) {
        for (key, value) in members {
          guard case .text(let name) = key, let tensor = heap.tensor(value) else { continue }
          try add(tensor, name)
        }
        return
      }
    }
    throw CheckpointErrorAt(.noTensors)
  }

  /// Where training scripts put their weights; averaged weights (`ema`) are what Ultralytics itself takes.
  private static func candidates(_ heap: PickleHeap) -> [PickleValue] {
    let names = ["ema", "model", "state_dict", "model_state_dict"]
    return names.compactMap { heap.member($0, of: heap.root) } + [heap.root]
  }

  private static func state(_ module: PickleValue, _ heap: PickleHeap) -> PickleValue? {
    guard let node = heap.node(module), case .record = node.kind else { return nil }
    // An object with slots has a pair: its attributes, and its slots.
    return heap.elements(node.state)?.first ?? node.state
  }

  private static func isModule(_ value: PickleValue, _ heap: PickleHeap) -> Bool {
    state(value, heap).map { heap.member("_modules", of: $0) != nil } ?? false
  }

  /// An attribute of the network.
  func attribute(_ name: String) -> PickleValue? {
    network.flatMap { Self.state($0, heap) }.flatMap { heap.member(name, of: $0) }
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
    _ module: PickleValue, prefix: String, depth: Int
  ) throws(CheckpointErrorAt) {
    guard depth <= Self.maximumDepth else { throw CheckpointErrorAt(.tooDeep(limit: Self.maximumDepth)) }
    visited += 1
    guard visited <= Self.maximumModules else {
      throw CheckpointErrorAt(.tooManyModules(limit: Self.maximumModules))
    }
    guard prefix.utf8.count <= Self.maximumNameBytes else {
      throw CheckpointErrorAt(.nameTooLong(limit: Self.maximumNameBytes), prefix)
    }
    guard let state = Self.state(module, heap) else { return }
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
    if case .number(let epsilon)? = heap.member("eps", of: state), epsilons.count < 2,
      heap.member("_buffers", of: state).flatMap({ heap.member("running_var", of: $0) }) != nil
    {
      epsilons.insert(epsilon)
    }
    for (key, value) in try table("_modules", of: state) {
      guard case .text(let name) = key else { continue }
      try collect(value, prefix: "\(prefix)\(name).", depth: depth + 1)
    }
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
