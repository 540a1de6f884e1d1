// The segmentation head of YOLO11, named as in Ultralytics 8.4.190 (`nn/modules/head.py`).
// Deviation: the distances, the anchors and the sigmoids are not part of the graph (`HeadDecoding`).

import NNRuntime

/// `Proto`: mask prototypes at a quarter of the input's size.
package struct Proto: Sendable {
  private let cv1, cv2, cv3: ConvBlock
  /// The one transposed convolution: with bias, without normalisation or activation.
  private let upsample: ConvTranspose2d

  package init(_ weights: WeightScope, _ inputs: Int, hidden: Int, prototypes: Int) throws(WeightError) {
    cv1 = try ConvBlock(weights["cv1"], inputs, hidden, kernel: 3)
    upsample = try ConvTranspose2d(weights["upsample"], hidden, hidden, stride: 2)
    cv2 = try ConvBlock(weights["cv2"], hidden, hidden, kernel: 3)
    cv3 = try ConvBlock(weights["cv3"], hidden, prototypes)
  }

  package func callAsFunction(_ x: Value) -> Value { cv3(cv2(upsample(cv1(x)))) }
}

/// `Segment`: box distances, class logits and mask coefficients at three levels, and the prototypes.
struct SegmentHead: Sendable {
  /// The raw maps of one level.
  struct Level {
    let box, classes, coefficients: Value
  }

  private struct Branches: Sendable {
    let cv2, cv3, cv4: Branch
  }

  private let branches: [Branches]
  private let proto: Proto

  /// - `channels`: channels of P3, P4 and P5.
  /// - `classHidden`: channels inside the class branches.
  init(
    _ weights: WeightScope, channels: [Int], classes: Int, classHidden: Int, coefficients: Int,
    prototypeHidden: Int
  ) throws(WeightError) {
    let boxHidden = max(16, channels[0] / 4, HeadDecoding.boxChannels)
    let coefficientHidden = max(channels[0] / 4, coefficients)
    branches = try channels.indices.map { (level) throws(WeightError) in
      Branches(
        cv2: try .dense(
          weights["cv2"][level], channels[level], hidden: boxHidden, outputs: HeadDecoding.boxChannels),
        cv3: try .separable(weights["cv3"][level], channels[level], hidden: classHidden, outputs: classes),
        cv4: try .dense(
          weights["cv4"][level], channels[level], hidden: coefficientHidden, outputs: coefficients))
    }
    proto = try Proto(
      weights["proto"], channels[0], hidden: prototypeHidden, prototypes: coefficients)
  }

  /// `features`: P3, P4 and P5.
  func callAsFunction(_ features: [Value]) -> (levels: [Level], prototypes: Value) {
    let levels = zip(branches, features).map { branch, x in
      Level(box: branch.cv2(x), classes: branch.cv3(x), coefficients: branch.cv4(x))
    }
    return (levels, proto(features[0]))
  }
}

/// Convolution blocks, then a plain 1x1 convolution with bias.
private struct Branch: Sendable {
  let blocks: [ConvBlock]
  let last: Conv2d

  /// Two 3x3 convolutions.
  static func dense(
    _ weights: WeightScope, _ inputs: Int, hidden: Int, outputs: Int
  ) throws(WeightError) -> Branch {
    Branch(
      blocks: [
        try ConvBlock(weights[0], inputs, hidden, kernel: 3),
        try ConvBlock(weights[1], hidden, hidden, kernel: 3),
      ], last: try Conv2d(weights[2], hidden, outputs))
  }

  /// Twice a depthwise 3x3 and a 1x1 convolution.
  static func separable(
    _ weights: WeightScope, _ inputs: Int, hidden: Int, outputs: Int
  ) throws(WeightError) -> Branch {
    Branch(
      blocks: [
        try ConvBlock(weights[0][0], inputs, inputs, kernel: 3, groups: inputs),
        try ConvBlock(weights[0][1], inputs, hidden),
        try ConvBlock(weights[1][0], hidden, hidden, kernel: 3, groups: hidden),
        try ConvBlock(weights[1][1], hidden, hidden),
      ], last: try Conv2d(weights[2], hidden, outputs))
  }

  func callAsFunction(_ x: Value) -> Value { last(blocks.reduce(x) { $1($0) }) }
}
