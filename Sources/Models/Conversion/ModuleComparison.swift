import FileFormats
import NNRuntime

/// Compares the modules of a pickled network with those that are built for its tensors.
struct ModuleComparison {
  /// Modules that only hold others, in order.
  private static let lists: Set<String> = ["Sequential", "ModuleList"]
  /// Modules that hand on what they are given when a network is used.
  private static let idle: Set<String> = [
    "Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FloatFunctional",
  ]
  /// The same of the networks' authors.
  private static let idleOfAuthors = "DropPath"

  private let heap: PickleHeap
  private let modules: [String: PickledModule]
  private let statements: [String: ModuleStatement]
  /// Where the classes of the network's authors come from; empty for anywhere.
  private let authors: String
  /// The numbers of a tensor.
  private let floats: (PickleTensor) -> [Double]?
  /// Activations that are not the published network's, by the modules that they belong to.
  private var activations: [String: Activation] = [:]

  /// Compares modules, named as in the network by itself, with what is stated of them.
  ///
  /// - Returns: Activations that are not the published network's.
  /// - Throws: `.otherModule`.
  static func activations(
    of modules: [String: PickledModule], in heap: PickleHeap, statements: [String: ModuleStatement],
    authors: String, floats: @escaping (PickleTensor) -> [Double]?
  ) throws(CheckpointErrorAt) -> [String: Activation] {
    var comparison = ModuleComparison(
      heap: heap, modules: modules, statements: statements, authors: authors, floats: floats)
    for path in modules.keys.sorted() where !comparison.isIgnored(path) { try comparison.compare(path) }
    return comparison.activations
  }

  private init(
    heap: PickleHeap, modules: [String: PickledModule], statements: [String: ModuleStatement],
    authors: String, floats: @escaping (PickleTensor) -> [Double]?
  ) {
    (self.heap, self.modules, self.statements) = (heap, modules, statements)
    (self.authors, self.floats) = (authors, floats)
  }

  /// Parts of what serves training alone.
  private func isIgnored(_ path: String) -> Bool {
    var parts = path.split(separator: ".")
    while parts.popLast() != nil {
      if statements[parts.joined(separator: ".")]?.isForTraining == true { return true }
    }
    return false
  }

  private mutating func compare(_ path: String) throws(CheckpointErrorAt) {
    guard let module = modules[path] else { return }
    try checkMethods(module, path)
    try checkHooks(module, path)
    try checkNone(module, path)
    let statement = statements[path]
    if let activation = statement?.activation {
      try compare(module, path, activation: activation, isExchangeable: statement?.isExchangeable ?? false)
    } else if let statement, !statement.classes.isEmpty {
      try checkClass(module, path, statement)
      try checkNumbers(module, path, statement)
    } else {
      try checkOther(module, path)
      if let statement { try checkNumbers(module, path, statement) }
    }
  }

  /// A method that is set on one object replaces the class's.
  private func checkMethods(_ module: PickledModule, _ path: String) throws(CheckpointErrorAt) {
    for method in ["forward", "__call__", "_call_impl", "_forward_impl"] {
      guard let value = heap.member(method, of: module.state), value != .none else { continue }
      // Ultralytics' exports take this one, which computes the same.
      if let node = heap.node(value), node.values.contains(.text("forward_split")) { continue }
      throw difference(path, "its method \(method) is replaced")
    }
  }

  /// Tables of functions that run before or after a module's own, such as those of `weight_norm` and `spectral_norm`.
  ///
  /// Hooks of gradients and of loading change nothing that is computed here.
  private static let hooks = [
    "_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs",
    "_forward_hooks_always_called",
  ]

  private func checkHooks(_ module: PickledModule, _ path: String) throws(CheckpointErrorAt) {
    for table in Self.hooks {
      guard let value = heap.member(table, of: module.state), value != .none else { continue }
      guard let node = heap.node(value), node.values.isEmpty, node.state == .none else {
        throw difference(path, "it has hooks (\(table)), which are not run here")
      }
    }
  }

