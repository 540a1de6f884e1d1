import NNRuntime
import Testing

/// A layer whose weights or inputs do not fit is an error with its name, whatever is built after it.
@Suite struct GraphErrorTests {
  struct Misfit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let build: @Sendable (GraphBuilder, Value) -> Value

    init(_ name: String, _ build: @escaping @Sendable (GraphBuilder, Value) -> Value) {
      testDescription = name
      self.build = build
    }
  }

  private static func tensor(_ shape: Int...) -> Tensor {
    Tensor(shape: shape, floats: [Float](repeating: 1, count: shape.reduce(1, *)))
  }

  /// Each on a map of 8x8 pixels and 4 channels.
  static let misfits: [Misfit] = [
    Misfit("filters of another depth") { $1.convolution(tensor(6, 3, 3, 3), name: $0.layer) },
    Misfit("filters of two dimensions") { $1.convolution(tensor(6, 4), name: $0.layer) },
    Misfit("no filters") { $1.convolution(tensor(0, 4, 1, 1), name: $0.layer) },
    Misfit("filters without a size") { $1.convolution(tensor(6, 4, 0, 0), name: $0.layer) },
    Misfit("a bias too many") { $1.convolution(tensor(6, 4, 1, 1), bias: tensor(7), name: $0.layer) },
    Misfit("a bias of two dimensions") {
      $1.convolution(tensor(6, 4, 1, 1), bias: tensor(6, 1), name: $0.layer)
    },
    Misfit("no stride") { $1.convolution(tensor(6, 4, 1, 1), stride: 0, name: $0.layer) },
    Misfit("a padding below 0") { $1.convolution(tensor(6, 4, 1, 1), padding: -1, name: $0.layer) },
    Misfit("a padding beyond all numbers") {
      $1.convolution(tensor(6, 4, 1, 1), padding: .max, name: $0.layer)
    },
    Misfit("a window beyond the map") { $1.convolution(tensor(6, 4, 9, 9), name: $0.layer) },
    Misfit("depthwise filters of two channels") {
      $1.convolution(tensor(4, 2, 3, 3), padding: 1, groups: 4, name: $0.layer)
    },
    Misfit("an odd output of two groups") { $1.convolution(tensor(5, 2, 3, 3), groups: 2, name: $0.layer) },
    Misfit("no groups") { $1.convolution(tensor(4, 4, 3, 3), groups: 0, name: $0.layer) },
    Misfit("groups that do not divide") {
      $1.convolution(tensor(6, 2, 3, 3), over: Window(height: 3, width: 3), groups: 3, name: $0.layer)
    },
    Misfit("groups of filters of another depth") {
      $1.convolution(tensor(6, 3, 3, 3), over: Window(height: 3, width: 3), groups: 2, name: $0.layer)
    },
    Misfit("groups of filters of three dimensions") {
      $1.convolution(tensor(6, 2, 3), over: Window(height: 3, width: 3), groups: 2, name: $0.layer)
    },
    Misfit("filters of another window") {
      $1.convolution(tensor(6, 2, 3, 3), over: Window(height: 3, width: 5), groups: 2, name: $0.layer)
    },
    Misfit("a dilation beyond the map") {
      $1.convolution(
        tensor(6, 2, 3, 3), over: Window(height: 3, width: 3, dilation: 4), groups: 2, name: $0.layer)
    },
    Misfit("too many biases of groups") {
      $1.convolution(
        tensor(6, 2, 3, 3), bias: tensor(5), over: Window(height: 3, width: 3), groups: 2, name: $0.layer)
    },
    Misfit("transposed filters of another depth") {
      $1.transposedConvolution(tensor(3, 6, 2, 2), stride: 2, name: $0.layer)
    },
    Misfit("a transposed bias too many") {
      $1.transposedConvolution(tensor(4, 6, 2, 2), bias: tensor(7), stride: 2, name: $0.layer)
    },
    Misfit("transposed groups that do not divide") {
      $1.transposedConvolution(
        tensor(4, 6, 3, 3), over: Window(height: 3, width: 3), groups: 3, name: $0.layer)
    },
    Misfit("transposed groups beyond all numbers") {
      $1.transposedConvolution(
        tensor(4, 6, 3, 3), over: Window(height: 3, width: 3), groups: .max, name: $0.layer)
    },
    Misfit("a matrix of another width") { $1.linear(tensor(6, 5), name: $0.layer) },
    Misfit("a matrix of four dimensions") { $1.linear(tensor(6, 4, 1, 1), name: $0.layer) },
    Misfit("a normalization of other channels") {
      $1.layerNorm(gamma: tensor(4), beta: tensor(5), epsilon: 1e-6, name: $0.layer)
    },
    Misfit("statistics of other channels") {
      $1.batchNorm(
        gamma: tensor(4), beta: tensor(4), mean: tensor(3), variance: tensor(4), epsilon: 1e-5, name: $0.layer
      )
    },
    Misfit("statistics of two dimensions") {
      $1.batchNorm(
        gamma: tensor(4), beta: tensor(4), mean: tensor(4, 1), variance: tensor(4), epsilon: 1e-5,
        name: $0.layer)
    },
    Misfit("factors of other channels") { $1.scaled(by: tensor(8), name: $0.layer) },
    Misfit("an affine map of other channels") {
      $1.affine(scale: [1, 1, 1, 1], shift: [1], name: $0.layer)
    },
    Misfit("a token on a map") { $1.prependingToken(tensor(4), name: $0.layer) },
    Misfit("a token of another width") {
      $1.tokens(name: "tokens").prependingToken(tensor(5), name: $0.layer)
    },
    Misfit("a constant of another shape") {
      $0.constant($0.layer, tensor(3), shape: MapShape(height: 1, width: 1, channels: 4)).adding(
        $1, name: "x")
    },
    Misfit("a sum of two shapes") { $1.adding($1.channels(0..<2, name: "half"), name: $0.layer) },
    Misfit("a pair of two shapes") {
      $1.paired(.multiply, with: $1.channels(0..<2, name: "half"), name: $0.layer)
    },
    Misfit("channels of a map") { $1.multiplied(byChannelsOf: $1, name: $0.layer) },
    Misfit("channels beyond the map") { $1.channels(2..<5, name: $0.layer) },
    Misfit("no channels") { $1.channels(2..<2, name: $0.layer) },
    Misfit("tokens beyond the map") { $1.tokens(dropping: 64, name: $0.layer) },
    Misfit("a map of other pixels") { $1.map(height: 8, width: 9, name: $0.layer) },
    Misfit("a map beyond all numbers") { $1.map(height: .max, width: 2, name: $0.layer) },
    Misfit("maps of two sizes beside each other") {
      $1.concatenated(with: [$1.resized(height: 4, width: 4, .nearest, name: "half")], name: $0.layer)
    },
    Misfit("nothing beside nothing") { builder, _ in builder.concatenate([], name: builder.layer) },
    Misfit("pixels of two widths") { $1.stacked(with: [$1.channels(0..<2, name: "half")], name: $0.layer) },
    Misfit("a map without pixels") { $1.resized(height: 0, width: 4, .nearest, name: $0.layer) },
    Misfit("heads beyond the channels") {
      $1.tokens(name: "tokens").attention(.packed(heads: 2, width: 4), name: $0.layer)
    },
    Misfit("a pool beyond the map") { $1.maxPool(kernel: 9, stride: 1, padding: 0, name: $0.layer) },
    Misfit("a pool without a stride") { $1.maxPool(kernel: 2, stride: 0, padding: 0, name: $0.layer) },
    Misfit("an average beyond the map") { $1.averagePool(Window(height: 9, width: 1), name: $0.layer) },
    Misfit("windows beyond the map") {
      $1.pooled(.maximum, over: Window(height: 2, width: 2, stride: 2), height: 5, width: 4, name: $0.layer)
    },
    Misfit("an order without starts") {
      $1.rearranged(
        Rearrangement(height: 2, width: 2, channels: 4, starts: [0], channelStride: 1), name: $0.layer)
    },
    Misfit("an order beyond the map") {
      $1.rearranged(
        Rearrangement(height: 1, width: 1, channels: 4, starts: [256], channelStride: 1), name: $0.layer)
    },
    Misfit("an input without pixels") {
      $0.input($0.layer, height: 0, width: 8, channels: 3).adding($1, name: "x")
    },
    Misfit("a value of another builder") { builder, value in
      value.adding(
        GraphBuilder(name: "other").input("input", height: 8, width: 8, channels: 4), name: builder.layer)
    },
  ]

  @Test(arguments: misfits)
  func aLayerThatCannotBeIsNamed(misfit: Misfit) throws {
    let builder = GraphBuilder(name: "network")
    let input = builder.input("input", height: 8, width: 8, channels: 4)
    var value = misfit.build(builder, input)
    // What is built after it is not checked, even if it is wrong too.
    value = value.convolution(Self.tensor(2, 99, 1, 1), name: "after").silu(name: "end")
    let error = #expect(throws: GraphError.self) { try builder.finish(outputs: [("output", value)]) }
    #expect(error?.layer == builder.layer)
    #expect(error?.description.hasPrefix("layer \"wrong\": ") == true)
  }

  @Test func theMessageSaysWhatIsNeeded() throws {
    let builder = GraphBuilder(name: "network")
    let input = builder.input("input", height: 8, width: 8, channels: 4)
    let value = input.convolution(Self.tensor(6, 3, 3, 3), name: "stem.conv")
    let error = #expect(throws: GraphError.self) { try builder.finish(outputs: [("output", value)]) }
    for words in ["layer \"stem.conv\": ", "[6, 3, 3, 3]", "(out, 4, height, width)", "8x8x4"] {
      #expect(error?.description.contains(words) == true, "\(words)")
    }
  }

  @Test func anOutputOfAnotherBuilderIsNamed() throws {
    let value = GraphBuilder(name: "other").input("input", height: 8, width: 8, channels: 4)
    let error = #expect(throws: GraphError.self) {
      try GraphBuilder(name: "network").finish(outputs: [("output", value)])
    }
    #expect(error == GraphError(.foreignValue, layer: "output"))
  }
}

extension GraphBuilder {
  /// The name of the layer that does not fit.
  fileprivate var layer: String { "wrong" }
}
