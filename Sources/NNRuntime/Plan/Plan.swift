import NNKernelInterface

/// How a graph is to be run.
public struct PlanOptions: Sendable {
  /// Whose kernels run.
  public var backend: Backend
  /// Join elementwise layers to the ones before them.
  public var fuse: Bool
  /// What products are computed in.
  public var precision: Precision
  /// The precision whose joining of layers is used, nil for the plan's own; a plan in fp32 can have that of bf16.
  ///
  /// Sessions that are compared layer by layer need the same.
  package var joining: Precision?
  /// Algorithms that were measured, for the kernels and convolutions that they were measured with; convolutions
  /// that are not among them go by the cost model.
  public var measured: MeasuredChoices?
  /// The instruction set of the native kernels; nil for what the CPU, or `ARDF_ISA`, gives.
  package var instructionSet: InstructionSet?
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
  /// What its products are computed in.
  public var precision: Precision
  /// Multiplications and additions of the layer as it is defined, whatever the algorithm: 2 x MAC.
  public var operations: Double
}

/// A graph with its algorithms chosen and its memory laid out; immutable, and good for any number of
/// sessions.
public struct Plan: Sendable {
  /// What was asked for.
  public let options: PlanOptions
  /// The kernels that will run.
  let kernels: KernelTable
  /// Those of reduced precision; nil in plans without.
  let mixedKernels: MixedKernelTable?
  /// What values are stored as.
  let elements: ElementTypes
  package let graph: Graph
  let placement: Placement
  let layout: ArenaLayout
  /// First float of each buffer in the arena.
  let bufferOffsets: [ValueID: Int]
  /// In running order.
  public let layers: [PlannedLayer]

  /// Plans `graph`; throws where the asked backend can't be had on this machine.
  public init(_ graph: Graph, options: PlanOptions = PlanOptions()) throws {
    self.options = options
    kernels = try options.backend.kernels(options.instructionSet)
    if let measured = options.measured, measured.kernels != kernels.name {
      throw MeasuredChoicesError.otherKernels(measured: measured.kernels, running: kernels.name)
    }
    let joining = options.joining ?? options.precision
    let hasIntegers = try joining == .bf16 && options.hasIntegers()
    let graph = options.fuse ? graph.fused(for: joining, hasIntegers: hasIntegers) : graph
    let placement = Placement(graph)
    mixedKernels = try options.mixedKernels()
    let elements =
      mixedKernels.map { ElementTypes(graph, placement, $0) }
      ?? ElementTypes(allFloat: placement)
    let (buffers, requests) = placement.requests(graph, elements, retain: options.retain)
    let layout = ArenaLayout(requests)
    self.elements = elements
    let mixed = mixedKernels != nil
    self.graph = graph
    self.placement = placement
    self.layout = layout
    bufferOffsets = Dictionary(uniqueKeysWithValues: zip(buffers, layout.offsets))
    layers = placement.nodes.enumerated().map { index, node in
      var layer = PlannedLayer(node, shapes: placement.shapes, measured: options.measured)
      if mixed { layer.reduce(node, index, elements) }
      return layer
    }
  }

  /// What the network is called.
  public var name: String { graph.name }
  /// The kernels' name: an instruction set, or `openblas`.
  public var kernelName: String { mixedKernels?.name ?? kernels.name }
  /// Bytes of the arena that holds all intermediate results.
  public var arenaBytes: Int { layout.count * MemoryLayout<Float>.stride }
  /// Bytes that all intermediate results would take without sharing memory.
  public var unsharedBytes: Int {
    Set(placement.locations.map(\.buffer)).reduce(0) {
      $0 + placement.shapes[$1].pixels * placement.locations[$1].pixelStride * elements[$1].size
    }
  }
}

extension PlannedLayer {
  fileprivate init(_ node: Node, shapes: [MapShape], measured: MeasuredChoices?) {
    name = node.name
    fused = node.preceding + node.fused
    operation = node.operation.name
    inputs = node.inputs.map { shapes[$0] }
    output = shapes[node.output]
    choice = node.choice(shapes, measured)
    precision = .fp32
    operations = node.operations(shapes)
  }
}