  /// A part that is set to None: where PyTorch runs it, it fails.
  private func checkNone(_ module: PickledModule, _ path: String) throws(CheckpointErrorAt) {
    let parts = heap.member("_modules", of: module.state).flatMap(heap.members) ?? []
    for case (.text(let name), .none) in parts + (heap.members(module.state) ?? []) {
      let part = path.isEmpty ? name : "\(path).\(name)"
      guard modules[part] == nil, let statement = statements[part], !statement.isForTraining else { continue }
      throw difference(part, "it is None, which PyTorch cannot run; nn.Identity computes nothing")
    }
  }

  // MARK: - Classes

  private func checkClass(
    _ module: PickledModule, _ path: String, _ statement: ModuleStatement
  ) throws(CheckpointErrorAt) {
    let isTheirs =
      switch statement.library {
      case .torch: module.isTorch
      case .authors: !module.isTorch && module.name.hasPrefix(authors)
      }
    if isTheirs, statement.classes.contains(module.className) { return }
    guard !module.tellsNothing(of: statement, heap) else { return }
    throw difference(path, "\(module.name), where \(statement.classes[0]) is built")
  }

  /// A module of which nothing is stated: a list of others, or one that does nothing.
  private func checkOther(_ module: PickledModule, _ path: String) throws(CheckpointErrorAt) {
    if module.isTorch ? Self.idle.contains(module.className) : module.className == Self.idleOfAuthors {
      return
    }
    guard module.isTorch, Self.lists.contains(module.className), !isLeaf(path) || module.children.isEmpty
    else {
      throw difference(path, "\(module.name), which is not known here")
    }
    // A list runs in the order in which its parts are kept.
    let indices = module.children.compactMap { integer(of: $0, in: 0...NetworkPrefix.lastIndex) }
    guard indices == indices.sorted() else { throw difference(path, "its modules are out of order") }
    for (name, statement) in statements where isPart(name, of: path) && modules[name] == nil {
      guard statement.mayBeUntold || statement.classes.isEmpty && statement.activation == nil else {
        throw difference(path, "its module \(name.dropFirst(path.count + 1)) is missing")
      }
    }
  }

  private func isLeaf(_ path: String) -> Bool {
    !statements.keys.contains { $0.hasPrefix("\(path).") }
  }

  private func isPart(_ name: String, of path: String) -> Bool {
    name.hasPrefix("\(path).") && !name.dropFirst(path.count + 1).contains(".")
  }

  // MARK: - Activations

  private mutating func compare(
    _ module: PickledModule, _ path: String, activation expected: Activation, isExchangeable: Bool
  ) throws(CheckpointErrorAt) {
    guard let found = activation(of: module) else {
      let known = Activation.allCases.filter { $0.name != "clip" }
      let built = known.map(\.moduleName).sorted().joined(separator: ", ")
      throw difference(path, "activation \(module.name); built are \(built) (GELU without tanh)")
    }
    guard found != expected else { return }
    guard isExchangeable, let end = path.lastIndex(of: ".") else {
      throw difference(path, "activation \(module.className), where \(expected.name) is built")
    }
    activations[String(path[..<end])] = found
  }

  private func activation(of module: PickledModule) -> Activation? {
    guard module.isTorch else { return nil }
    let activation = Activation.allCases.first { $0.moduleName == module.className }
    switch activation {
    case .gelu:
      let form = heap.member("approximate", of: module.state)
      return form == nil || form == .text("none") ? activation : nil
    case .leakyReLU:
      guard let slope = heap.member("negative_slope", of: module.state) else { return nil }
      guard let slope = found(slope)?.first, Float(slope).isFinite else { return nil }
      return .leakyReLU(slope: Float(slope))
    // Checkpoints have numbers with it that converted files do not hold.
    case .clip: return nil
    case nil, .none?, .relu, .silu, .sigmoid, .hardSwish: return activation
    }
  }

  // MARK: - Numbers

