// Mask prototypes, named as in Ultralytics 8.4.190 (`nn/modules/block.py`).

import NNRuntime

/// `Proto`: mask prototypes at a quarter of the input's size.
package struct Proto: Sendable {
  private let cv1, cv2, cv3: ConvBlock
  /// The one transposed convolution: with bias, without normalization or activation.
  private let upsample: ConvTranspose2d

  /// `name`: What Ultralytics calls it.
  package init(
    _ weights: WeightScope, _ inputs: Int, hidden: Int, prototypes: Int, name: String = "Proto"
  ) throws(WeightError) {
    weights.states(ModuleStatement(name))
    cv1 = try ConvBlock(weights["cv1"], inputs, hidden, kernel: 3)
    upsample = try ConvTranspose2d(weights["upsample"], hidden, hidden, stride: 2)
    cv2 = try ConvBlock(weights["cv2"], hidden, hidden, kernel: 3)
    cv3 = try ConvBlock(weights["cv3"], hidden, prototypes)
  }

  package func callAsFunction(_ x: Value) -> Value { cv3(cv2(upsample(cv1(x)))) }
}

/// `Proto26`: prototypes of all three levels, the coarser ones enlarged and added to the finest.
package struct Proto26: Sendable {
  private let refine: [ConvBlock]
  private let fuse: ConvBlock
  private let proto: Proto
  private let path: String

  /// - `channels`: channels of P3, P4 and P5.
  /// - `classes`: channels of a branch that serves training alone.
  package init(
    _ weights: WeightScope, channels: [Int], hidden: Int, prototypes: Int, classes: Int
  ) throws(WeightError) {
    refine = try channels.dropFirst().enumerated().map { (index, inputs) throws(WeightError) in
      try ConvBlock(weights["feat_refine"][index], inputs, channels[0])
    }
    fuse = try ConvBlock(weights["feat_fuse"], channels[0], hidden, kernel: 3)
    proto = try Proto(weights, hidden, hidden: hidden, prototypes: prototypes, name: "Proto26")
    _ = try Branch.dense(
      weights["semseg"].unread(isOptional: true), channels[0], hidden: hidden, outputs: classes)
    path = weights.prefix
  }

  /// `features`: P3, P4 and P5.
  package func callAsFunction(_ features: [Value]) -> Value {
    let finest = features[0].shape
    var sum = features[0]
    for (index, block) in refine.enumerated() {
      let enlarged = block(features[index + 1]).resized(
        height: finest.height, width: finest.width, .nearest, name: "\(path).up.\(index)")
      sum = sum.adding(enlarged, name: index + 1 < refine.count ? "\(path).sum.\(index)" : "\(path).sum")
    }
    return proto(fuse(sum))
  }
}
