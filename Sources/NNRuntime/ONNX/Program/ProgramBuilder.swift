import FileFormats

/// Makes a program of a graph's messages.
///
/// Names are found in the graph itself and, from a subgraph, in those around it; a function's body sees its own only.
final class ProgramBuilder {
  /// Data that the graphs and functions of one model share.
  struct Model {
    let functions: [FunctionMessage]
    let files: ExternalData?
    /// Whether steps stay that need not be run: their values may be asked for.
    let keepsAll: Bool
  }

  /// Functions within functions, and graphs within graphs.
  private static let deepest = 64
  /// Steps of a whole program: functions that call others twice grow without bound.
  private static let mostSteps = 1_000_000

  private typealias Names = NameTable<Int>

  private let model: Model
  private let outer: (builder: ProgramBuilder, names: Scope)?
  private let depth: Int
  private var steps: [Step] = []
  private var constants: [Int: Value] = [:]
  private var captures: [(outer: Int, inner: Int)] = []
  private var slotCount = 0

  /// The names of one graph or one call of a function.
  private final class Scope {
    var names = Names()
    let opsets: [OpsetMessage]
    let seesOuter: Bool
    /// The arguments of the function that the nodes are of.
    let attributes: [AttributeMessage]?
    let depth: Int

    init(opsets: [OpsetMessage], seesOuter: Bool, attributes: [AttributeMessage]?, depth: Int) {
      self.opsets = opsets
      self.seesOuter = seesOuter
      self.attributes = attributes
      self.depth = depth
    }
  }

  private init(_ model: Model, within outer: (builder: ProgramBuilder, names: Scope)?, depth: Int) {
    self.model = model
    self.outer = outer
    self.depth = depth
  }

  /// The program of a model's graph.
  static func program(
    of message: ModelMessage, files: ExternalData?, keepsAll: Bool = false
  ) throws -> Program {
    let builder = ProgramBuilder(
      Model(functions: message.functions, files: files, keepsAll: keepsAll), within: nil, depth: 0)
    let scope = Scope(opsets: message.opsets, seesOuter: false, attributes: nil, depth: 0)
    return try builder.build(message.graph!, scope)
  }

  private func build(_ graph: GraphMessage, _ scope: Scope) throws -> Program {
    for tensor in graph.initializers {
      try define(tensor.name, as: .tensor(try tensor.tensor(model.files)), in: scope)
    }
    for tensor in graph.sparseInitializers {
      try define(tensor.values?.name ?? "", as: .tensor(try tensor.tensor(model.files)), in: scope)
    }
    var seen = NameSet()
    let inputs = try graph.inputs.map { input in
      guard seen.insert(input.name) else {
        throw ONNXError.malformed("the input \"\(printableName(input.name))\" is declared twice")
      }
      let known = scope.names[input.name]
      let slot = try known ?? define(input.name, in: scope)
      return Program.Input(name: input.name, type: input.type, slot: slot, hasDefault: known != nil)
    }
    for node in try NodeOrder.sorted(graph.nodes) { try add(node, scope) }
    let outputs = try graph.outputs.map { output in
      guard let slot = resolve(output.name, scope) else {
        throw ONNXError.malformed("nothing makes the output \"\(printableName(output.name))\"")
      }
      return Program.Output(name: output.name, type: output.type, slot: slot)
    }
    let program = Program(
      inputs: inputs, outputs: outputs, steps: steps, constants: constants, captures: captures,
      slotCount: slotCount, names: scope.names)
    return model.keepsAll ? program : program.simplified(computing: depth == 0)
  }

  // Names

  @discardableResult
  private func define(_ name: String, as value: Value? = nil, in scope: Scope) throws -> Int {
    let slot = slotCount
    slotCount += 1
    constants[slot] = value
    guard scope.names.updateValue(slot, forKey: name) == nil else {
      throw ONNXError.malformed("two values have the name \"\(printableName(name))\"")
    }
    return slot
  }

  private func resolve(_ name: String, _ scope: Scope) -> Int? {
    if let slot = scope.names[name] { return slot }
    guard scope.seesOuter, let outer, let found = outer.builder.resolve(name, outer.names) else { return nil }
    if let known = captures.first(where: { $0.outer == found }) { return known.inner }
    let slot = slotCount
    slotCount += 1
    captures.append((found, slot))
    return slot
  }

  // Nodes

  private func add(_ node: NodeMessage, _ scope: Scope) throws {
    do {
      try append(node, scope)
    } catch let error as ONNXError {
      if case .node = error { throw error }
      throw ONNXError.node(name: node.shownName, type: node.qualifiedType, error)
    }
  }

