// The head of Depth Anything V2, ported from its reference (`depth_anything_v2/dpt.py`, `util/blocks.py`; `metric_depth`
// for meters), and that of Prompt Depth Anything (`promptda/model`), under the checkpoints' names. No deviations.

import NNRuntime

/// `ResidualConvUnit`: x + conv2(ReLU(conv1(ReLU(x)))); the sum takes x as it came.
package struct ResidualConvUnit: Sendable {
  private let conv1, conv2: Conv2d
  private let path: String

  package init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    conv1 = try Conv2d(weights["conv1"], channels, channels, kernel: 3)
    conv2 = try Conv2d(weights["conv2"], channels, channels, kernel: 3)
    path = weights.prefix
    weights.states(ModuleStatement("ResidualConvUnit", numbers: ["bn": .flag(false), "groups": .number(1)]))
    weights["activation"].states(.always(.relu))
  }

  package func callAsFunction(_ x: Value) -> Value {
    let inner = conv1(x.relu(name: "\(path).relu1")).relu(name: "\(path).relu2")
    return conv2(inner).adding(x, name: path)
  }
}

/// `resConfUnit_depth` of `FeatureFusionDepthBlock`: what the prompt, brought to a map's size, adds to it.
struct PromptUnit: Sendable {
  private static let name = "resConfUnit_depth"
  /// Whether a fusion block has this weight tells a prompted network.
  static let firstWeight = "\(name).0.weight"

  private let convolutions: [Conv2d]
  private let path: String

  /// `fusion`: the weights of the block that it belongs to.
  init(of fusion: WeightScope, _ channels: Int) throws(WeightError) {
    let weights = fusion[Self.name]
    convolutions = [
      try Conv2d(weights[0], 1, channels, kernel: 3), try Conv2d(weights[2], channels, channels, kernel: 3),
      try Conv2d(weights[4], channels, channels, kernel: 3),
    ]
    for layer in [1, 3] { weights[layer].states(.always(.relu)) }
    path = weights.prefix
  }

  func callAsFunction(_ prompt: Value, height: Int, width: Int) -> Value {
    let resized = prompt.resized(
      height: height, width: width, .bilinear(alignCorners: false), name: "\(path).resize")
    let hidden = convolutions[0](resized).relu(name: "\(path).1")
    return convolutions[2](convolutions[1](hidden).relu(name: "\(path).3"))
  }
}

/// `FeatureFusionBlock`: adds the refined skip, refines, enlarges, then projects; `FeatureFusionDepthBlock` adds the
/// prompt before it enlarges.
package struct FeatureFusionBlock: Sendable {
  private let outConv: Conv2d
  private let skipUnit: ResidualConvUnit?
  private let unit: ResidualConvUnit
  private let promptUnit: PromptUnit?
  private let path: String

  /// - `hasSkip`: the coarsest block has none.
  /// - `hasPrompt`: blocks of a prompted network have one.
  package init(
    _ weights: WeightScope, _ channels: Int, hasSkip: Bool, hasPrompt: Bool = false
  ) throws(WeightError) {
    // Where there is no skip the checkpoint's unit has nothing to refine.
    let skipWeights = hasSkip ? weights : weights.unread()
    let skipUnit = try ResidualConvUnit(skipWeights["resConfUnit1"], channels)
    self.skipUnit = hasSkip ? skipUnit : nil
    unit = try ResidualConvUnit(weights["resConfUnit2"], channels)
    promptUnit = hasPrompt ? try PromptUnit(of: weights, channels) : nil
    outConv = try Conv2d(weights["out_conv"], channels, channels)
    path = weights.prefix
    weights.states(
      ModuleStatement(
        hasPrompt ? "FeatureFusionDepthBlock" : "FeatureFusionBlock",
        numbers: [
          "deconv": .flag(false), "align_corners": .flag(true), "expand": .flag(false), "groups": .number(1),
          "size": .none,
        ]))
  }

  package func callAsFunction(
    _ x: Value, skip: Value?, prompt: Value? = nil, height: Int, width: Int
  ) -> Value {
    var sum = x
    if let skip, let skipUnit { sum = skipUnit(skip).adding(x, name: "\(path).add") }
    var refined = unit(sum)
    if let prompt, let promptUnit {
      refined = promptUnit(prompt, height: x.shape.height, width: x.shape.width)
        .adding(refined, name: "\(path).prompted")
    }
    let enlarged = refined.resized(
      height: height, width: width, .bilinear(alignCorners: true), name: "\(path).resize")
    return outConv(enlarged)
  }
}

