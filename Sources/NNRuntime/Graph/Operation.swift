@_exported import enum NNKernelInterface.Activation

/// How a map is resampled to another size.
public enum Interpolation: Hashable, Sendable {
  /// Each output pixel copies the input pixel that it falls in.
  case nearest
  /// Two taps an axis. `alignCorners` maps the centers of the corner pixels onto each other,
  /// src = i (in - 1) / (out - 1); else src = (i + 1/2) in / out - 1/2, clamped below at 0.
  case bilinear(alignCorners: Bool)
  /// Four taps an axis with A = -0.75, half-pixel coordinates, taps clamped to the border.
  case bicubic
}

/// Where the heads of an attention find queries, keys and values in the channels of their input.
public struct AttentionLayout: Hashable, Sendable {
  /// Number of heads.
  public var heads: Int
  /// Channels of one head's query (and key), and of its value.
  public var keyWidth, valueWidth: Int
  /// First query, key and value channel of head 0.
  public var queryOffset, keyOffset, valueOffset: Int
  /// Channels from one head to the next, for queries, keys and values.
  public var queryHeadStride, keyHeadStride, valueHeadStride: Int
  /// Factor on q k^T.
  public var scale: Float

  /// `[q | k | v]`, each with all heads side by side, as in a vision transformer.
  public static func packed(heads: Int, width: Int) -> AttentionLayout {
    let channels = heads * width
    return AttentionLayout(
      heads: heads, keyWidth: width, valueWidth: width, queryOffset: 0, keyOffset: channels,
      valueOffset: 2 * channels, queryHeadStride: width, keyHeadStride: width, valueHeadStride: width,
      scale: 1 / Float(width).squareRoot())
  }

  /// Heads side by side, each with its own `q, k, v`, as in YOLO11's C2PSA.
  public static func interleaved(heads: Int, keyWidth: Int, valueWidth: Int) -> AttentionLayout {
    let stride = 2 * keyWidth + valueWidth
    return AttentionLayout(
      heads: heads, keyWidth: keyWidth, valueWidth: valueWidth, queryOffset: 0, keyOffset: keyWidth,
      valueOffset: 2 * keyWidth, queryHeadStride: stride, keyHeadStride: stride, valueHeadStride: stride,
      scale: 1 / Float(keyWidth).squareRoot())
  }
}

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
  var padding: Int
  /// One input channel a filter.
  var isDepthwise: Bool
  var activation: Activation = .none
  /// Done to the input as it is read.
  var prologue = Prologue.none
  /// Done to the sums before they are stored.
  var epilogue = Epilogue.store

  /// What was fused before a convolution.
  enum Prologue: Sendable {
    case none
    /// Each pixel is normalized over its channels.
    case normalise(LayerNormParameters)
    /// The map is enlarged.
    case enlarge(Enlargement)
    /// A transposed convolution comes before, and is done by the four convolutions of 2x2 that the two are together.
    case transpose(Transposition)
  }

  /// What was fused behind a convolution, its activation apart.
  enum Epilogue: Sendable {
    case store
    /// The second input is added behind the activation.
    case residual
    /// The second input, a part of the sums, is added before it.
    case addend
    /// A 1x1 convolution is done to the result while it is near.
    indirect case project(Projection)
  }
}

extension Convolution {
  /// How pixels are normalized before, if they are.
  var norm: LayerNormParameters? { if case .normalise(let norm) = prologue { norm } else { nil } }
  /// How the map is enlarged before, if it is.
  var enlargement: Enlargement? { if case .enlarge(let enlargement) = prologue { enlargement } else { nil } }
  /// The transposed convolution before, if there is one.
  var transposed: Transposition? { if case .transpose(let transposed) = prologue { transposed } else { nil } }
  /// The 1x1 convolution behind, if there is one.
  var projection: Projection? { if case .project(let projection) = epilogue { projection } else { nil } }
  /// Whether its second input is a part of the sums.
  var addsToSums: Bool { if case .addend = epilogue { true } else { false } }
  /// Whether nothing was fused before.
  var readsInput: Bool { if case .none = prologue { true } else { false } }
  /// Whether nothing but an activation was fused behind.
  var storesSums: Bool { if case .store = epilogue { true } else { false } }
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

/// A square window that slides over a map: its edge, its step, and the padding on every side.
package struct PoolWindow: Sendable {
  var edge, stride, padding: Int
}

/// A resize to a given size.
package struct Enlargement: Sendable {
  var interpolation: Interpolation
  var height, width: Int
}

/// A layer normalization over the channels of each pixel: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
package struct LayerNormParameters: Sendable {
  var gamma, beta: [Float]
  var epsilon: Float
}

extension Convolution {
  /// Whether it is one matrix product over the pixels.
  var isProjection: Bool {
    kernelHeight == 1 && kernelWidth == 1 && stride == 1 && padding == 0 && !isDepthwise
  }

  /// Of a transposed convolution: the weights (out, in) of one position of its kernel, not scaled.
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

/// One operation of a graph.
///
/// Its inputs are values; a residual, or a part of the sums, is the second input of a convolution or of a resize.
package enum Operation: Sendable {
  case input
  case constant(Tensor)
  case convolution(Convolution)
  case transposedConvolution(Convolution)
  case affine(scale: [Float], shift: [Float])
  case activation(Activation)
  case add
  case concatenate
  case slice(channels: Range<Int>)
  /// The same memory under another shape, from pixel `firstPixel` on.
  case view(firstPixel: Int)
  case prependToken([Float])
  case maxPool(PoolWindow)
  case resize(Interpolation)
  case layerNorm(LayerNormParameters)
  case softmax
  case attention(AttentionLayout)
  case copy

  /// The field's name of the operation.
  var name: String {
    switch self {
    case .input: "input"
    case .constant: "constant"
    case .convolution(let c):
      c.isDepthwise ? "depthwise" : c.kernelHeight * c.kernelWidth == 1 ? "conv1x1" : "conv"
    case .transposedConvolution: "convtranspose"
    case .affine: "affine"
    case .activation(let activation): activation.name
    case .add: "add"
    case .concatenate: "concat"
    case .slice: "slice"
    case .view: "view"
    case .prependToken: "prepend"
    case .maxPool: "maxpool"
    case .resize(.nearest): "nearest"
    case .resize(.bilinear): "bilinear"
    case .resize(.bicubic): "bicubic"
    case .layerNorm: "layernorm"
    case .softmax: "softmax"
    case .attention: "attention"
    case .copy: "copy"
    }
  }
}
