import FileFormats
import NNKernelInterface

/// A convolution or linear layer, with all that was fused into it:
/// out = epilogue(activation((prologue(input) * weights) * scale + bias)).
package struct Convolution: Sendable {
  /// (out, in / groups, kernel height, kernel width); transposed: (in, out, kernel height, kernel width).
  package var weights: Tensor
  /// The input channels of the weights that count, where that is not all.
  var inChannels: Range<Int>?
  /// One factor an output channel, folded into the weights when they are packed.
  var scale: [Float]?
  var bias: [Float]
  var outChannels: Int
  var kernelHeight, kernelWidth: Int
  var stride: Int
  /// Zeros above and to the left, and below and to the right where `trailing` says nothing else.
  var padding: Int
  /// Zeros below and to the right.
  var trailing: TrailingPadding?
  /// Groups of channels, each a convolution of its own; with one filter per channel as many as channels.
  var groups = 1
  var activation: Activation = .none
  /// Done to the input as it is read.
  var prologue = Prologue.none
  /// Done to the sums before they are stored.
  var epilogue = Epilogue.store

  /// Prologue fused before a convolution.
  enum Prologue: Sendable {
    case none
    /// Each pixel is normalized over its channels.
    case normalize(LayerNorm)
    /// The map is enlarged.
    case enlarge(Resize)
    /// Each pixel is multiplied by the last input, a vector, channel by channel.
    case multiply
    /// Each element becomes the nearest of 256 multiples of a scale.
    case quantize(ByteSteps)
    /// The map's rows are planes of one channel of a picture, its pixels their rows.
    case planes
    /// A transposed convolution comes before, and is done by the four convolutions of 2x2 that the two are together.
    case transpose(Transposition)
  }

  /// Epilogue fused after a convolution, apart from its activation.
  enum Epilogue: Sendable {
    case store
    /// Adds the second input after the activation, or before it where it joins the sums.
    case residual(joinsSums: Bool)
    /// Adds the second input, a partial sum, before the activation.
    case addend
    /// A 1x1 convolution is done to the result while it is near.
    indirect case project(Projection)
  }
}

extension Convolution {
  /// How pixels are normalized before, if they are.
  var norm: LayerNorm? { if case .normalize(let norm) = prologue { norm } else { nil } }
  /// How the map is enlarged before, if it is.
  var enlargement: Resize? { if case .enlarge(let enlargement) = prologue { enlargement } else { nil } }
  /// The transposed convolution before, if there is one.
  var transposed: Transposition? { if case .transpose(let transposed) = prologue { transposed } else { nil } }
  /// The fused 1x1 convolution after it, if there is one.
  var projection: Projection? { if case .project(let projection) = epilogue { projection } else { nil } }
  /// Whether its second input is a part of the sums.
  var addsToSums: Bool { if case .addend = epilogue { true } else { false } }
  /// Whether nothing was fused before.
  var readsInput: Bool { if case .none = prologue { true } else { false } }
  /// Whether at most an activation is fused after it.
  var storesSums: Bool { if case .store = epilogue { true } else { false } }
}

/// Zeros below and to the right of a map.
package struct TrailingPadding: Sendable, Equatable {
  var bottom, right: Int
}

/// A 1x1 convolution that another layer computes besides its own.
package struct Projection: Sendable {
  var name: String
  var layer: Convolution
}

/// A transposed convolution of 2x2 and stride 2: an input pixel becomes four.
package struct Transposition: Sendable {
  /// (in, out, 2, 2).
  var weights: Tensor
  /// One factor an output channel, if any.
  var scale: [Float]?
  var bias: [Float]
}

extension Convolution {
  /// The window that slides over the input.
  var window: Window {
    var window = Window(height: kernelHeight, width: kernelWidth, stride: stride, padding: padding)
    if let trailing { (window.bottom, window.right) = (trailing.bottom, trailing.right) }
    return window
  }

  /// The map that windows slide over, where `input` is read.
  func seen(_ input: MapShape) -> MapShape {
    switch prologue {
    case .none, .normalize, .multiply, .quantize, .transpose: return input
    case .enlarge(let larger):
      return MapShape(
        images: input.images, height: larger.height, width: larger.width, channels: input.channels)
    case .planes:
      return MapShape(
        images: input.images, height: input.width, width: input.channels, channels: input.height)
    }
  }

  /// Whether it is one matrix product over the pixels.
  var isProjection: Bool {
    kernelHeight == 1 && kernelWidth == 1 && stride == 1 && padding == 0 && trailing == nil && groups == 1
  }

