// The head of Depth Anything V2, ported from its reference (`depth_anything_v2/dpt.py`, `util/blocks.py`), under
// the checkpoint's names. No deviations; `refinenet4.resConfUnit1`, which has nothing to refine, is not bound.

import NNRuntime

/// `ResidualConvUnit`: x + conv2(ReLU(conv1(ReLU(x)))); the sum takes x as it came.
package struct ResidualConvUnit: Sendable {
  private let conv1, conv2: Conv2d
  private let path: String

  package init(_ weights: WeightScope, _ channels: Int) throws(WeightError) {
    conv1 = try Conv2d(weights["conv1"], channels, channels, kernel: 3)
    conv2 = try Conv2d(weights["conv2"], channels, channels, kernel: 3)
    path = weights.prefix
  }

  package func callAsFunction(_ x: Value) -> Value {
    let inner = conv1(x.relu(name: "\(path).relu1")).relu(name: "\(path).relu2")
    return conv2(inner).adding(x, name: path)
  }
}

/// `FeatureFusionBlock`: adds the refined skip, refines, enlarges, then projects.
package struct FeatureFusionBlock: Sendable {
  private let outConv: Conv2d
  private let skipUnit: ResidualConvUnit?
  private let unit: ResidualConvUnit
  private let path: String

  /// - Parameter hasSkip: the coarsest block has none.
  package init(_ weights: WeightScope, _ channels: Int, hasSkip: Bool) throws(WeightError) {
    skipUnit = hasSkip ? try ResidualConvUnit(weights["resConfUnit1"], channels) : nil
    unit = try ResidualConvUnit(weights["resConfUnit2"], channels)
    outConv = try Conv2d(weights["out_conv"], channels, channels)
    path = weights.prefix
  }

  package func callAsFunction(_ x: Value, skip: Value?, height: Int, width: Int) -> Value {
    var sum = x
    if let skip, let skipUnit { sum = skipUnit(skip).adding(x, name: "\(path).add") }
    let enlarged = unit(sum).resized(
      height: height, width: width, .bilinear(alignCorners: true), name: "\(path).resize")
    return outConv(enlarged)
  }
}

/// `DPTHead`: from four maps of one size to relative inverse depth.
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
      try FeatureFusionBlock(scratch["refinenet\(level + 1)"], features, hasSkip: level < 3)
    }
    outputConv1 = try Conv2d(scratch["output_conv1"], features, features / 2, kernel: 3)
    outputConv2a = try Conv2d(scratch["output_conv2.0"], features / 2, sizes.lastHidden, kernel: 3)
    outputConv2b = try Conv2d(scratch["output_conv2.2"], sizes.lastHidden, 1)
    path = scratch.prefix
  }

  /// - Parameters:
  ///   - maps: the tapped maps, first to last.
  ///   - height: rows of the depth map, 14 times those of the tapped maps.
  func callAsFunction(_ maps: [Value], height: Int, width: Int) -> Value {
    let levels = maps.indices.map { layers[$0](resizeLayers[$0](projects[$0](maps[$0]))) }
    var x = levels[3]
    for level in (0..<4).reversed() {
      // Each path ends at the next finer level's size, the finest at twice its own.
      let size = level > 0 ? levels[level - 1].shape : nil
      x = refinenets[level](
        x, skip: level < 3 ? levels[level] : nil, height: size?.height ?? 2 * x.shape.height,
        width: size?.width ?? 2 * x.shape.width)
    }
    let enlarged = outputConv1(x).resized(
      height: height, width: width, .bilinear(alignCorners: true), name: "\(path).resize")
    let hidden = outputConv2a(enlarged).relu(name: "\(path).output_conv2.1")
    return outputConv2b(hidden).relu(name: "\(path).output_conv2")
  }
}