/// `DPTHead`: from four maps of one size to depth.
struct DPTHead: Sendable {
  /// Brings a tapped map to its size: 4, 2, 1 and 1/2 times the patch grid.
  private enum Resize: Sendable {
    case enlarge(ConvTranspose2d)
    case keep
    case halve(Conv2d)

    func callAsFunction(_ x: Value) -> Value {
      switch self {
      case .enlarge(let layer): layer(x)
      case .keep: x
      case .halve(let layer): layer(x)
      }
    }
  }

  private let projects: [Conv2d]
  private let resizeLayers: [Resize]
  private let layers: [Conv2d]
  private let refinenets: [FeatureFusionBlock]
  private let outputConv1, outputConv2a, outputConv2b: Conv2d
  private let output: DepthOutput
  private let path: String

  init(_ weights: WeightScope, _ sizes: DepthAnythingArchitecture) throws(WeightError) {
    let channels = sizes.tapChannels
    let features = sizes.features
    let scratch = weights["scratch"]
    projects = try (0..<4).map { (level) throws(WeightError) in
      try Conv2d(weights["projects"][level], sizes.width, channels[level])
    }
    let resize = weights["resize_layers"]
    resizeLayers = [
      .enlarge(try ConvTranspose2d(resize[0], channels[0], channels[0], stride: 4)),
      .enlarge(try ConvTranspose2d(resize[1], channels[1], channels[1], stride: 2)),
      .keep,
      .halve(try Conv2d(resize[3], channels[3], channels[3], kernel: 3, stride: 2)),
    ]
    layers = try (0..<4).map { (level) throws(WeightError) in
      try Conv2d(scratch["layer\(level + 1)_rn"], channels[level], features, kernel: 3, bias: false)
    }
    refinenets = try (0..<4).map { (level) throws(WeightError) in
      try FeatureFusionBlock(
        scratch["refinenet\(level + 1)"], features, hasSkip: level < 3, hasPrompt: sizes.output == .prompted)
    }
    outputConv1 = try Conv2d(scratch["output_conv1"], features, features / 2, kernel: 3)
    outputConv2a = try Conv2d(scratch["output_conv2.0"], features / 2, sizes.lastHidden, kernel: 3)
    outputConv2b = try Conv2d(scratch["output_conv2.2"], sizes.lastHidden, 1)
    output = sizes.output
    path = scratch.prefix
    weights.states(ModuleStatement("DPTHead", numbers: ["use_clstoken": .flag(false)]))
    scratch.states(ModuleStatement("Module", from: .torch))
    scratch["output_conv2.1"].states(.always(.relu))
    scratch["output_conv2.3"].states(.always(output == .relative ? .relu : .sigmoid))
  }

  /// - `maps`: the tapped maps, first to last.
  /// - `prompt`: of a prompted network.
  /// - `height`: rows of the depth map, 14 times those of the tapped maps.
  func callAsFunction(_ maps: [Value], prompt: Value?, height: Int, width: Int) -> Value {
    let levels = maps.indices.map { layers[$0](resizeLayers[$0](projects[$0](maps[$0]))) }
    var x = levels[3]
    for level in (0..<4).reversed() {
      // Each path ends at the next finer level's size, the finest at twice its own.
      let size = level > 0 ? levels[level - 1].shape : nil
      x = refinenets[level](
        x, skip: level < 3 ? levels[level] : nil, prompt: prompt, height: size?.height ?? 2 * x.shape.height,
        width: size?.width ?? 2 * x.shape.width)
    }
    let enlarged = outputConv1(x).resized(
      height: height, width: width, .bilinear(alignCorners: true), name: "\(path).resize")
    let hidden = outputConv2a(enlarged).relu(name: "\(path).output_conv2.1")
    let last = outputConv2b(hidden)
    switch output {
    case .relative: return last.relu(name: "\(path).output_conv2")
    case .prompted: return last.activation(.sigmoid, name: "\(path).output_conv2")
    case .metric(let greatest):
      return last.activation(.sigmoid, name: "\(path).output_conv2")
        .scaled(by: Tensor(shape: [1], floats: [greatest]), name: "\(path).max_depth")
    }
  }
}
