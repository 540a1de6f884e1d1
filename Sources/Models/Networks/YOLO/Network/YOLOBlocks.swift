// The blocks of YOLO networks, named as in Ultralytics 8.4.190 (`nn/modules/conv.py`, `nn/modules/block.py`).
// Deviations: a split and the concatenation of its parts keep the parts side by side instead of moving
// them; batch normalization may already be folded into the convolution, as `Model.fuse` leaves it.

import NNRuntime

/// `Conv`: convolution without bias, batch normalization, SiLU or another activation.
package struct ConvBlock: Sendable {
  /// Ultralytics sets 1e-3 on every BatchNorm2d; the framework's default is 1e-5.
  ///
  /// Of classifiers it leaves that: whoever makes a graph says which it is.
  @TaskLocal package static var epsilon: Float = 1e-3

  private enum Normalization {
    case batch(gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor)
    /// Folded into the convolution, which then has a bias.
    case folded(bias: Tensor)
  }

  private let weight: Tensor
  private let normalization: Normalization
  private let kernel, stride, groups: Int
  private let activation: Activation
  private let path: String

  /// Binds `conv` and `bn`.
  ///
  /// - `groups`: 1, or the number of channels for a depthwise convolution.
  /// - `activated`: Whether published networks have SiLU here, or nothing; weights may have another activation.
  package init(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, kernel: Int = 1, stride: Int = 1,
    groups: Int = 1, activated: Bool = true
  ) throws(WeightError) {
    let conv = weights["conv"]
    weight = try conv.tensor("weight", shape: [outputs, inputs / groups, kernel, kernel])
    if conv.contains("bias") {
      normalization = .folded(bias: try conv.tensor("bias", shape: [outputs]))
    } else {
      let bn = weights["bn"]
      normalization = .batch(
        gamma: try bn.tensor("weight", shape: [outputs]), beta: try bn.tensor("bias", shape: [outputs]),
        mean: try bn.tensor("running_mean", shape: [outputs]),
        variance: try bn.tensor("running_var", shape: [outputs]))
    }
    self.kernel = kernel
    self.stride = stride
    self.groups = groups
    path = weights.prefix
    activation = weights.activation(published: activated ? .silu : .none)
    weights.states(ModuleStatement("Conv", "DWConv"))
    conv.states(
      .convolution(inputs, outputs, kernel: kernel, stride: stride, padding: kernel / 2, groups: groups))
    weights["bn"].states(.batchNorm(outputs))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let y = normalized(x)
    return activation == .none ? y : y.activation(activation, name: path)
  }

  private func normalized(_ x: Value) -> Value {
    // The last node carries the module's own name.
    switch normalization {
    case .batch(let gamma, let beta, let mean, let variance):
      x.convolution(weight, stride: stride, padding: kernel / 2, groups: groups, name: "\(path).conv")
        .batchNorm(
          gamma: gamma, beta: beta, mean: mean, variance: variance, epsilon: Self.epsilon,
          name: activation == .none ? path : "\(path).bn")
    case .folded(let bias):
      x.convolution(
        weight, bias: bias, stride: stride, padding: kernel / 2, groups: groups,
        name: activation == .none ? path : "\(path).conv")
    }
  }
}

/// `Bottleneck`: two 3x3 convolutions and a shortcut, which YOLOv8's neck does without.
package struct Bottleneck: Sendable {
  private let cv1, cv2: ConvBlock
  private let hasShortcut: Bool
  private let path: String

  package init(
    _ weights: WeightScope, _ channels: Int, hidden: Int, shortcut: Bool = true
  ) throws(WeightError) {
    cv1 = try ConvBlock(weights["cv1"], channels, hidden, kernel: 3)
    cv2 = try ConvBlock(weights["cv2"], hidden, channels, kernel: 3)
    hasShortcut = shortcut
    path = weights.prefix
    weights.states(ModuleStatement("Bottleneck", numbers: ["add": .flag(shortcut)]))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let y = cv2(cv1(x))
    return hasShortcut ? y.adding(x, name: path) : y
  }
}

/// `C3k`: two bottlenecks of half the channels beside a 1x1 convolution.
package struct C3k: Sendable {
  /// YOLO11 fixes the count; the multiples do not scale it.
  static let repeats = 2

  private let cv1, cv2, cv3: ConvBlock
  private let m: [Bottleneck]
  private let path: String

  package init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    let hidden = channels / 2
    cv1 = try ConvBlock(weights["cv1"], channels, hidden)
    cv2 = try ConvBlock(weights["cv2"], channels, hidden)
    cv3 = try ConvBlock(weights["cv3"], 2 * hidden, channels)
    m = try (0..<Self.repeats).map { (index) throws(WeightError) in
      try Bottleneck(weights["m"][index], hidden, hidden: hidden)
    }
    path = weights.prefix
    weights.states(ModuleStatement("C3k"))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let deep = m.reduce(cv1(x)) { $1($0) }
    return cv3(deep.concatenated(with: [cv2(x)], name: "\(path).cat"))
  }
}