extension Node {
  /// The integers of a dense convolution.
  ///
  /// Where four make the layer, those of one.
  func convolutionShape(_ layer: Convolution, _ shapes: [MapShape]) -> ConvolutionShape {
    let (input, output) = (shapes[inputs[0]], shapes[output])
    if layer.transposed != nil { return .subpixel(input, outChannels: layer.outChannels) }
    return ConvolutionShape(
      inHeight: layer.enlargement?.height ?? input.height, inWidth: layer.enlargement?.width ?? input.width,
      inChannels: input.channels, outHeight: output.height,
      outWidth: output.width, outChannels: layer.outChannels, kernelHeight: layer.kernelHeight,
      kernelWidth: layer.kernelWidth, stride: layer.stride, padding: layer.padding)
  }

  /// The integers of a 1x1 convolution that is done to the result of `layer`.
  func projectionShape(_ projection: Projection, behind layer: Convolution, _ shapes: [MapShape])
    -> ConvolutionShape
  {
    let output = shapes[output]
    return ConvolutionShape(
      inHeight: output.height, inWidth: output.width, inChannels: layer.outChannels,
      outHeight: output.height, outWidth: output.width, outChannels: projection.layer.outChannels,
      kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
  }

  /// The integers of one position of a transposed convolution: a 1x1 convolution on the input's grid.
  func subpixelShape(_ layer: Convolution, _ shapes: [MapShape]) -> ConvolutionShape {
    let input = shapes[inputs[0]]
    return ConvolutionShape(
      inHeight: input.height, inWidth: input.width, inChannels: input.channels, outHeight: input.height,
      outWidth: input.width, outChannels: layer.outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1,
      padding: 0)
  }

  func choice(_ shapes: [MapShape], _ measured: MeasuredChoices?) -> AlgorithmChoice {
    switch operation {
    case .convolution(let layer) where layer.isDepthwise:
      AlgorithmChoice(algorithm: .vector, reason: "one filter a channel")
    case .convolution(let layer):
      convolutionChoice(layer, convolutionShape(layer, shapes), measured)
    case .transposedConvolution(let layer):
      AlgorithmChoice(
        algorithm: .subpixel,
        reason: "kernel as large as the stride: outputs don't overlap; for each of its positions, "
          + AlgorithmChoice.convolution(subpixelShape(layer, shapes)).reason)
    case .attention:
      AlgorithmChoice(algorithm: .blocked, reason: "scores stay in the cache")
    case .input, .constant, .slice, .view, .concatenate:
      AlgorithmChoice(algorithm: .none, reason: "memory of another value")
    default:
      AlgorithmChoice(algorithm: .vector, reason: "elementwise or windowed")
    }
  }

  /// The measured choice, where there is one and it can do what the layer asks for; else that of the cost model.
  private func convolutionChoice(
    _ layer: Convolution, _ shape: ConvolutionShape, _ measured: MeasuredChoices?
  ) -> AlgorithmChoice {
    let needsTiles = layer.enlargement != nil || layer.projection != nil
    if let choice = measured?[shape], !needsTiles || choice.algorithm.winogradTile != nil { return choice }
    return .convolution(shape)
  }

  func operations(_ shapes: [MapShape]) -> Double {
    let output = partOf ?? shapes[output]
    switch operation {
    case .convolution(let layer):
      let channels = layer.transposed?.bias.count ?? shapes[inputs[0]].channels
      let depth = (layer.isDepthwise ? 1 : channels) * layer.kernelHeight * layer.kernelWidth
      let projected = layer.projection.map { $0.layer.outChannels } ?? 0
      let transposed = layer.transposed == nil ? 0 : channels * shapes[inputs[0]].channels
      return 2 * Double(output.pixels)
        * Double(layer.outChannels * (depth + projected) + transposed)
    case .transposedConvolution:
      return 2 * Double(output.count) * Double(shapes[inputs[0]].channels)
    case .attention(let layout):
      let pairs = Double(output.pixels) * Double(output.pixels) * Double(layout.heads)
      return 2 * pairs * Double(layout.keyWidth + layout.valueWidth)
    default:
      return 0
    }
  }
}
