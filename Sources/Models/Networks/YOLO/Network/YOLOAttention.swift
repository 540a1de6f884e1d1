// The attention of YOLO11 and YOLO26, named as in Ultralytics 8.4.190 (`nn/modules/block.py`).

import NNRuntime

/// `Attention`: heads of 64 value channels with keys half as wide, and a depthwise positional encoding.
package struct PSAAttention: Sendable {
  private let qkv, proj, pe: ConvBlock
  private let heads, keyWidth, valueWidth: Int
  private let path: String

  package init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    heads = max(channels / 64, 1)
    valueWidth = channels / heads
    keyWidth = valueWidth / 2
    qkv = try ConvBlock(
      weights["qkv"], channels, heads * (2 * keyWidth + valueWidth), activated: false)
    proj = try ConvBlock(weights["proj"], channels, channels, activated: false)
    pe = try ConvBlock(
      weights["pe"], channels, channels, kernel: 3, groups: channels, activated: false)
    path = weights.prefix
    weights.states(
      ModuleStatement(
        "Attention",
        numbers: [
          "num_heads": .count(heads), "head_dim": .count(valueWidth), "key_dim": .count(keyWidth),
          "scale": .number(1 / Double(keyWidth).squareRoot()),
        ]))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let packed = qkv(x)
    let attended = packed.attention(
      .interleaved(heads: heads, keyWidth: keyWidth, valueWidth: valueWidth), name: "\(path).attention")
    return proj(attended.adding(pe(values(of: packed)), name: "\(path).add"))
  }

  /// The value channels of all heads side by side: the encoding acts on the values, not on the input.
  private func values(of packed: Value) -> Value {
    let perHead = 2 * keyWidth + valueWidth
    let parts = (0..<heads).map { head in
      packed.channels(
        head * perHead + 2 * keyWidth..<(head + 1) * perHead, name: "\(path).v.\(head)")
    }
    return parts[0].concatenated(with: Array(parts.dropFirst()), name: "\(path).v")
  }
}

/// `PSABlock`: attention and a feed-forward pair, each beside a shortcut.
struct PSABlock: Sendable {
  private let attn: PSAAttention
  private let expand, contract: ConvBlock
  private let path: String

  init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    attn = try PSAAttention(weights["attn"], channels)
    expand = try ConvBlock(weights["ffn"][0], channels, 2 * channels)
    contract = try ConvBlock(weights["ffn"][1], 2 * channels, channels, activated: false)
    path = weights.prefix
    weights.states(ModuleStatement("PSABlock", numbers: ["add": .flag(true)]))
  }

  func callAsFunction(_ x: Value) -> Value {
    let attended = attn(x).adding(x, name: "\(path).add")
    return contract(expand(attended)).adding(attended, name: path)
  }
}

/// `C2PSA`: half of the channels pass through attention blocks.
struct C2PSA: Sendable {
  private let cv1, cv2: ConvBlock
  private let m: [PSABlock]
  private let hidden: Int
  private let path: String

  init(_ weights: WeightScope, _ channels: Int, repeats: Int) throws(WeightError) {
    let hidden = channels / 2
    self.hidden = hidden
    cv1 = try ConvBlock(weights["cv1"], channels, 2 * hidden)
    cv2 = try ConvBlock(weights["cv2"], 2 * hidden, channels)
    m = try (0..<repeats).map { (index) throws(WeightError) in try PSABlock(weights["m"][index], hidden) }
    path = weights.prefix
    weights.states(ModuleStatement("C2PSA", numbers: ["c": .count(hidden)]))
  }

  func callAsFunction(_ x: Value) -> Value {
    let halves = cv1(x)
    let kept = halves.channels(0..<hidden, name: "\(path).split.0")
    let deep = m.reduce(halves.channels(hidden..<2 * hidden, name: "\(path).split.1")) { $1($0) }
    return cv2(kept.concatenated(with: [deep], name: "\(path).cat"))
  }
}