/// Half of the channels pass through a chain whose every stage is kept: what `C2f` and `C3k2` have in common.
private struct SplitChain: Sendable {
  /// A stage of the chain.
  typealias Stage = @Sendable (Value) -> Value

  private let cv1, cv2: ConvBlock
  private let m: [Stage]
  private let hidden: Int
  private let path: String

  /// - `name`: what Ultralytics calls it.
  /// - `hidden`: channels inside.
  /// - `stage`: one of the chain's, by its weights.
  init(
    _ name: String, _ weights: WeightScope, _ inputs: Int, _ outputs: Int, hidden: Int, repeats: Int,
    stage: (WeightScope) throws(WeightError) -> Stage
  ) throws(WeightError) {
    self.hidden = hidden
    cv1 = try ConvBlock(weights["cv1"], inputs, 2 * hidden)
    cv2 = try ConvBlock(weights["cv2"], (2 + repeats) * hidden, outputs)
    m = try (0..<repeats).map { (index) throws(WeightError) in try stage(weights["m"][index]) }
    path = weights.prefix
    weights.states(ModuleStatement(name, numbers: ["c": .count(hidden)]))
  }

  func callAsFunction(_ x: Value) -> Value {
    let halves = cv1(x)
    var stages: [Value] = []
    var last = halves.channels(hidden..<2 * hidden, name: "\(path).split")
    for stage in m {
      last = stage(last)
      stages.append(last)
    }
    return cv2(halves.concatenated(with: stages, name: "\(path).cat"))
  }
}

/// `C2f`: a chain of bottlenecks that keep all channels inside.
package struct C2f: Sendable {
  private let chain: SplitChain

  package init(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, repeats: Int, shortcut: Bool
  ) throws(WeightError) {
    let hidden = outputs / 2
    chain = try SplitChain("C2f", weights, inputs, outputs, hidden: hidden, repeats: repeats) {
      (stage) throws(WeightError) in
      try Bottleneck(stage, hidden, hidden: hidden, shortcut: shortcut).callAsFunction
    }
  }

  package func callAsFunction(_ x: Value) -> Value { chain(x) }
}

/// `C3k2`: a chain of bottlenecks that halve the channels inside, unlike `C2f`'s, or of `C3k`.
package struct C3k2: Sendable {
  private let chain: SplitChain

  /// `expansion`: hidden channels per output channel.
  package init(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, repeats: Int, c3k: Bool, expansion: Double = 0.5
  ) throws(WeightError) {
    let hidden = Int(Double(outputs) * expansion)
    chain = try SplitChain("C3k2", weights, inputs, outputs, hidden: hidden, repeats: repeats) {
      (stage) throws(WeightError) in
      c3k
        ? try C3k(stage, hidden).callAsFunction
        : try Bottleneck(stage, hidden, hidden: hidden / 2).callAsFunction
    }
  }

  /// YOLO26's last block: each bottleneck is followed by attention.
  package init(
    attending weights: WeightScope, _ inputs: Int, _ outputs: Int, repeats: Int
  ) throws(WeightError) {
    let hidden = outputs / 2
    chain = try SplitChain("C3k2", weights, inputs, outputs, hidden: hidden, repeats: repeats) {
      (stage) throws(WeightError) in
      let bottleneck = try Bottleneck(stage[0], hidden, hidden: hidden / 2)
      let attention = try PSABlock(stage[1], hidden)
      return { attention(bottleneck($0)) }
    }
  }

  package func callAsFunction(_ x: Value) -> Value { chain(x) }
}

/// `SPPF`: three chained maximum pools.
///
/// Published networks have SiLU after `cv1`, but for YOLO26's. What Ultralytics 8.4 trained from January to September
/// 2026 has none there in older designs either: the weights tell.
package struct SPPF: Sendable {
  private static let kernel = 5
  private static let pools = 3

  private let cv1, cv2: ConvBlock
  private let hasShortcut: Bool
  private let path: String

  /// `isPlain`: as older networks have it: `cv1` has an activation, and there is no shortcut.
  package init(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, isPlain: Bool = true
  ) throws(WeightError) {
    let hidden = inputs / 2
    cv1 = try ConvBlock(weights["cv1"], inputs, hidden, activated: isPlain)
    cv2 = try ConvBlock(weights["cv2"], (Self.pools + 1) * hidden, outputs)
    hasShortcut = !isPlain && inputs == outputs
    path = weights.prefix
    // Before 8.4 the class had neither number.
    weights.states(
      ModuleStatement(
        "SPPF", numbers: ["n": .count(Self.pools), "add": .flag(hasShortcut)],
        defaults: ["n": .count(3), "add": .flag(false)]))
    weights["m"].states(.maxPool(kernel: Self.kernel))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let first = cv1(x)
    var pooled = [first]
    for index in 0..<Self.pools {
      pooled.append(
        pooled[index].maxPool(
          kernel: Self.kernel, stride: 1, padding: Self.kernel / 2, name: "\(path).m.\(index)"))
    }
    let y = cv2(first.concatenated(with: Array(pooled.dropFirst()), name: "\(path).cat"))
    return hasShortcut ? y.adding(x, name: path) : y
  }
}
