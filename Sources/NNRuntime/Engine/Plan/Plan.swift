import NNKernelInterface

/// How a graph is to be run.
public struct PlanOptions: Sendable {
  /// Whose kernels run.
  public var backend: Backend
  /// Join elementwise layers to the ones before them.
  public var fuse: Bool
  /// Precision of products.
  public var precision: Precision
  /// The precision whose joining of layers is used, nil for the plan's own; a plan in fp32 can have that of another.
  ///
  /// Sessions that are compared layer by layer need the same.
  package var joining: Precision?
  /// By network: precisions of single layers; they count before `precision`.
  package var mixed: [String: MixedPrecision] = [:]
  /// Algorithms that were measured, for the kernels and convolutions that they were measured with; convolutions
  /// that are not among them go by the cost model.
  package var measured: MeasuredChoices?
  /// The instruction set of the native kernels; nil for what the CPU, or `ARDF_ISA`, gives.
  package var instructionSet: InstructionSet?
  /// The kernel of all dense convolutions that it can compute, by its full name; nil for the cost model's choice.
  package var kernel: String?
  /// Keep the result of every layer until the end of a run, for `Session.value(named:)`.
  public var retain: Bool

  /// By default the native kernels of the CPU's best instruction set, fused, memory reused.
  public init(
    backend: Backend = .native, fuse: Bool = true, retain: Bool = false, precision: Precision = .fp32
  ) {
    self.backend = backend
    self.fuse = fuse
    self.retain = retain
    self.precision = precision
  }
}

/// One layer as it will run.
public struct PlannedLayer: Sendable {
  /// Module path of the layer, and of those that were joined to it.
  public var name: String
  /// Layers that were joined to it.
  public var fused: [String]
  /// The field's name of the operation.
  public var operation: String
  /// Shapes of what it reads and makes.
  public var inputs: [MapShape]
  /// Shape of what it makes.
  public var output: MapShape
  /// How it is computed and why.
  public var choice: AlgorithmChoice
  /// The kernel that computes it, after its catalogue; nil where there is no work.
  public var kernel: String?
  /// Precision of its products.
  public var precision: Precision
  /// Multiplications and additions of the layer by its definition, not by its algorithm: 2 x MAC.
  public var operations: Double
}

/// A graph with its algorithms chosen and its memory laid out; immutable, and good for any number of
/// sessions.
public struct Plan: Sendable {
  /// The requested options.
  public let options: PlanOptions
  /// The kernels to choose from.
  let catalogue: KernelCatalogue
  /// The one that computes each layer.
  let kernels: [LayerKernel]
  /// Element types of stored values.
  let elements: ElementTypes
  package let graph: Graph
  /// The field's names of the layers' operations, before any were joined.
  let kinds: [String: String]
  let assignment: BufferAssignment
  let layout: ArenaLayout
  /// First float of each buffer in the arena.
  let bufferOffsets: [ValueID: Int]
  /// In running order.
  public let layers: [PlannedLayer]

  /// Plans `graph`.
  ///
  /// - Throws: `PlanError` where the asked backend or precision can't be had on this machine.
  public init(_ graph: Graph, options: PlanOptions = PlanOptions()) throws(PlanError) {
    let mixed =
      options.mixed[graph.name] ?? MixedPrecision(network: graph.name, precision: options.precision)
    var options = options
    options.precision = mixed.precision
    self.options = options
    catalogue = try options.catalogue()
    for precision in Set(mixed.exceptions.values) { try options.check(precision, catalogue) }
    if let measured = options.measured, measured.kernels != catalogue.floats {
      throw .otherKernels(measured: measured.kernels, running: catalogue.floats)
    }
    kinds = Dictionary(
      graph.nodes.map { ($0.name, $0.operation.name) }, uniquingKeysWith: { first, _ in first })
    let graph = options.fuse ? try options.fusing().fused(graph) : graph
    let assignment = BufferAssignment(graph)
    let elements =
      options.precision == .fp32
      ? ElementTypes(allFloat: assignment)
      : ElementTypes(graph, assignment, Arithmetic(mixed, catalogue))
    let (buffers, requests) = assignment.requests(graph, elements, retain: options.retain)
    let layout = ArenaLayout(requests)
    self.elements = elements
    self.graph = graph
    self.assignment = assignment
    self.layout = layout
    bufferOffsets = Dictionary(uniqueKeysWithValues: zip(buffers, layout.offsets))
    let choosing = LayerChoice(
      catalogue: catalogue, shapes: assignment.imageShapes, elements: elements, measured: options.measured,
      mixed: mixed, kernel: options.kernel)
    let choices = assignment.nodes.enumerated().map { index, node in choosing.choice(node, index) }
    kernels = choices.map(\.kernel)
    layers = zip(assignment.nodes, choices).enumerated().map { index, layer in
      let (node, (choice, kernel)) = layer
      return PlannedLayer(
        name: node.name, fused: node.preceding + node.fused, operation: node.operation.name,
        inputs: node.inputs.map { assignment.shapes[$0] }, output: assignment.shapes[node.output],
        choice: choice, kernel: kernel.name, precision: elements.precision(index),
        operations: node.operations(assignment))
    }
  }

  /// The network's name.
  public var name: String { graph.name }
  /// The kernels' name: an instruction set, or `openblas`.
  public var kernelName: String { options.precision == .fp32 ? catalogue.floats : catalogue.name }
  /// Bytes of the arena that holds all intermediate results.
  public var arenaBytes: Int { layout.count * MemoryLayout<Float>.stride }
  /// Bytes that all intermediate results would take without sharing memory.
  public var unsharedBytes: Int {
    Set(assignment.locations.map(\.buffer)).reduce(0) {
      $0 + assignment.bufferElements($1) * elements[$1].size
    }
  }
}