  private func checkNumbers(
    _ module: PickledModule, _ path: String, _ statement: ModuleStatement
  ) throws(CheckpointErrorAt) {
    for (name, expected) in statement.numbers.sorted(by: { $0.key < $1.key }) {
      guard let value = heap.member(name, of: module.state) else {
        guard let standard = statement.defaults[name], standard != expected else { continue }
        throw difference(path, "\(module.className) without \(name), \(expected.text) is built")
      }
      guard !agrees(value, expected) else { continue }
      throw difference(path, "\(module.className) with \(name) \(text(value)), \(expected.text) is built")
    }
  }

  private func agrees(_ value: PickleValue, _ expected: ModuleNumber) -> Bool {
    switch expected {
    case .none: return value == .none
    case .flag(let flag): return value == .bool(flag)
    case .text(let text): return value == .text(text)
    case .number(let number):
      guard let found = found(value), !found.isEmpty else { return false }
      return found.allSatisfy { abs($0 - number) <= 1e-9 * abs(number) }
    case .range(let range):
      guard let found = found(value), found.count == 1 else { return false }
      return range.contains(found[0])
    case .numbers(let numbers): return found(value) == numbers
    case .layers(let layers, let index):
      let found = found(value)?.map { $0 < 0 ? Double(index) + $0 : $0 }
      return found == layers.map(Double.init)
    }
  }

  /// The numbers of a number, a list, `torch.Size` or a tensor; nil of anything else.
  private func found(_ value: PickleValue) -> [Double]? {
    switch value {
    case .integer(let integer): return [Double(integer)]
    case .number(let number): return [number]
    default: break
    }
    if let tensor = heap.tensor(value) { return floats(tensor) }
    var list = value
    if let node = heap.node(value), case .record = node.kind, node.values.count == 1 { list = node.values[0] }
    guard let elements = heap.elements(list), elements.count <= 16 else { return nil }
    var numbers: [Double] = []
    for element in elements {
      switch element {
      case .integer(let integer): numbers.append(Double(integer))
      case .number(let number): numbers.append(number)
      default: return nil
      }
    }
    return numbers
  }

  private func text(_ value: PickleValue) -> String {
    if let numbers = found(value) {
      let texts = numbers.map { Int(exactly: $0).map(String.init) ?? "\($0)" }
      return texts.count == 1 ? texts[0] : "(\(texts.joined(separator: ", ")))"
    }
    return PlainValue(value, heap, depth: 0).shown ?? "of another kind"
  }

  private func difference(_ path: String, _ reason: String) -> CheckpointErrorAt {
    CheckpointErrorAt(.otherModule(path.isEmpty ? "the network itself" : path, reason: reason))
  }
}

extension PickledModule {
  /// Its class without the module that it comes from.
  fileprivate var className: String { name.split(separator: ".").last.map(String.init) ?? name }

  fileprivate var isTorch: Bool { name.hasPrefix("torch.") }

  /// Whether it was not written by PyTorch, and has no numbers: PyTorch gives every module tables of hooks.
  ///
  /// Checkpoints put together from tables of tensors have lists where the network has other modules, and one kind of
  /// convolution.
  fileprivate func tellsNothing(of statement: ModuleStatement, _ heap: PickleHeap) -> Bool {
    guard isTorch, heap.member("_forward_hooks", of: state) == nil,
      !statement.numbers.keys.contains(where: { heap.member($0, of: state) != nil })
    else { return false }
    return className == "Sequential" && !children.isEmpty
      || className == "Conv2d" && statement.library == .torch
  }
}

extension ModuleNumber {
  /// For people.
  fileprivate var text: String {
    func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
    switch self {
    case .none: return "None"
    case .flag(let flag): return flag ? "True" : "False"
    case .text(let text): return text
    case .number(let number): return text(number)
    case .range(let range): return "a number from \(range.lowerBound) to \(range.upperBound)"
    case .numbers(let numbers): return "(\(numbers.map(text).joined(separator: ", ")))"
    case .layers(let layers, _): return "\(layers)"
    }
  }
}
