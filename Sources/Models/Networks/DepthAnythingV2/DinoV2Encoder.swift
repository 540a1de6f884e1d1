// The encoder of Depth Anything V2, ported from its reference (`depth_anything_v2/dinov2.py` and
// `dinov2_layers`), under the checkpoint's names. Deviations: dropout and stochastic depth, which do nothing at
// inference, are left out.

import NNRuntime

/// `PatchEmbed`: one token for each 14x14 patch, row-major.
package struct PatchEmbed: Sendable {
  private let proj: Conv2d
  private let path: String

  package init(_ weights: WeightScope, width: Int) throws(WeightError) {
    proj = try Conv2d(
      weights["proj"], 3, width, kernel: DepthInputSize.patch, stride: DepthInputSize.patch, padding: 0)
    path = weights.prefix
    weights.states(ModuleStatement("PatchEmbed", numbers: ["flatten_embedding": .flag(true)]))
  }

  package func callAsFunction(_ image: Value) -> Value { proj(image).tokens(name: path) }
}

/// `Block`: attention and a feed-forward pair, each normalized before and scaled after.
package struct TransformerBlock: Sendable {
  private let norm1, norm2: LayerNorm
  private let qkv, proj, fc1, fc2: Linear
  private let ls1, ls2: LayerScale
  private let attention: AttentionLayout
  private let path: String

  package init(_ weights: WeightScope, width: Int, heads: Int, hidden: Int) throws(WeightError) {
    norm1 = try LayerNorm(weights["norm1"], width)
    qkv = try Linear(weights["attn.qkv"], width, 3 * width)
    proj = try Linear(weights["attn.proj"], width, width)
    ls1 = try LayerScale(weights["ls1"], width)
    norm2 = try LayerNorm(weights["norm2"], width)
    fc1 = try Linear(weights["mlp.fc1"], width, hidden)
    fc2 = try Linear(weights["mlp.fc2"], hidden, width)
    ls2 = try LayerScale(weights["ls2"], width)
    // [q | k | v], head by head inside: not the packing of C2PSA.
    attention = .packed(heads: heads, width: width / heads)
    path = weights.prefix
    weights.states(ModuleStatement("NestedTensorBlock", "Block"))
    weights["attn"].states(
      ModuleStatement(
        "MemEffAttention", "Attention",
        numbers: [
          "num_heads": .count(heads), "scale": .number(1 / Double(width / heads).squareRoot()),
        ]))
    weights["mlp"].states(ModuleStatement("Mlp"))
    weights["mlp.act"].states(.always(.gelu))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let attended = qkv(norm1(x)).attention(attention, name: "\(path).attn.attention")
    let y = ls1(proj(attended)).adding(x, name: "\(path).add")
    return ls2(fc2(fc1(norm2(y)).gelu(name: "\(path).mlp.act"))).adding(y, name: path)
  }
}

/// `DinoVisionTransformer`: the tokens after four of its blocks.
struct DinoV2Encoder: Sendable {
  private let patchEmbed: PatchEmbed
  private let classToken: Tensor
  private let positions: PositionEmbedding
  private let blocks: [TransformerBlock]
  private let norm: LayerNorm
  private let taps: [Int]
  private let width: Int
  private let path: String

  init(_ weights: WeightScope, _ sizes: DepthAnythingArchitecture) throws(WeightError) {
    patchEmbed = try PatchEmbed(weights["patch_embed"], width: sizes.width)
    classToken = try weights.tensor("cls_token", shape: [1, 1, sizes.width])
    positions = try PositionEmbedding(weights, grid: sizes.positionGrid, width: sizes.width)
    blocks = try (0..<sizes.blocks).map { (index) throws(WeightError) in
      try TransformerBlock(
        weights["blocks"][index], width: sizes.width, heads: sizes.heads, hidden: sizes.hidden)
    }
    norm = try LayerNorm(weights["norm"], sizes.width)
    // Stands for hidden patches in training, and has no part in inference.
    _ = try weights.unread(isOptional: true).tensor("mask_token", shape: [1, sizes.width])
    taps = sizes.taps
    width = sizes.width
    path = weights.prefix
    weights.states(
      ModuleStatement(
        "DinoVisionTransformer",
        numbers: [
          "num_heads": .count(sizes.heads), "n_blocks": .count(sizes.blocks), "embed_dim": .count(width),
          "patch_size": .count(DepthInputSize.patch), "num_register_tokens": .number(0),
          "interpolate_antialias": .flag(false), "interpolate_offset": .number(0.1),
          "chunked_blocks": .flag(false),
        ]))
  }

  /// The normalized maps, height / 14 x width / 14, after the tapped blocks, first to last.
  func callAsFunction(_ image: Value, in builder: GraphBuilder) -> [Value] {
    let patches = patchEmbed(image)
    let (rows, columns) = (
      image.shape.height / DepthInputSize.patch, image.shape.width / DepthInputSize.patch
    )
    let embedding = builder.constant(
      "\(path).pos_embed", positions.resampled(rows: rows, columns: columns),
      shape: MapShape(height: 1, width: 1 + rows * columns, channels: width))
    var x = patches.prependingToken(classToken, name: "\(path).cls_token")
      .adding(embedding, name: "\(path).embeddings")
    var maps: [Value] = []
    for (index, block) in blocks.enumerated() {
      x = block(x)
      guard taps.contains(index) else { continue }
      // One norm for all taps.
      maps.append(
        norm(x, use: ".\(index)").tokens(dropping: 1, name: "\(path).tokens.\(index)")
          .map(height: rows, width: columns, name: "\(path).map.\(index)"))
    }
    return maps
  }
}