  private func append(_ node: NodeMessage, _ scope: Scope) throws {
    let inputs = try node.inputs.map { name -> Int? in
      if name.isEmpty { return nil }
      guard let slot = resolve(name, scope) else {
        throw ONNXError.malformed(
          "it reads \"\(printableName(name))\", which nothing before it makes: the graph has a cycle, is out of order, "
            + "or lacks a value")
      }
      return slot
    }
    let function = model.functions.first {
      $0.name.isSameName(as: node.type) && $0.domain.isSameName(as: node.domain)
        && $0.overload.isSameName(as: node.overload)
    }
    if let function { return try call(function, node, inputs, scope) }
    let attributes = try node.attributes.compactMap { try attribute($0, scope) }
    let (version, versionDefect) = version(of: node.domain, scope)
    guard steps.count < Self.mostSteps else { throw ONNXError.malformed("more than \(Self.mostSteps) nodes") }
    let outputs = try node.outputs.map { $0.isEmpty ? nil : try define($0, in: scope) }
    let (found, defect) = Operators.find(node.domain, node.type, version, attributes.map(\.name))
    let shown = versionDefect ?? defect
    try found?.checkCounts(inputs: inputs, outputs: outputs.count)
    steps.append(
      Step(
        name: node.shownName, type: node.qualifiedType, version: version, attributes: attributes,
        inputs: inputs,
        outputs: outputs, implementation: shown == nil ? found : nil,
        defect: shown.map { .node(name: node.shownName, type: node.qualifiedType, $0) }))
  }

  private func version(of domain: String, _ scope: Scope) -> (Int, ONNXError?) {
    if let opset = scope.opsets.first(where: { $0.domain.isSameName(as: domain) }) {
      let version = Int(opset.version)
      if domain.isEmpty, !(1...Operators.newestVersion).contains(version) {
        return (
          version,
          .unsupported(
            "version \(version) of ONNX's operators; the newest known is \(Operators.newestVersion): export with that opset"
          )
        )
      }
      return (version, nil)
    }
    // The first files stated no versions.
    if domain.isEmpty, scope.opsets.isEmpty { return (1, nil) }
    if domain.isEmpty { return (Operators.newestVersion, nil) }
    return (1, .malformed("the model states no version of the domain \"\(printableName(domain))\""))
  }

  private func call(_ function: FunctionMessage, _ node: NodeMessage, _ inputs: [Int?], _ scope: Scope) throws
  {
    guard scope.depth < Self.deepest else {
      throw ONNXError.malformed("functions call each other more than \(Self.deepest) deep, or in a circle")
    }
    guard inputs.count <= function.inputs.count, node.outputs.count <= function.outputs.count else {
      throw ONNXError.malformed("the function has fewer inputs or outputs than are given")
    }
    var arguments = function.defaults
    for given in node.attributes {
      guard let bound = try bind(given, scope) else { continue }
      arguments.removeAll { $0.name.isSameName(as: given.name) }
      arguments.append(bound)
    }
    let inner = Scope(
      opsets: function.opsets, seesOuter: false, attributes: arguments, depth: scope.depth + 1)
    for (name, slot) in zip(function.inputs, inputs) {
      if let slot { inner.names[name] = slot } else { inner.names[name] = try missing() }
    }
    for name in function.inputs.dropFirst(inputs.count) { inner.names[name] = try missing() }
    for body in try NodeOrder.sorted(function.nodes) { try add(body, inner) }
    for (name, made) in zip(node.outputs, function.outputs) where !name.isEmpty {
      guard let slot = inner.names[made] else {
        throw ONNXError.malformed("nothing makes the function's output \"\(printableName(made))\"")
      }
      guard scope.names.updateValue(slot, forKey: name) == nil else {
        throw ONNXError.malformed("two values have the name \"\(printableName(name))\"")
      }
    }
  }

  /// A value that is never there: an optional input that a call leaves out.
  private func missing() throws -> Int {
    slotCount += 1
    return slotCount - 1
  }

  // Attributes

  /// The attribute with the value that the enclosing function's call gives it; nil where it gives none.
  private func bind(_ attribute: AttributeMessage, _ scope: Scope) throws -> AttributeMessage? {
    guard attribute.value == nil else { return attribute }
    guard let arguments = scope.attributes else {
      throw ONNXError.malformed(
        "attribute \"\(printableName(attribute.name))\" refers to one of a function, outside of any")
    }
    guard var found = arguments.first(where: { $0.name.isSameName(as: attribute.reference) }) else {
      return nil
    }
    found.name = attribute.name
    return found
  }

  private func attribute(_ message: AttributeMessage, _ scope: Scope) throws -> Attribute? {
    guard let bound = try bind(message, scope), let value = bound.value else { return nil }
    let found: Attribute.Value =
      switch value {
      case .float(let number): .float(number)
      case .int(let number): .int(number)
      case .string(let bytes): .string(try TensorMessage.text(bytes))
      case .tensor(let tensor): .tensor(try tensor.tensor(model.files))
      case .sparse(let tensor): .tensor(try tensor.tensor(model.files))
      case .graph(let graph): .program(try subprogram(graph, scope))
      case .type(let type): .type(type)
      case .floats(let numbers): .floats(numbers)
      case .ints(let numbers): .ints(numbers)
      case .strings(let texts): .strings(try texts.map(TensorMessage.text))
      case .tensors(let tensors): .tensors(try tensors.map { try $0.tensor(model.files) })
      case .graphs, .others:
        throw ONNXError.unsupported(
          "attribute \"\(printableName(message.name))\" is of a type that no operator has")
      }
    return Attribute(name: bound.name, value: found)
  }

  private func subprogram(_ graph: GraphMessage, _ scope: Scope) throws -> Program {
    guard depth < Self.deepest else {
      throw ONNXError.malformed("graphs are nested more than \(Self.deepest) deep")
    }
    let builder = ProgramBuilder(model, within: (self, scope), depth: depth + 1)
    let inner = Scope(opsets: scope.opsets, seesOuter: true, attributes: scope.attributes, depth: scope.depth)
    return try builder.build(graph, inner)
  }
}