  /// The weights (out, in) of one position of a transposed convolution's kernel, not scaled.
  func subpixelWeights(_ position: Int) -> [Float] {
    let source = weights.floats()
    let positions = kernelHeight * kernelWidth
    let inChannels = source.count / (outChannels * positions)
    var slice = [Float](repeating: 0, count: outChannels * inChannels)
    for input in 0..<inChannels {
      for output in 0..<outChannels {
        slice[output * inChannels + input] = source[(input * outChannels + output) * positions + position]
      }
    }
    return slice
  }
}

extension Convolution: Operator {
  package var name: String {
    isDepthwise ? "depthwise" : kernelHeight * kernelWidth == 1 ? "conv1x1" : "conv"
  }

  package var placing: Placing { .own }

  /// Weights that count, and biases.
  package var parameterCount: Int {
    let all = weights.shape.count == 4 && inChannels != nil ? weights.shape[1] : 1
    let own = weights.count / all * (inChannels?.count ?? 1) + bias.count
    return own + prologue.parameterCount + (projection?.layer.parameterCount ?? 0)
  }

  package func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let (height, width) = try window.size(on: inputs[0])
    return try .result(height: height, width: width, channels: outChannels)
  }

  package func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    let (input, output) = (seen(shapes[node.inputs[0]]), node.partOf ?? shapes[node.output])
    let channels = transposed?.bias.count ?? input.channels
    let depth = channels / groups * kernelHeight * kernelWidth
    let projected = projection.map { $0.layer.outChannels } ?? 0
    let before = transposed == nil ? 0 : channels * input.channels
    // Only the 1x1 convolution after another may be a part of a larger layer.
    let pixels = projection == nil ? output.pixels : shapes[node.output].pixels
    return 2 * Double(pixels) * Double(outChannels * depth + before)
      + 2 * Double(output.pixels) * Double(outChannels * projected)
  }

  package func longestSum(of input: MapShape) -> Int {
    let own = kernelHeight * kernelWidth * seen(input).channels / groups
    return max(own, projection == nil ? 0 : outChannels, transposed?.bias.count ?? 0)
  }

  package func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts {
    guard !isDepthwise, !leavesOutMaps else { return .floats }
    return ReducedProducts(
      arithmetic.choice(self, node.convolutionShape(self, shapes), isOutput: isOutput))
  }

  package func floats(_ reduced: ReducedProducts) -> FloatMaps {
    if isDepthwise { return .none }
    if addsToSums, reduced.choice != nil { return .addend }
    return reduced.element == .float32 ? .all : .none
  }

  package var elementwiseStep: ElementwiseStep { .none }
  package var multiples: ResultMultiples { .any }

  package func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? {
    doing(step, hasResidual: hasResidual)
  }

  /// This convolution with `step` done on the way to memory; nil where its kernels cannot.
  func doing(_ step: ElementwiseStep, hasResidual: Bool) -> Convolution? {
    var layer = self
    if case .residual(joinsSums: false) = epilogue, case .activation(let following) = step, !isDepthwise,
      activation == .none
    {
      (layer.activation, layer.epilogue) = (following, .residual(joinsSums: true))
      return layer
    }
    guard !hasResidual else { return nil }
    switch step {
    case .none: return nil
    case .line(let affine) where activation != .none:
      guard let line = affine.uniform,
        let activation = activation.followed(byScale: line.scale, shift: line.shift)
      else { return nil }
      layer.activation = activation
    case .line(let affine):
      layer.scale = scale.map { zip($0, affine.scale).map { $0 * $1 } } ?? affine.scale
      layer.bias = bias.indices.map { bias[$0] * affine.scale[$0] + affine.shift[$0] }
    case .activation(let following):
      guard activation == .none else { return nil }
      layer.activation = following
    case .addition: layer.epilogue = .residual(joinsSums: false)
    }
    return layer
  }

  package func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    isDepthwise ? depthwiseChoice(layer, choosing) : denseChoice(layer, choosing)
  }

  private func denseChoice(
    _ layer: PlacedNode, _ choosing: LayerChoice
  ) -> (AlgorithmChoice, LayerKernel) {
    let node = layer.node
    let choice = choosing.convolution(layer, self, node.convolutionShape(self, choosing.shapes))
    let bound = BoundKernel(choice.kernel.fullName) { builder, staging in
      builder.pack(node, self, choice.kernel, staging)
    } step: {
      $0.convolution(node, layer.index, self, choice.kernel)
    }
    let reason = groups > 1 ? "\(counted(groups, "group")); \(choice.reason)" : choice.reason
    return (AlgorithmChoice(algorithm: choice.kernel.algorithm, reason: reason), .kernel(bound))
  }

  /// Whether its weights, but for their scales, are integers of 8 bits.
  var hasByteWeights: Bool {
    // One comparison for all is vectorized.
    let others = weights.floats().reduce(into: Int32(0)) { others, weight in
      let isByte = weight >= -128 && weight <= 127 && weight.nearestWhole == weight
      others |= isByte ? 0 : 1
    }
    return others == 0
  }

  /// Whether each filter reads one channel.
  var isDepthwise: Bool { groups > 1 && groups == outChannels && weights.shape[1] == 1 }
  /// Whether a map before or after it is not materialized.
  var leavesOutMaps: Bool { enlargement != nil || projection != nil }
}

extension ReducedProducts {
  /// By a kernel, where there is one.
  init(_ choice: KernelChoice?) { self = choice.map(Self.kernel) ?? .floats }
}

extension Convolution.Prologue {
  fileprivate var parameterCount: Int {
    switch self {
    case .none, .enlarge, .multiply, .quantize, .planes: 0
    case .normalize(let norm): norm.parameterCount
    case .transpose(let transposed): transposed.weights.count + transposed.bias.count
    }
  }
}

extension Value {
  /// Defect of a bias, which has one element for each output channel.
  static func misfit(of bias: Tensor?, outputs: Int) -> GraphError.Kind? {
    guard let bias, bias.shape != [outputs] else { return nil }
    return .wrongWeights(
      found: bias.shape, needed: "one bias for each of \(counted(outputs, "channel")) is needed")
  }

  /// Cross-correlation with zero padding on all sides.
  ///
  /// `weights` is (out, in / groups, kh, kw), with kh = kw where there is one filter per channel; `bias` has one element per
  /// output channel.
  public func convolution(
    _ weights: Tensor, bias: Tensor? = nil, stride: Int = 1, padding: Int = 0, groups: Int = 1, name: String
  ) -> Value {
    convolution(
      weights, bias: bias, stride: stride, padding: padding, trailing: nil, groups: groups, name: name)
  }

  /// Cross-correlation as above, of weights times a scale for each output channel, where there is one, which is kept
  /// beside them.
  package func convolution(
    _ weights: Tensor, scale: [Float]?, bias: Tensor? = nil, stride: Int = 1, padding: Int = 0,
    groups: Int = 1, name: String
  ) -> Value {
    if let scale, scale.count != weights.shape.first {
      return failed(.wrongWeights(found: [scale.count], needed: "a scale per output channel is needed"), name)
    }
    return convolution(
      weights, scale: scale, bias: bias, stride: stride, padding: padding, trailing: nil,
      groups: groups, name: name)
  }

  /// Cross-correlation with zero padding, below and to the right as `trailing` says.
  func convolution(
    _ weights: Tensor, scale: [Float]? = nil, bias: Tensor?, stride: Int, padding: Int,
    trailing: TrailingPadding?, groups: Int,
    name: String
  ) -> Value {
    guard weights.shape.count == 4 else {
      return failed(.wrongWeights(found: weights.shape, needed: "(out, in, height, width) is needed"), name)
    }
    let (out, perGroup) = (weights.shape[0], weights.shape[1])
    let (kernelHeight, kernelWidth) = (weights.shape[2], weights.shape[3])
    let isDepthwise = groups > 1 && groups == shape.channels && out == groups
    guard groups > 0, shape.channels % groups == 0, out % groups == 0, perGroup == shape.channels / groups,
      !isDepthwise || kernelHeight == kernelWidth
    else {
      let depth = shape.channels / max(1, groups)
      let needed = isDepthwise ? "(\(groups), 1, edge, edge)" : "(out, \(depth), height, width)"
      let place = groups == 1 ? "" : "in \(counted(groups, "group")) "
      return failed(
        .wrongWeights(found: weights.shape, needed: "\(needed) \(place)is needed for \(shape)"), name)
    }
    if let misfit = Self.misfit(of: bias, outputs: out) { return failed(misfit, name) }
    let layer = Convolution(
      weights: weights, scale: scale, bias: bias?.floats() ?? [Float](repeating: 0, count: out),
      outChannels: out, kernelHeight: kernelHeight, kernelWidth: kernelWidth, stride: stride,
      padding: padding, trailing: trailing, groups: groups)
    return applying(layer, name: name)
  }

  /// A linear layer on the channels of every pixel (token); `weights` is (out, in).
  public func linear(_ weights: Tensor, bias: Tensor? = nil, name: String) -> Value {
    linear(weights, scale: nil, bias: bias, name: name)
  }

  /// The same, of weights times a scale for each output channel, which is kept beside them, where there is one.
  package func linear(_ weights: Tensor, scale: [Float]?, bias: Tensor? = nil, name: String) -> Value {
    guard weights.shape.count == 2 else {
      return failed(.wrongWeights(found: weights.shape, needed: "(out, in) is needed"), name)
    }
    return convolution(
      weights.reshaped([weights.shape[0], weights.shape[1], 1, 1]), scale: scale, bias: bias, name: name)
  }
}
